"""A recurrent layer is counted, and what cuDNN keeps in its place is named as not covered."""

import pytest
from simulate.effects.rows_applied import applied

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_each_call_of_a_recurrent_layer_is_counted(layer):
    import torch

    def program():
        made = getattr(torch.nn, layer)(8, 8, batch_first=True).to("cuda")
        for _ in range(2):
            made(torch.randn(2, 4, 8, device="cuda"))

    assert applied(program)["recurrent_layers"] == (2, 0)


def test_the_library_that_runs_it_on_a_gpu_is_named_as_uncovered():
    from types import SimpleNamespace

    import torch

    from fiche.simulate.effects._uncovered import uncovered
    from fiche.simulate.simulated import run

    def program(rec, layer):
        layer.to("cuda")(torch.randn(2, 8, device="cuda"))

    job = SimpleNamespace(placement={})
    names = [
        {each["name"] for each in uncovered(job, run(lambda rec, made=made: program(rec, made)))}
        for made in (torch.nn.Linear(8, 8), torch.nn.GRU(8, 8))
    ]
    assert ["cudnn_recurrent" in each for each in names] == [False, True]
