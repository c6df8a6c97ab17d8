"""`torch.cuda` of the GPU that is not there: what a program may ask of it, and what it is told.

What no simulation can know is told only where the caller said it; each answer that was assumed is kept, so that
the document can name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fiche.kernel import simulation_notes
from fiche.kernel.said import tell
from fiche.simulate.allocator import AllocatorSettings
from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.fake.devices import current_device, index_of, set_current_device, stand_in
from fiche.simulate.fake.levels import Levels
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.refusal import NotSimulatedError


class Card:
    """What is told of the card: compute capability, bytes (None where nobody said), and how many there are."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        capability: tuple[int, int] = (8, 0),
        assumed: bool = True,
        capacity_bytes: int | None = None,
        devices: int = 1,
        settings: AllocatorSettings | None = None,
    ) -> None:
        self.ledger = ledger
        self.capability = capability
        self.assumed = assumed
        self.capacity_bytes = capacity_bytes
        self.devices = devices
        self.asked: dict[str, str] = {}
        self.levels = Levels(ledger.events, settings or AllocatorSettings())

    def tell(self, name: str, told: object) -> None:
        """Note that something assumed was asked for."""
        self.asked.setdefault(name, str(told))

    def answers(self) -> list[dict[str, str]]:
        """What was asked and answered, for the document."""
        asked = {**self.asked, **self.ledger.values_asked}
        return [{"asked": k, "told": v, "by": simulation_notes.assumed()} for k, v in asked.items()]

    # --- torch.cuda ---------------------------------------------------------------------------

    def get_device_capability(self, device: object = None) -> tuple[int, int]:
        """Major and minor number."""
        if self.assumed:
            self.tell("torch.cuda.get_device_capability", "{}.{}".format(*self.capability))
        return self.capability

    def mem_get_info(self, device: object = None) -> tuple[int, int]:
        """Free and total bytes, where the card's are known."""
        total = self.total("torch.cuda.mem_get_info")
        self.tell(
            "torch.cuda.mem_get_info", tell("the capacity, less what is reserved; no context")
        )
        return max(0, total - self.levels.memory_reserved(device)), total

    def get_device_properties(self, device: object = None) -> Properties:
        """Name, capability, multiprocessors of the usual card of it, and bytes where they are known."""
        return Properties(self)

    def empty_cache(self) -> None:
        """An event of every device."""
        for events in self.ledger.events:
            events.empty_cache()

    def dump_snapshot(self, *_: object, **__: object) -> None:
        """No file: the document and `--events` have what it would hold."""
        self.tell(
            "torch.cuda.memory._dump_snapshot", tell("nothing is written: --events has all events")
        )

    def total(self, name: str) -> int:
        """Bytes of the card, where somebody said them; `name` is what asks."""
        if self.capacity_bytes is None:
            raise NotSimulatedError(
                f"the program asks {name}, and what it does then hangs on the card: tell its capacity "
                "(--capacity or --gpu)"
            )
        return self.capacity_bytes


class _Stream:
    """A stream as a number, the usual one 0; also an event, which is always over."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _quiet


class _Generator(torch.Generator):  # type: ignore[misc]
    """A generator of any device; no value is ever drawn from it."""

    def __new__(cls, device: object = "cpu") -> _Generator:
        made: _Generator = super().__new__(cls, "cpu")
        return made


class Properties:
    """What a program may ask of the card; its bytes only where they were told."""

    name = "simulated"
    warp_size = 32

    def __init__(self, card: Card) -> None:
        self._card = card
        self.major, self.minor = card.get_device_capability()

    @property
    def multi_processor_count(self) -> int:
        """Of the usual card of the capability."""
        found = gpu_of(self._card.capability).processors
        self._card.tell("multi_processor_count", found)
        return found

    @property
    def total_memory(self) -> int:
        """Bytes of the card."""
        return self._card.total("torch.cuda.get_device_properties().total_memory")


def _quiet(*_: Any, **__: Any) -> None:
    return None


@contextmanager
def cuda_shown(card: Card) -> Iterator[None]:
    """Within it `torch.cuda` speaks of the card."""
    with ExitStack() as stack:
        stack.enter_context(current_device(0))
        for name, value in _calls(card).items():
            stack.enter_context(patch.object(torch.cuda, name, value))
        for target, name, value in _elsewhere(card):
            if hasattr(target, name):
                stack.enter_context(patch.object(target, name, value))
        yield


_QUIET = (
    *("synchronize", "init", "_lazy_init", "ipc_collect"),
    *("manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state", "set_rng_state_all"),
    "set_per_process_memory_fraction",
)
# What a program records or marks for tools that look on: nothing looks on here.
_QUIET_IN = (
    (torch.cuda.nvtx, ("range_push", "range_pop", "range_start", "range_end", "mark")),
    (torch.cuda.memory, ("_record_memory_history",)),
)


def _calls(card: Card) -> dict[str, Any]:
    return {
        **dict.fromkeys(_QUIET, _quiet),
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "is_bf16_supported": lambda *_, **__: card.capability >= (8, 0),
        "device_count": lambda: card.devices,
        "current_device": index_of,
        "set_device": lambda device: set_current_device(index_of(device)),
        "device": lambda device: current_device(None if device is None else index_of(device)),
        "get_device_name": lambda *_: "simulated",
        "get_device_capability": card.get_device_capability,
        "get_device_properties": card.get_device_properties,
        "mem_get_info": card.mem_get_info,
        "empty_cache": card.empty_cache,
        "get_rng_state": lambda *_: torch.empty(16, dtype=torch.uint8, device="cpu"),
        "get_rng_state_all": list,
        **{name: getattr(card.levels, name) for name in _LEVELS},
        "memory_summary": card.levels.memory_summary,
        "reset_max_memory_allocated": card.levels.reset_peak_memory_stats,
        **_streams(card.ledger),
    }


_LEVELS = (
    *("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"),
    *("reset_peak_memory_stats", "memory_stats"),
)


def _streams(ledger: Ledger) -> dict[str, Any]:
    """Streams are numbered as a run makes them; what is taken is taken on the current one."""
    numbers = count(1)
    usual = _Stream(0)
    current = [usual]

    def set_stream(stream: _Stream | None) -> None:
        if stream is not None:
            current[0], ledger.stream = stream, stream.number

    @contextmanager
    def on_stream(stream: _Stream | None) -> Iterator[None]:
        before = current[0], ledger.stream
        set_stream(stream)
        try:
            yield
        finally:
            current[0], ledger.stream = before

    class Stream(_Stream):
        def __init__(self, *_: object, **__: object) -> None:
            super().__init__(next(numbers))

    class Event(_Stream):
        def __init__(self, *_: object, **__: object) -> None:
            super().__init__(0)

    return {
        "stream": on_stream,
        "set_stream": set_stream,
        "Stream": Stream,
        "Event": Event,
        "current_stream": lambda *_: current[0],
        "default_stream": lambda *_: usual,
    }


def _elsewhere(card: Card) -> list[tuple[Any, str, Any]]:
    from torch.cuda.amp import common
    from torch.optim import optimizer
    from torch.utils import _foreach_utils

    # Where PyTorch would work on all tensors at once: it asks for the types and for the device.
    kinds = [*optimizer._foreach_supported_types, FakeTensor]
    # Tensors that PyTorch itself groups by device tell the one that stands in.
    foreach: Callable[[], list[str]] = lambda: ["cuda", stand_in("cuda").type]  # noqa: E731
    fused: Callable[[], list[str]] = lambda: ["cuda", "cpu"]  # noqa: E731
    return [
        (torch, "Generator", _Generator),
        (common, "amp_definitely_not_available", lambda: False),
        # Else the facade is asked of a backward pass, and is off while it runs: checkpointed code runs in it.
        (torch.autograd, "has_torch_function", lambda *_: False),
        *((each, "_foreach_supported_types", kinds) for each in (optimizer, _foreach_utils)),
        *(
            (each, "_get_foreach_kernels_supported_devices", foreach)
            for each in (optimizer, _foreach_utils)
        ),
        *(
            (each, "_get_fused_kernels_supported_devices", fused)
            for each in (optimizer, _foreach_utils)
        ),
        (torch.cuda.memory, "empty_cache", card.empty_cache),
        (torch.cuda.memory, "_dump_snapshot", card.dump_snapshot),
        *((room, name, _quiet) for room, names in _QUIET_IN for name in names),
    ]
