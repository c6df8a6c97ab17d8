import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


def held(function):
    def program():
        import torch

        function(torch, torch.empty(16, 8, 4, device="cuda"))

    return applied(program).get("index_put_accumulate", (0, 0))


def places(torch, count):
    return torch.zeros(count, dtype=torch.long, device="cuda")


def test_four_lists_of_the_indices():
    def add(torch, into):
        values = torch.empty(100, 8, 4, device="cuda")
        into.index_put_((places(torch, 100),), values, accumulate=True)

    assert held(add) == (1, 4 * 800)


def test_values_that_are_broadcast_are_copied_in_full():
    def add(torch, into):
        into.index_put_((places(torch, 100),), torch.empty(4, device="cuda"), accumulate=True)

    assert held(add) == (1, 4 * 800 + 100 * 8 * 4 * 4)


def test_indices_of_dimensions_apart_copy_the_target():
    def add(torch, into):
        index = places(torch, 100)
        values = torch.empty(100, 8, device="cuda")
        torch.ops.aten.index_put_.default(into, [index, None, index.clone()], values, True)

    assert held(add) == (1, 4 * 800 + 16 * 8 * 4 * 4)


def test_putting_without_adding_takes_nothing():
    def put(torch, into):
        into.index_put_((places(torch, 100),), torch.empty(100, 8, 4, device="cuda"))

    assert held(put) == (0, 0)
