"""A loop over a loader of data, whichever processes would make its batches."""

import pytest

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("workers", [{}, {"num_workers": 2}, {"num_workers": 2, "timeout": 9}])
def test_every_batch_arrives_on_the_device(workers):
    """Four batches; of the last one 16 x 256 x 4 B and 16 x 8 B are alive, the latter a block of 512 B."""
    from fiche.simulate.loaders import loaders_drawn
    from fiche.simulate.simulated import run

    found = []

    def program(rec):
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        rows = TensorDataset(torch.randn(64, 256), torch.arange(64))
        if workers:
            workers["persistent_workers"] = True
        loader = DataLoader(rows, batch_size=16, shuffle=True, pin_memory=True, **workers)
        for batch in loader:
            values, names = (each.to("cuda", non_blocking=True) for each in batch)
            found.append(rec.ledger.live_bytes[0])
        assert values.is_cuda
        assert names.is_cuda

    with loaders_drawn():
        run(program)
    assert found == 4 * [16 * 256 * 4 + 512]
