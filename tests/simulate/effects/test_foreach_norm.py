import pytest

from fiche.simulate.effects.foreach_norm import partial_bytes


def test_as_many_parts_for_each_as_the_longest_needs():
    assert partial_bytes([3 * 65536 + 1, 10], 2) == 2 * 4 * 4
    assert partial_bytes([65536], 8) == 8
    assert partial_bytes([], 4) == 0


@pytest.mark.torch
def test_clipping_asks_for_all_norms_at_once():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        learned = [torch.empty(n, device="cuda", requires_grad=True) for n in (200_000, 10)]
        for each in learned:
            each.grad = torch.empty_like(each)
        torch.nn.utils.clip_grad_norm_(learned, 1.0)

    assert applied(program)["foreach_norm"] == (1, 2 * 4 * 4)


@pytest.mark.torch
def test_an_order_without_a_kernel_goes_one_by_one():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        torch._foreach_norm([torch.empty(9, device="cuda")], 3)

    assert "foreach_norm" not in applied(program)
