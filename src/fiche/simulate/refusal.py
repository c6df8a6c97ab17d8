"""A program that fake tensors cannot run, as one sentence that names the operator and the line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiche.simulate.ledger.origins import Origins

_STAND_IN = re.compile(r"\blazy(?=:\d|\b)")
_DEPENDS = "its result hangs on the values of a tensor, and a simulation has none"
_SHAPE = "how much it returns hangs on the values of a tensor, and a simulation has none"
_UNKNOWN = (
    "PyTorch does not know what it returns without running it; a custom operator needs a fake "
    "implementation (torch.library.register_fake)"
)
_REASONS = {
    "DataDependentOutputException": _DEPENDS,
    "DynamicOutputShapeException": _SHAPE,
    "UnsupportedOperatorException": _UNKNOWN,
    "UnsupportedFakeTensorException": "fake tensors do not support it",
    "GuardOnDataDependentSymNode": _DEPENDS,
}


class NotSimulatedError(Exception):
    """The model cannot be simulated; the text is one sentence that names the operator."""


def refusal_of(error: Exception, func: object, origins: Origins) -> NotSimulatedError | None:
    """The refusal that an exception of fake tensors means; None for one of the program's own."""
    if isinstance(error, NotSimulatedError):
        return error
    why = _REASONS.get(type(error).__name__)
    if why is None and isinstance(error, NotImplementedError):
        why = _UNKNOWN
    if why is None:
        return None
    operator = getattr(error, "func", None) or func
    return NotSimulatedError(f"{where(operator, origins)} cannot be simulated: {why}")


def show_cuda(error: Exception) -> None:
    """An error of the program speaks of the device as the program knows it, not as what stands in for it."""
    text = str(error)
    if _STAND_IN.search(text):
        error.args = (_STAND_IN.sub("cuda", text), *error.args[1:])


def where(operator: object, origins: Origins) -> str:
    """An operator with the line that calls it and the module that runs, as far as they are known."""
    place = origins.here(operator)
    line = f" at {shortened(place.file)}:{place.line}" if place.file else ""
    module = f" in {place.module}" if place.module else ""
    return (
        f"the operator {operator}, called{line}{module},"
        if line + module
        else f"the operator {operator}"
    )


def shortened(file: str) -> str:
    """A file as people know it: behind `site-packages`, or from the current folder on, else its name."""
    path = Path(file)
    if "site-packages" in path.parts:
        behind = len(path.parts) - path.parts[::-1].index("site-packages")
        return str(Path(*path.parts[behind:]))
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else path.name
