import pytest

from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects.cublas_workspace import workspace_bytes

USUAL, LARGE = 8_519_680, 33_554_432


@pytest.mark.parametrize(
    ("capability", "num_bytes"),
    [
        ((7, 5), USUAL),
        ((8, 0), USUAL),
        ((8, 9), USUAL),
        ((9, 0), LARGE),
        ((10, 0), LARGE),
        ((12, 0), LARGE),
    ],
)
def test_bytes_by_capability(capability, num_bytes):
    assert workspace_bytes(gpu_of(capability)) == num_bytes


def test_what_is_told_counts_instead():
    assert workspace_bytes(gpu_of((8, 0)), ":4096:8") == 32 * 2**20
    assert workspace_bytes(gpu_of((9, 0)), ":16:8:32:2") == (16 * 8 + 32 * 2) * 1024
    assert workspace_bytes(gpu_of((8, 0)), "nothing of the kind") == USUAL


@pytest.mark.torch
def test_one_for_the_forward_pass_and_one_for_the_backward_pass(monkeypatch):
    from simulate.effects.rows_applied import applied

    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)

    def forward():
        import torch

        entries = torch.empty(4, 8, device="cuda", requires_grad=True)
        weight = torch.empty(8, 8, device="cuda", requires_grad=True)
        made = (entries @ weight) @ weight
        return made.sum()

    assert applied(forward)["cublas_workspace"] == (1, USUAL)
    assert applied(lambda: forward().backward())["cublas_workspace"] == (2, 2 * USUAL)
    assert applied(lambda: forward().backward(), (9, 0))["cublas_workspace"] == (2, 2 * LARGE)


@pytest.mark.torch
def test_nothing_is_taken_where_nothing_is_multiplied():
    from simulate.effects.rows_applied import applied

    def program():
        import torch

        torch.mm(torch.empty(0, 8, device="cuda"), torch.empty(8, 8, device="cuda"))
        torch.mm(torch.empty(4, 8), torch.empty(8, 8))

    assert "cublas_workspace" not in applied(program)
