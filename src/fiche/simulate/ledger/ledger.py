"""The ledger: every storage of a device that a program makes, from its first operator to its last reference.

It sits over FakeTensorMode and sees each operator that the program and its backward pass call. A new storage
is one weak reference; when the storage goes, so does its entry. What one operator does inside itself is not
seen: where CUDA takes memory there, an effect says so (`fiche.simulate.effects`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from fiche.simulate.ledger.calls import Call, answered, lays_out, makes_storages, on_stand_in
from fiche.simulate.ledger.composites import as_its_source, comes_whole, taken_apart
from fiche.simulate.ledger.entries import EntryTable
from fiche.simulate.ledger.events import Events
from fiche.simulate.ledger.fakes import Fakes
from fiche.simulate.ledger.kinds import WORKSPACE
from fiche.simulate.ledger.origins import Origins
from fiche.simulate.ledger.values import Values
from fiche.simulate.refusal import NotSimulatedError, refusal_of, show_cuda, where

Applied = Callable[["Call"], Any]
_DEVICE = torch.ops.prim.device.default
_NoFunctions = torch._C.DisableTorchFunction
_FAKE = torch._C._TorchDispatchModeKey.FAKE
_unset_mode, _set_mode = torch._C._unset_dispatch_mode, torch._C._set_dispatch_mode


class Ledger(TorchDispatchMode):  # type: ignore[misc]
    """Accounts for the storages of devices of one type.

    `rules` is `cuda` (blocks of 512 bytes, effects applied) or `memtracker` (bytes as they are, no effect: what
    torch's own MemTracker counts on the CPU). `effects` are functions by operator.
    """

    def __init__(
        self,
        *,
        rules: str = "cuda",
        devices: int = 1,
        effects: Mapping[Any, Applied] | None = None,
    ) -> None:
        super().__init__()
        self.rules = rules
        self.watched = "lazy" if rules == "cuda" else "cpu"
        self.events = [Events() for _ in range(devices)]
        self.live_bytes = [0] * devices
        self.stream = 0
        self.origins = Origins()
        self.entries = EntryTable()
        self.fake = Fakes()
        self.refused: NotSimulatedError | None = None
        self.inside = 0
        self._parts = 0
        self.values = Values() if rules == "cuda" else None
        self._effects = dict(effects or {})
        # By the address of a storage: its entry, its device, and what tells its end. Those without bytes apart.
        self._live: dict[int, tuple[int, int, Any]] = {}
        self._empty: dict[int, tuple[int | None, int, Any]] = {}
        self._makes: dict[Any, bool] = {}
        self._lays: dict[Any, tuple[tuple[int, str], ...]] = {}
        # What must be told of the live tensors before somebody looks: see `watching`.
        self.settle: Callable[[], None] = lambda: None
        self.values_asked: dict[str, str] = {}
        self.held_peaks: dict[str, int] = {}
        self._held: dict[int, str] = {}
        self._held_now: dict[str, int] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing here is compiled: what would keep it from that takes longer than the rest."""
        return False

    def __enter__(self) -> Ledger:
        self.fake.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.fake.__exit__(*error)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operator, and enter what it made."""
        if func is _DEVICE:
            return args[0].fake_device if isinstance(args[0], FakeTensor) else args[0].device
        kwargs = on_stand_in(kwargs or {}) if self.rules == "cuda" else kwargs or {}
        if comes_whole(func):
            return self._of_parts(func, args, kwargs)
        known = None if self.values is None else self.values.known(func, args, kwargs)
        self.inside += 1
        try:
            with _NoFunctions():
                made = answered(self, func, args, known)
                if made is None:
                    made = self._run(func, args, kwargs)
                    if known is not None and self.values is not None:
                        self.values.follow(func, known, made)
        except Exception as error:
            refused = refusal_of(error, func, self.origins)
            if refused is None:
                show_cuda(error)
                raise
            self.refused = self.refused or refused
            raise refused from error
        finally:
            self.inside -= 1
        return made

    def _of_parts(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operator as the operators it is made of, each of them seen."""
        on_device = Call(self, func, args, kwargs).on_device()
        TorchDispatchMode.__enter__(self)
        self._parts += 1
        try:
            return taken_apart(func, args, kwargs, on_device=on_device)
        finally:
            self._parts -= 1
            TorchDispatchMode.__exit__(self, None, None, None)

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        apply = self._effects.get(func)
        if apply is not None:
            return apply(Call(self, func, args, kwargs))
        made = self.operate(func, args, kwargs)
        if self._parts:
            as_its_source(func, args, made)
        makes = self._makes.get(func)
        if makes is None:
            makes = self._makes[func] = makes_storages(func)
        if makes:
            self._enter(made, func)
        lays = self._lays.get(func)
        if lays is None:
            lays = self._lays[func] = lays_out(func)
        for place, name in lays:
            self._enter(args[place] if place < len(args) else kwargs.get(name), func)
        return made

    def operate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What an operator returns for fake tensors, not by way of C++ and back; nothing is entered."""
        fakes = _unset_mode(_FAKE)
        try:
            return self.fake.dispatch(func, (), args, kwargs)
        finally:
            _set_mode(fakes)

    # --- What effects and placements use ------------------------------------------------------

    def hold(
        self,
        num_bytes: int,
        what: str,
        *,
        device: int = 0,
        stream: int | None = None,
        kind: str = WORKSPACE,
    ) -> int:
        """An allocation without a tensor; its id."""
        entry = self.entries.add(self.origins.here(what), num_bytes, (), "", kind)
        self._held[entry] = what
        now = self._held_now[what] = self._held_now.get(what, 0) + num_bytes
        self.held_peaks[what] = max(now, self.held_peaks.get(what, 0))
        self._alloc(device, entry, num_bytes, self.stream if stream is None else stream)
        return entry

    def release(self, entry: int, *, device: int = 0) -> None:
        """Give back what `hold` took."""
        self._held_now[self._held.pop(entry)] -= self.entries.num_bytes[entry]
        self._free(device, entry)

    @contextmanager
    def workspace(self, num_bytes: int, what: str, *, device: int = 0) -> Iterator[None]:
        """Bytes that an operator needs while it runs."""
        entry = self.hold(num_bytes, what, device=device) if num_bytes else None
        try:
            yield
        finally:
            if entry is not None:
                self.release(entry, device=device)

    def mark(self, tensors: Iterable[Any], kind: str, *, over: bool = False) -> None:
        """Say what tensors are for; a kind that is told already stays, unless `over`."""
        for tensor in tensors:
            entry = self.entry_of(tensor)
            if entry is not None:
                self.entries.tell(entry, kind, over=over)

    def entry_of(self, tensor: Any) -> int | None:
        """The entry of a tensor's storage, None where it has none."""
        if not isinstance(tensor, torch.Tensor):
            return None
        with _NoFunctions():
            found = self._live.get(tensor.untyped_storage()._cdata)
        return None if found is None else found[0]

    def living(self) -> list[int]:
        """Entries of all tensors alive now."""
        return [entry for entry, *_ in self._live.values()]

    def record(self, made: Any, operator: Any) -> None:
        """Enter storages that came about outside any operator, such as one that was moved."""
        with _NoFunctions():
            self._enter(made, operator)

    # --- Storages -----------------------------------------------------------------------------

    def _enter(self, made: Any, operator: Any) -> None:
        if isinstance(made, FakeTensor):
            self._enter_tensor(made, operator)
        elif isinstance(made, tuple | list):
            for each in made:
                self._enter(each, operator)

    def _enter_tensor(self, tensor: Any, operator: Any) -> None:
        device = tensor.fake_device
        if device.type != self.watched:
            if device.type == "cuda":
                told = where(operator, self.origins)
                raise NotSimulatedError(
                    f"{told} makes a tensor of a real device: it is not counted"
                )
            return
        storage = tensor.untyped_storage()
        found = self._live.get(storage._cdata)
        num_bytes = storage.nbytes()
        if found is None or self.entries.num_bytes[found[0]] != num_bytes:
            place = self._place(device.index or 0, operator)
            here, entry = self.origins.here(operator), None
            if num_bytes:
                entry = self.entries.add(here, num_bytes, tensor.shape, tensor.dtype, "")
            self._lay(storage, entry, place)

    def _place(self, index: int, operator: Any) -> int:
        if index >= len(self.events):
            told = where(operator, self.origins)
            raise NotSimulatedError(
                f"{told} asks for the device cuda:{index}, and there are {len(self.events)}: --devices"
            )
        return index

    def resized(self, storage: Any) -> None:
        """A storage of a device that is known has other bytes than before, and no operator said so."""
        key = storage._cdata
        found = self._live.get(key) or self._empty.get(key)
        if found is None:
            return
        before, place, _ = found
        table, num_bytes, entry = self.entries, storage.nbytes(), None
        if num_bytes:
            shape, dtype, kind = (), "", ""
            if before is not None:
                shape, dtype, kind = table.shapes[before], table.dtypes[before], table.kinds[before]
            here = self.origins.here("storage.resize_")
            entry = table.add(here, num_bytes, shape, dtype, kind)
        self._lay(storage, entry, place)

    def _lay(self, storage: Any, entry: int | None, place: int) -> None:
        """A storage takes what its entry says, None nothing; what it had goes once that is copied."""
        key = storage._cdata
        before = self._live.pop(key, None)
        emptied = self._empty.pop(key, None)
        told = weakref.ref(storage, partial(self._gone, key))
        if entry is None:
            last = before or emptied
            self._empty[key] = (None if last is None else last[0], place, told)
        else:
            self._live[key] = (entry, place, told)
            self._alloc(place, entry, self.entries.num_bytes[entry], self.stream)
        if before is not None:
            self._free(place, before[0])

    def _gone(self, key: int, _: Any) -> None:
        self._empty.pop(key, None)
        found = self._live.pop(key, None)
        if found is not None:
            self._free(found[1], found[0])

    def _alloc(self, device: int, entry: int, num_bytes: int, stream: int) -> None:
        self.live_bytes[device] += self._counted(num_bytes)
        self.events[device].alloc(entry, num_bytes, stream)

    def _free(self, device: int, entry: int) -> None:
        self.live_bytes[device] -= self._counted(self.entries.num_bytes[entry])
        self.events[device].free(entry)

    def _counted(self, num_bytes: int) -> int:
        return num_bytes if self.watched == "cpu" else -(-num_bytes // 512) * 512
