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

from fiche.simulate.ledger.composites import (
    as_its_source,
    comes_whole,
    taken_apart,
)
from fiche.simulate.ledger.entries import EntryTable
from fiche.simulate.ledger.events import Events
from fiche.simulate.ledger.fakes import Fakes
from fiche.simulate.ledger.kinds import WORKSPACE
from fiche.simulate.ledger.origins import Origins
from fiche.simulate.ledger.values import ANSWERS, Values, tensors
from fiche.simulate.refusal import refusal_of, shortened, show_cuda

Applied = Callable[["Call"], Any]
_DEVICE = torch.ops.prim.device.default
# The first that is seen of `torch.tensor(...)`: what it returns was made out of sight.
_LIFTED = torch.ops.aten.lift_fresh.default
_ITEM = torch.ops.aten._local_scalar_dense.default
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
        self.inside = 0
        self._parts = 0
        self.values = Values() if rules == "cuda" else None
        self._effects = dict(effects or {})
        self._live: dict[int, tuple[int, Any]] = {}
        self._makes: dict[Any, bool] = {}
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
        kwargs = kwargs or {}
        if comes_whole(func):
            return self._of_parts(func, args, kwargs)
        known = None if self.values is None else self.values.known(func, args, kwargs)
        self.inside += 1
        try:
            with _NoFunctions():
                made = self._answered(func, args, known)
                if made is None:
                    made = self._run(func, args, kwargs)
                    if known is not None and self.values is not None:
                        self.values.follow(func, known, made)
        except Exception as error:
            refused = refusal_of(error, func, self.origins)
            if refused is None:
                show_cuda(error)
                raise
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
            makes = self._makes[func] = _makes_storages(func)
        if makes:
            self._enter(made, func)
        return made

    def operate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What an operator returns for fake tensors, not by way of C++ and back; nothing is entered."""
        fakes = _unset_mode(_FAKE)
        try:
            return self.fake.dispatch(func, (), args, kwargs)
        finally:
            _set_mode(fakes)

    def _answered(self, func: Any, args: Any, known: Any) -> Any:
        """What hangs on values, where they are known; None for all else."""
        if self.values is None or func not in ANSWERS:
            return None
        found = self.values.answered(func, known)
        if found is None:
            return self._assumed(args[0]) if func is _ITEM else None
        if not isinstance(found, torch.Tensor | tuple):
            return found
        device = next(tensors(args)).fake_device
        several = isinstance(found, tuple)
        made = tuple(self._with(each, device) for each in (found if several else (found,)))
        self._enter(made, func)
        return made if several else made[0]

    def _with(self, value: Any, device: Any) -> Any:
        """A tensor of the device that has these values."""
        shape, stride = value.shape, value.stride()
        made = torch.empty_strided(shape, stride, dtype=value.dtype, device=device)
        if self.values is not None:
            self.values.keep(made, value)
        return made

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
        return [entry for entry, _ in self._live.values()]

    def record(self, made: Any, operator: Any) -> None:
        """Enter storages that came about outside any operator, such as one that was moved."""
        with _NoFunctions():
            self._enter(made, operator)

    def _assumed(self, tensor: Any) -> float | None:
        """What `.item()` of a real number on the device is told: 0.0, and that it was asked is kept.

        Programs print a loss, or count overflows, where nothing that they allocate hangs on it. A whole
        number or a truth may decide a shape or a branch: it is not answered.
        """
        if not isinstance(tensor, FakeTensor) or tensor.constant is not None:
            return None
        if not tensor.dtype.is_floating_point or tensor.fake_device.type != self.watched:
            return None
        place = self.origins.here(_ITEM)
        line = f" ({shortened(place.file)}:{place.line})" if place.file else ""
        self.values_asked.setdefault(f"the value of a tensor{line}", "0.0")
        return 0.0

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
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._live:
            return
        num_bytes = storage.nbytes()
        if not num_bytes:
            return
        place = device.index or 0
        entry = self.entries.add(
            self.origins.here(operator), num_bytes, tensor.shape, tensor.dtype, ""
        )
        self._live[key] = (entry, weakref.ref(storage, partial(self._gone, key, place)))
        self._alloc(place, entry, num_bytes, self.stream)

    def _gone(self, key: int, place: int, _: Any) -> None:
        entry, _ref = self._live.pop(key)
        self._free(place, entry)

    def _alloc(self, device: int, entry: int, num_bytes: int, stream: int) -> None:
        self.live_bytes[device] += self._counted(num_bytes)
        self.events[device].alloc(entry, num_bytes, stream)

    def _free(self, device: int, entry: int) -> None:
        self.live_bytes[device] -= self._counted(self.entries.num_bytes[entry])
        self.events[device].free(entry)

    def _counted(self, num_bytes: int) -> int:
        return num_bytes if self.watched == "cpu" else -(-num_bytes // 512) * 512


class Call:
    """One call of an operator that an effect stands around."""

    __slots__ = ("args", "func", "kwargs", "ledger")

    def __init__(self, ledger: Ledger, func: Any, args: Any, kwargs: Any) -> None:
        self.ledger = ledger
        self.func = func
        self.args = args
        self.kwargs = kwargs

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The operator itself, its outputs entered; with the call's own arguments where none are given."""
        if not args and not kwargs:
            args, kwargs = self.args, self.kwargs
        made = self.ledger.operate(self.func, args, kwargs)
        self.ledger._enter(made, self.func)
        return made

    def on_device(self) -> bool:
        """True where the first tensor among the arguments is on a watched device."""
        return self.device() is not None

    def device(self) -> int | None:
        """The index of the device that the first tensor is on, None where it is on the host."""
        for each in tensors((*self.args, *self.kwargs.values())):
            found = each.fake_device
            return found.index or 0 if found.type == self.ledger.watched else None
        return None


def _makes_storages(func: Any) -> bool:
    """False for operators that return only what they were given: views, and changes in place."""
    if func is _LIFTED:
        return True
    returns = func._schema.returns
    return not returns or any(each.alias_info is None for each in returns)
