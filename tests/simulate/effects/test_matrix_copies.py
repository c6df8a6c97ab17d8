import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


def held(first, second, product="mm"):
    def program():
        import torch

        getattr(torch, product)(first(torch), second(torch))

    return applied(program).get("matrix_copies", (0, 0))


def rows(*shape):
    return lambda torch: torch.empty(*shape, device="cuda")


def test_rows_and_columns_are_read_where_they_lie():
    assert held(rows(8, 16), rows(16, 4)) == (0, 0)
    assert held(rows(8, 16), lambda torch: torch.empty(4, 16, device="cuda").t()) == (0, 0)
    assert held(lambda torch: torch.empty(8, 32, device="cuda")[:, :16], rows(16, 4)) == (0, 0)


def test_what_lies_in_neither_is_copied():
    """Every second column of 32: 8 x 16 in fp32. A value seen again and again: 4 x 4 of them."""
    assert held(lambda torch: torch.empty(8, 32, device="cuda")[:, ::2], rows(16, 4)) == (1, 512)
    assert held(rows(8, 4), lambda torch: torch.empty(1, 1, device="cuda").expand(4, 4)) == (1, 64)


def test_a_batch_that_is_one_matrix_seen_often_is_not_copied():
    often = lambda torch: torch.empty(1, 16, 4, device="cuda").expand(8, 16, 4)  # noqa: E731
    assert held(rows(8, 2, 16), often, "bmm") == (0, 0)
    apart = lambda torch: torch.empty(8, 16, 8, device="cuda")[..., ::2]  # noqa: E731
    assert held(rows(8, 2, 16), apart, "bmm") == (1, 8 * 16 * 4 * 4)
