import pytest
from simulate.effects.rows_applied import most

pytestmark = pytest.mark.torch

MIB = 2**20


def backward(function):
    def run(rec):
        import torch

        entries = torch.empty(1024, 1024, device="cuda", requires_grad=True)
        made = function(torch, entries)
        gradient = torch.empty_like(made)
        with rec.phase("backward"):
            made.backward(gradient)

    return run


@pytest.mark.parametrize("name", ["silu", "mish", "gelu"])
def test_the_gradient_of_an_activation_takes_itself_alone(name):
    assert most(backward(lambda torch, x: getattr(torch.nn.functional, name)(x))) == 4 * MIB


def test_a_root_mean_square_norm_takes_its_output_and_a_number_a_row():
    def run(rec):
        import torch

        entries = torch.empty(1024, 1024, device="cuda", dtype=torch.bfloat16)
        gain = torch.empty(1024, device="cuda", dtype=torch.bfloat16)
        with rec.phase("forward"):
            return torch.nn.functional.rms_norm(entries, (1024,), gain)

    assert most(run) == 2 * MIB + 1024 * 4
