"""A program that fake tensors cannot run, as one sentence that names the operator and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiche.simulate.ledger.origins import Origins

_DEPENDS = "its result hangs on the values of a tensor, and a simulation has none"
_UNKNOWN = (
    "PyTorch does not know what shape it returns: a custom operator needs a fake implementation"
)
_REASONS = {
    "DataDependentOutputException": _DEPENDS,
    "DynamicOutputShapeException": "how much it returns hangs on the values of a tensor, and a simulation has none",
    "UnsupportedOperatorException": _UNKNOWN,
    "UnsupportedFakeTensorException": "fake tensors do not support it",
    "GuardOnDataDependentSymNode": _DEPENDS,
}


class NotSimulatedError(Exception):
    """The model cannot be simulated; the text is one sentence that names the operator."""


def refusal_of(error: Exception, func: Any, origins: Origins) -> NotSimulatedError | None:
    """The refusal that an exception of fake tensors means; None for one of the program's own."""
    if isinstance(error, NotSimulatedError):
        return error
    why = _REASONS.get(type(error).__name__)
    if why is None and isinstance(error, NotImplementedError):
        why = _UNKNOWN
    if why is None:
        return None
    operator = getattr(error, "func", None) or func
    place = origins.here(operator)
    where = f" at {place.file}:{place.line}" if place.file else ""
    module = f" in {place.module}" if place.module else ""
    return NotSimulatedError(
        f"the operator {operator} is called{where}{module}, and cannot be simulated: {why}"
    )
