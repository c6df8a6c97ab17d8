"""The rows made ready for one run: looked up by operator, put in place before autograd, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from fiche.registry import members
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import Around, Effect, Tally

_STAND_IN = "Lazy"
_AUTOGRAD = "AutogradLazy"


class EffectTable:
    """What the ledger looks up (`operators`), and what stands in for composites while `installed`."""

    def __init__(self, effects: Mapping[str, Effect], gpu: Gpu) -> None:
        self.gpu = gpu
        self.tallies = [Tally(row) for row in effects.values()]
        self.operators: dict[Any, Callable[[Any], Any]] = {}
        for tally in sorted(self.tallies, key=lambda each: not each.row.stands_in):
            if tally.row.prepare is not None:
                tally.row.prepare()
            for name in tally.row.operators:
                self._stand_around(name, tally)

    def document(self, held: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """The rows that applied, with how often, and with the most bytes each held at once."""
        return tuple(
            {
                "name": tally.row.name,
                "says": str(tally.row.says),
                "source": str(tally.row.source),
                "count": tally.count,
                "peak_bytes": held.get(tally.row.name, 0),
            }
            for tally in self.tallies
            if tally.count
        )

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Within it composites are what CUDA makes of them, and CUDA's kernels are not taken apart."""
        library = torch.library.Library("aten", "IMPL")
        try:
            for tally in self.tallies:
                for name in tally.row.kernels:
                    _impl(library, name, _never, _STAND_IN)
                for name in tally.row.composites:
                    _impl(library, name, self._composed(name, tally), _AUTOGRAD)
            yield
        finally:
            library._destroy()

    def _stand_around(self, name: str, tally: Tally) -> None:
        operator = operator_of(name)
        if operator is None:
            return
        inner, apply, gpu = self.operators.get(operator), tally.row.apply, self.gpu

        def around(call: Any) -> Any:
            run = call.run if inner is None else lambda: inner(call)
            assert apply is not None
            return apply(Around(call, run, gpu, tally))

        self.operators[operator] = around

    def _composed(self, name: str, tally: Tally) -> Callable[..., Any]:
        operator, compose, gpu = operator_of(name), tally.row.compose, self.gpu
        usual = Usual(operator)

        def composed(*args: Any, **kwargs: Any) -> Any:
            assert compose is not None
            return compose(Composed(gpu, tally, usual), *args, **kwargs)

        return composed


class Usual:
    """An operator as PyTorch takes it apart on any device."""

    __slots__ = ("_operator", "name")

    def __init__(self, operator: Any) -> None:
        self._operator = operator
        self.name = str(operator)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        key = torch._C.DispatchKey.CompositeImplicitAutograd
        return self._operator._op_dk(key, *args, **kwargs)


class Composed:
    """The card, and the composite as it usually is, for a row that stands in for it."""

    __slots__ = ("gpu", "tally", "usual")

    def __init__(self, gpu: Gpu, tally: Tally, usual: Usual) -> None:
        self.gpu = gpu
        self.tally = tally
        self.usual = usual


def operator_of(name: str) -> Any:
    """`aten.mm.default` as an operator, None where this PyTorch has none of the name."""
    found: Any = torch.ops
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found


def _impl(library: Any, name: str, function: Callable[..., Any], key: str) -> None:
    operator = operator_of(name)
    if operator is not None:
        library.impl(operator, function, key)


def _never(*_: Any, **__: Any) -> Any:
    raise AssertionError("the ledger runs this operator")


def table_of(gpu: Gpu) -> EffectTable:
    """Every row, for a card."""
    rows = members("fiche.simulate.effects", Effect)
    return EffectTable({row.name: row for row in rows}, gpu)
