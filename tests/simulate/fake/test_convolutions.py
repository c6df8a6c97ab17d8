"""A convolution's result has its channels last where its input or its weight has."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


@pytest.mark.parametrize(
    ("entries_last", "weight_last", "last"),
    [(True, True, True), (True, False, True), (False, True, True), (False, False, False)],
)
def test_what_lies_with_channels_last_stays_so(entries_last, weight_last, last):
    """So laying a result of 16 MiB out with channels last takes nothing, and in rows as much again."""
    import torch

    from fiche.simulate.simulated import run

    found = []

    def program(rec):
        told = {True: torch.channels_last, False: torch.contiguous_format}
        layer = torch.nn.Conv2d(16, 16, 3, padding=1, bias=False, device="cuda")
        layer.to(memory_format=told[weight_last])
        entries = torch.randn(16, 16, 128, 128, device="cuda").to(memory_format=told[entries_last])
        made = layer(entries)
        before = rec.ledger.live_bytes[0]
        again = made.contiguous(memory_format=torch.channels_last)
        found.append((rec.ledger.live_bytes[0] - before) // MIB)
        again.sum().backward()
        found.append(layer.weight.grad.shape == layer.weight.shape)

    run(program)
    assert found == [0 if last else 16, True]
