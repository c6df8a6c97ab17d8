"""One phase: name and inputs, synchronize and read, reset, run, synchronize and read, keep (C1)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fiche.measure.protocol.seen import tensors_seen

if TYPE_CHECKING:
    from types import TracebackType

    from fiche.measure.protocol.recorder import Recorder

Function = TypeVar("Function", bound=Callable[..., Any])


class Phase:
    """A context manager, a decorator, or by hand: `begin`, then `end` or `fail`.

    Inside a whole loop it is passive: it neither synchronizes nor resets, and gives the loop its name
    and dimensions (C8).
    """

    def __init__(self, recorder: Recorder, name: str, ordering: str, **given: Any) -> None:
        self._recorder = recorder
        self._given = given
        self.name = name
        self.ordering = ordering
        self.covers: list[str] = list(given["covers"])
        self.forced_pass: str | None = given["pass_"]
        self.check: Callable[[Any], bool] | None = given["check"]
        self.declared: dict[str, int] = dict(given["declared"])
        self.ran: dict[str, int] = {}
        self.tensors: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self._result: Any = None
        self._has_result = False

    def begin(self) -> Phase:
        """Steps 1 to 3: note the inputs, synchronize and read, reset the peaks.

        Raises:
            OSError: the journal cannot be written.
            Exception: what the synchronization raised; earlier work failed, and the record says so.
        """
        self._recorder.begin(self)
        return self

    def end(self) -> None:
        """Steps 5 and 6 after a success.

        Raises:
            Exception: what the synchronization raised; the phase is kept as a failure.
        """
        self._recorder.end(self, None)

    def fail(self, error: BaseException) -> None:
        """Steps 5 and 6 after an exception, which the caller goes on to raise (C11)."""
        self._recorder.end(self, error)

    def executed(self, **dimensions: int) -> None:
        """What really ran, after tokenizing, padding, grouping, resizing: only this counts (A3)."""
        self.ran.update({name: int(length) for name, length in dimensions.items()})

    def saw(self, **tensors: Any) -> None:
        """Note shapes, dtypes and places of tensors that were executed."""
        self.tensors.extend(tensors_seen(tensors))

    def note(self, **words: Any) -> None:
        """Keep further words beside the phase, ready for JSON: no reader takes them for a reading."""
        self.notes.update(words)

    def output(self, passed: bool, method: str) -> None:
        """Say whether the output was right, and how that was looked at (C14)."""
        self.checks.append({"status": "checked", "passed": bool(passed), "method": method[:500]})

    def result(self, value: Any) -> None:
        """Hand over what `check` looks at once the phase has been read: outside the measured period."""
        self._result, self._has_result = value, True

    def checked(self) -> None:
        """Run the check on the result, and let go of it."""
        if self.check is not None and self._has_result:
            method = getattr(self.check, "__name__", "check").strip("_").replace("_", " ")
            try:
                self.output(bool(self.check(self._result)), method)
            except Exception as error:  # noqa: BLE001 - a check that raises has not passed
                self.output(False, f"{method} raised {type(error).__name__}: {error}")
        self._result = None

    def __enter__(self) -> Phase:
        return self.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.end()
        else:
            self.fail(error)

    def __call__(self, function: Function) -> Function:
        """Every call of the function is a phase of its own; its result goes to the check."""

        @functools.wraps(function)
        def phased(*args: Any, **kwargs: Any) -> Any:
            with Phase(self._recorder, self.name, self.ordering, **self._given) as phase:
                returned = function(*args, **kwargs)
                phase.result(returned)
            return returned

        return phased  # type: ignore[return-value]


def start_of(
    phase: Phase, index: int, passed: str, case: str, parent: int | None
) -> dict[str, Any]:
    """What the journal says before the phase runs."""
    told: dict[str, Any] = {
        "index": index,
        "name": phase.name,
        "pass": passed,
        "ordering": phase.ordering,
    }
    if phase.covers:
        told["covers"] = list(dict.fromkeys(phase.covers))
    if case:
        told["case"] = case
    if phase.declared:
        told["declared"] = dict(phase.declared)
    if parent is not None:
        told["parent"] = parent
    return told


def gathered(loop: Phase, inner: Phase) -> None:
    """A passive phase's words for the loop it ran in: the largest of each dimension, all that was seen."""
    for mine, its in ((loop.declared, inner.declared), (loop.ran, inner.ran)):
        for name, length in its.items():
            mine[name] = max(length, mine.get(name, length))
    known = {(seen["name"], tuple(seen["shape"]), seen["dtype"]) for seen in loop.tensors}
    for seen in inner.tensors:
        if (seen["name"], tuple(seen["shape"]), seen["dtype"]) not in known and len(
            loop.tensors
        ) < 64:
            loop.tensors.append(seen)
    loop.checks.extend(check for check in inner.checks if check not in loop.checks)
    loop.notes.update(inner.notes)


def check_of(checks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One check out of several: passed only where all did."""
    if not checks:
        return {"status": "not_checked"}
    methods = list(dict.fromkeys(check["method"] for check in checks))
    return {
        "status": "checked",
        "passed": all(check["passed"] for check in checks),
        "method": "; ".join(methods)[:500],
    }


def error_of(error: BaseException, surfaced: str) -> dict[str, Any]:
    """The exception as it was: its type by its full name, its whole message."""
    kind = type(error)
    module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    return {
        "type": f"{module}{kind.__qualname__}"[:500],
        "message": str(error)[:100_000],
        "surfaced": surfaced,
    }
