import pytest

from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects.layer_norm_backward import partial_bytes

A100 = gpu_of((8, 0))


def test_many_narrow_rows_are_summed_in_parts():
    """1024 wide: 32 blocks side by side, so 1024 of the 32768 allowed below each other."""
    assert partial_bytes(100_000, 1024, 4, A100) == 1024 * 1024 * 4
    assert partial_bytes(70_000, 64, 2, A100) == 2188 * 64 * 2  # 70000 rows in parts of 32


def test_few_rows_and_wide_rows_are_summed_at_once():
    assert partial_bytes(65_536, 1024, 4, A100) == 0
    assert partial_bytes(100_000, 4096, 4, A100) == 0


@pytest.mark.torch
def test_gains_and_biases_have_parts_each():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        learned = [torch.empty(64, device="cuda", requires_grad=True) for _ in range(2)]
        entries = torch.empty(70_000, 64, device="cuda", requires_grad=True)
        made = torch.nn.functional.layer_norm(entries, (64,), *learned)
        made.backward(torch.empty_like(made))

    assert applied(program)["layer_norm_backward"] == (1, 2 * 2188 * 64 * 4)
