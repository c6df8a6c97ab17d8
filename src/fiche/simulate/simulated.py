"""Runs a workload on fake tensors, and says what each of its phases took."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fiche.measure.protocol.turns import Turn
from fiche.simulate.allocator import AllocatorSettings
from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects._table import EffectTable, table_of
from fiche.simulate.fake.applied import modules_moved
from fiche.simulate.fake.autocast import Autocast
from fiche.simulate.fake.convolutions import laid_out_by_cudnn
from fiche.simulate.fake.cuda_calls import Card, cuda_shown
from fiche.simulate.fake.devices import is_stand_in, shown
from fiche.simulate.fake.drawn import bounded
from fiche.simulate.fake.facade import Facade
from fiche.simulate.fake.files import files_stood_in
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.ledger.watching import watching
from fiche.simulate.recorder import SimulatedRecorder
from fiche.simulate.simulation import Simulation

Program = Callable[[SimulatedRecorder], object]


def simulated(
    workload: Any,
    *,
    rules: str = "cuda",
    devices: int = 1,
    turns: Sequence[str] = ("first", "repeat"),
    capability: tuple[int, int] | None = None,
    capacity_bytes: int | None = None,
    allocator: str = "",
) -> Simulation:
    """Run a workload of `fiche.measure.workloads`: made, then one pass for each of `turns`.

    Raises:
        NotSimulatedError: an operator, or what the program asks of the card, has no answer here.
        Exception: what the workload itself raises.
    """

    def program(rec: SimulatedRecorder) -> None:
        workload.prepare(rec, rec.devices.all[0].place)
        for number, kind in enumerate(turns):
            workload.turn(rec, Turn(kind, number))

    return run(
        program,
        rules=rules,
        devices=devices,
        capability=capability,
        capacity_bytes=capacity_bytes,
        allocator=allocator,
    )


def run(
    program: Program,
    *,
    rules: str = "cuda",
    devices: int = 1,
    capability: tuple[int, int] | None = None,
    capacity_bytes: int | None = None,
    allocator: str = "",
) -> Simulation:
    """Run a function that takes a recorder, as one takes `fiche.recorder`.

    `allocator` is what PYTORCH_CUDA_ALLOC_CONF would hold, for a program that reads the allocator's counters.

    Raises:
        NotSimulatedError: as `simulated`.
        Exception: what the program itself raises.
    """
    told = capability or (8, 0)
    table = table_of(gpu_of(told)) if rules == "cuda" else EffectTable({}, gpu_of(told))
    ledger = Ledger(rules=rules, devices=devices, effects=table.operators)
    card = Card(
        ledger,
        capability=told,
        assumed=capability is None,
        capacity_bytes=capacity_bytes,
        devices=devices,
        settings=AllocatorSettings.of(allocator),
    )
    rec = SimulatedRecorder(ledger)
    with _settled(ledger), watching(ledger), ExitStack() as stack:
        for entered in _stood_in(ledger, card, table) if rules == "cuda" else ():
            stack.enter_context(entered)
        program(rec)
        rec.close()
        effects = table.document(ledger.held_peaks)
    return Simulation(
        rules=rules,
        ledger=ledger,
        spans=rec.spans,
        effects=effects,
        answers=card.answers(),
        notes=rec.notes,
        capability=told,
    )


def _stood_in(ledger: Ledger, card: Card, table: EffectTable) -> Iterator[Any]:
    """What makes a program run as on a card, the outermost first."""
    yield cuda_shown(card)
    yield modules_moved(ledger)
    yield bounded()
    yield files_stood_in(ledger)
    yield _shown_devices(ledger)
    yield table.installed()
    yield Autocast(ledger).installed()
    yield Facade(ledger)


@contextmanager
def _settled(ledger: Ledger) -> Iterator[None]:
    """Garbage goes where a phase begins, and nowhere else: the same program gives the same events."""
    was = gc.isenabled()
    gc.collect()
    gc.disable()
    gc.freeze()  # what was there before is no garbage, and is not searched at each phase
    try:
        with ledger:
            yield
    finally:
        gc.unfreeze()
        if was:
            gc.enable()


@contextmanager
def _shown_devices(ledger: Ledger) -> Iterator[None]:
    """A fake tensor says `cuda` of itself to Python, and the truth to PyTorch's own code."""
    usual = FakeTensor.device

    def device(tensor: Any) -> torch.device:
        found: torch.device = usual.fget(tensor)
        return found if ledger.inside else shown(found)

    with ExitStack() as stack:
        stack.enter_context(patch.object(FakeTensor, "device", property(device)))
        stack.enter_context(patch.object(FakeTensor, "is_cuda", property(_is_cuda)))
        stack.enter_context(laid_out_by_cudnn())
        # PyTorch refuses a stream that is none of its own before any mode is asked.
        stack.enter_context(patch.object(FakeTensor, "record_stream", _used_on, create=True))
        yield


def _used_on(tensor: Any, stream: Any) -> None:
    """What a stream uses counts as allocated for as long as it is referred to, as on a GPU."""


def _is_cuda(tensor: Any) -> bool:
    return is_stand_in(tensor.fake_device)
