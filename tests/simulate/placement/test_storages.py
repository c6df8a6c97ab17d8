"""Bytes that come and go while a tensor stays."""

import pytest
from simulate.placement.laid import run

pytestmark = pytest.mark.torch


def test_an_unseen_tensor_takes_bytes_only_while_it_is_filled():
    def program(rec):
        import torch

        from fiche.simulate.placement import storages

        ledger = rec.ledger
        tensor = storages.unseen(ledger, (1024,), torch.float32, storages.device_of(ledger))
        found = [ledger.live_bytes[0]]
        for _ in range(2):
            storages.filled(ledger, tensor, "mine", "parameter")
            found.append(ledger.live_bytes[0])
            storages.emptied(ledger, tensor)
            found.append(ledger.live_bytes[0])
        storages.emptied(ledger, tensor)
        del tensor
        found.append(ledger.live_bytes[0])
        levels.extend(found)

    levels = []
    simulation = run(program)
    assert levels == [0, 4096, 0, 4096, 0, 0]
    assert [each.operator for each in simulation.entries.origins] == ["mine", "mine"]
    assert simulation.entries.kinds == ["parameter", "parameter"]


def test_what_is_filled_goes_with_its_tensor():
    def program(rec):
        import torch

        from fiche.simulate.placement import storages

        tensor = storages.made(rec.ledger, (1024,), torch.bfloat16, "mine", "gradient", stream=7)
        view = tensor[:8]
        del tensor
        levels.append(rec.ledger.live_bytes[0])
        del view
        levels.append(rec.ledger.live_bytes[0])

    levels = []
    simulation = run(program)
    assert levels == [2048, 0]
    assert simulation.events[0].streams[0] == 7


def test_a_buffer_of_no_byte_is_none():
    def program(rec):
        from fiche.simulate.placement import storages

        entry = storages.held(rec.ledger, 0, "nothing")
        assert entry is None
        storages.let_go(rec.ledger, entry)

    assert len(run(program).events[0]) == 0
