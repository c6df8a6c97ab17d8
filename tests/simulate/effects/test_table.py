"""The table itself: every row says what, why and where from; and a run leaves PyTorch as it was."""

import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


def rows():
    from fiche.registry import members
    from fiche.simulate.effects._row import Effect

    return members("fiche.simulate.effects", Effect)


def test_each_row_is_named_as_its_module_and_says_its_source():
    from fiche.registry import member_names

    assert tuple(row.name for row in rows()) == member_names("fiche.simulate.effects")
    for row in rows():
        assert row.says
        assert "PyTorch" in row.source
        assert row.operators or row.composites or row.kernels
        assert bool(row.operators) == (row.apply is not None)
        assert bool(row.composites) == (row.compose is not None)


def test_each_operator_is_one_of_this_pytorch():
    from fiche.simulate.effects._table import operator_of

    named = [name for row in rows() for name in (*row.operators, *row.composites, *row.kernels)]
    assert [name for name in named if operator_of(name) is None] == []


def test_a_row_that_does_nothing_is_not_counted():
    def program():
        import torch

        torch.empty(8, device="cuda").sum()
        torch.empty(8, device="cuda") + 1.0

    assert applied(program) == {}


def test_rows_of_one_operator_are_around_each_other():
    """A product of a matrix that must be copied: the copy, and the workspace of cuBLAS."""

    def program():
        import torch

        torch.mm(torch.empty(8, 32, device="cuda")[:, ::2], torch.empty(16, 4, device="cuda"))

    assert applied(program) == {"cublas_workspace": (1, 8_519_680), "matrix_copies": (1, 512)}


def test_a_run_leaves_pytorch_as_it_was():
    import torch

    applied(lambda: None)
    name = "aten::scaled_dot_product_attention"
    assert "Python" not in str(torch._C._dispatch_dump(name)).split("AutogradLazy")[0]
    entries = torch.ones(1, 1, 2, 2)
    assert torch.nn.functional.scaled_dot_product_attention(entries, entries, entries).sum() == 4


def test_rules_of_memtracker_know_no_row():
    from fiche.simulate.simulated import run

    def program(rec):
        import torch

        torch.mm(torch.empty(4, 4), torch.empty(4, 4))

    assert run(program, rules="memtracker").effects == ()
