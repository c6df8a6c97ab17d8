"""A row of the table: what it applies to, what it says, where that was read, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiche.simulate.effects._gpu import Gpu


@dataclass(frozen=True)
class Effect:
    """One thing that CUDA does otherwise.

    - `operators`: `apply` stands around each of their calls; inside the other rows where it `stands_in` for the
      operator, and does not run it.
    - `composites`: operators that PyTorch takes apart before autograd; `compose` is what CUDA makes of them.
    - `kernels`: operators that PyTorch takes apart on other devices, and that are one kernel on CUDA.
    - `prepare` is called before a run begins.
    """

    name: str
    says: str
    source: str
    operators: tuple[str, ...] = ()
    apply: Callable[[Around], Any] | None = None
    stands_in: bool = False
    composites: tuple[str, ...] = ()
    compose: Callable[..., Any] | None = None
    kernels: tuple[str, ...] = ()
    prepare: Callable[[], object] | None = None


@dataclass
class Tally:
    """How often a row applied in a run, and what it keeps between calls."""

    row: Effect
    count: int = 0
    kept: dict[Any, int] = field(default_factory=dict)

    def note(self) -> None:
        """The row applied."""
        self.count += 1


class Around:
    """One call of an operator, with the card it runs on. What is taken here is on its device and stream."""

    __slots__ = ("_call", "_run", "gpu", "tally")

    def __init__(self, call: Any, run: Callable[[], Any], gpu: Gpu, tally: Tally) -> None:
        self._call = call
        self._run = run
        self.gpu = gpu
        self.tally = tally

    @property
    def func(self) -> Any:
        """The operator."""
        return self._call.func

    @property
    def args(self) -> Any:
        """Its positional arguments."""
        return self._call.args

    @property
    def kwargs(self) -> Any:
        """Its named arguments."""
        return self._call.kwargs

    def argument(self, place: int, name: str, usual: Any = None) -> Any:
        """An argument given by place or by name."""
        args = self._call.args
        return args[place] if len(args) > place else self._call.kwargs.get(name, usual)

    def device(self) -> int | None:
        """The device of the first tensor, None on the host."""
        found: int | None = self._call.device()
        return found

    def run(self) -> Any:
        """The operator itself; its results are entered in the ledger."""
        return self._run()

    def run_other(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Another operator in its place; its results are entered in the ledger."""
        self.tally.note()
        made = func(*args, **kwargs)
        self._call.ledger.record(made, self._call.func)
        return made

    def run_unentered(self) -> Any:
        """The operator itself, its results not entered: `enter` says which CUDA takes."""
        return self._call.func(*self._call.args, **self._call.kwargs)

    def enter(self, made: Any) -> None:
        """These results take memory of the device."""
        self._call.ledger.record(made, self._call.func)

    @contextmanager
    def workspace(self, *num_bytes: int) -> Iterator[None]:
        """Buffers of so many bytes that are alive together while the operator runs."""
        device = self.device()
        ledger, name = self._call.ledger, self.tally.row.name
        held = []
        if device is not None and any(num_bytes):
            self.tally.note()
            held = [ledger.hold(each, name, device=device) for each in num_bytes if each]
        try:
            yield
        finally:
            for entry in reversed(held):
                ledger.release(entry, device=device)

    def keep(self, key: Any, num_bytes: int) -> None:
        """A buffer that stays until the process ends, taken once for each key on each device and stream."""
        device = self.device()
        ledger = self._call.ledger
        place = (key, device, ledger.stream)
        if device is None or not num_bytes or place in self.tally.kept:
            return
        self.tally.note()
        self.tally.kept[place] = ledger.hold(num_bytes, self.tally.row.name, device=device)


def in_backward() -> bool:
    """True while the autograd engine runs: on CUDA that is a thread of its own."""
    import torch

    return bool(torch._C._current_graph_task_id() != -1)


def rounded_up(value: int, multiple: int) -> int:
    """The least multiple that is not smaller."""
    return -(-value // multiple) * multiple


def ceiling(value: int, divisor: int) -> int:
    """Divided, rounded up."""
    return -(-value // divisor)


def first_of(values: Any) -> Any:
    """The first tensor among arguments, None where there is none."""
    import torch

    return next((each for each in values if isinstance(each, torch.Tensor)), None)


def bytes_of(tensor: Any) -> int:
    """What a contiguous copy of a tensor takes."""
    return int(tensor.numel()) * int(tensor.element_size())
