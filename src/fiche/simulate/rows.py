"""The rows of what CUDA does, made ready for one run: looked up by operator or function, and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from fiche.simulate.ledger.ledger import Call, Ledger


@dataclass
class _Counted:
    row: Any
    count: int = 0

    def document(self, held: Mapping[str, int]) -> dict[str, Any]:
        """The row in the document, with how often it applied and the most bytes it held at once."""
        row = self.row
        return {
            "name": row.name,
            "says": row.says,
            "source": row.source,
            "count": self.count,
            "peak_bytes": held.get(row.name, 0),
        }


@dataclass
class Rows:
    """What the ledger and the facade look up; `autocast` is None where no rule of it is known."""

    operators: dict[Any, Callable[[Call], Any]] = field(default_factory=dict)
    functions: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    autocast: Any = None
    counted: list[_Counted] = field(default_factory=list)

    def document(self, ledger: Ledger) -> tuple[dict[str, Any], ...]:
        """The rows that applied."""
        return tuple(each.document(ledger.held_peaks) for each in self.counted if each.count)


def rows_of(effects: Mapping[str, Any], functions: Mapping[str, Any], autocast: Any) -> Rows:
    """Rows by what they apply to; an operator that this PyTorch lacks is left out."""
    rows = Rows(autocast=autocast)
    for row in effects.values():
        counted = _Counted(row)
        rows.counted.append(counted)
        for name in row.operators:
            operator = _found(torch.ops, name)
            if operator is not None:
                rows.operators[operator] = _operator(counted)
    for row in functions.values():
        counted = _Counted(row)
        rows.counted.append(counted)
        for name in row.functions:
            function = _found(torch, name.removeprefix("torch."))
            if function is not None:
                rows.functions[function] = _function(counted)
    return rows


def _operator(counted: _Counted) -> Callable[[Call], Any]:
    apply = counted.row.apply

    def applied(call: Call) -> Any:
        counted.count += 1
        return apply(call)

    return applied


def _function(counted: _Counted) -> Callable[..., Any]:
    apply = counted.row.apply

    def applied(facade: Any, function: Any, args: Any, kwargs: Any) -> Any:
        counted.count += 1
        return apply(facade, function, args, kwargs)

    return applied


def _found(root: Any, name: str) -> Any:
    found = root
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found
