"""One phase: name and inputs, synchronize and read, reset, run, synchronize and read, keep (C1)."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fiche.measure.protocol.seen import tensors_seen
from fiche.measure.protocol.words import (
    MisusedError,
    covered_words,
    dimension_words,
    noted_words,
    pass_word,
    phase_word,
    plain_text,
    text_word,
    verdict_word,
)

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
        self.name = phase_word(name)
        self.ordering = ordering
        self.covers = covered_words(given["covers"])
        self.forced_pass = pass_word(given["pass_"])
        self.check: Callable[[Any], Any] | None = given["check"]
        if self.check is not None and not callable(self.check):
            raise TypeError(f"check is a function of the result, not {type(self.check).__name__}")
        self.declared = dimension_words(given["declared"])
        self.ran: dict[str, int] = {}
        self.tensors: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.is_over = False
        self._has_begun = False
        self._result: Any = None
        self._has_result = False

    def begin(self) -> Phase:
        """Steps 1 to 3: note the inputs, synchronize and read, reset the peaks.

        Raises:
            MisusedError: the phase has begun before, or a CUDA graph is being captured.
            OSError: the journal cannot be written.
            Exception: what the synchronization raised; earlier work failed, and the record says so.
        """
        if self._has_begun:
            raise MisusedError(
                f"this phase {self.name} has begun before: make another for another run of it"
            )
        self._recorder.begin(self)
        return self

    def take_off(self) -> None:
        """Note that it runs: an object is one phase, and what it was told belongs to that one."""
        self._has_begun = True

    def end(self) -> None:
        """Steps 5 and 6 after a success.

        Raises:
            MisusedError: it is not the innermost phase that runs.
            OSError: the journal cannot be written.
            Exception: what the synchronization raised; the phase is kept as a failure.
        """
        self._recorder.end(self, None)

    def fail(self, error: BaseException) -> None:
        """Steps 5 and 6 after an exception, which the caller goes on to raise (C11).

        Raises:
            TypeError: it is no exception.
        """
        if not isinstance(error, BaseException):
            raise TypeError(f"a phase fails with an exception, not {plain_text(error, 60)!r}")
        self._recorder.end(self, error)

    def executed(self, **dimensions: int) -> None:
        """What really ran, after tokenizing, padding, grouping, resizing: only this counts (A3).

        Raises:
            TypeError: a dimension is no whole number: none is rounded.
            ValueError: a negative one, or no name of a dimension.
            MisusedError: the phase is over, and what it says is on disk.
        """
        self._still()
        self.ran.update(dimension_words(dimensions))

    def saw(self, **tensors: Any) -> None:
        """Note shapes, dtypes and places of tensors that were executed."""
        self._still()
        self.tensors.extend(tensors_seen(tensors))

    def note(self, **words: Any) -> None:
        """Keep further words beside the phase, as JSON: no reader takes them for a reading.

        Raises:
            TypeError: something that JSON has no form for.
            ValueError: not a number, or infinity.
        """
        self._still()
        self.notes.update(noted_words(words))

    def output(self, passed: bool, method: str) -> None:
        """Say whether the output was right, and how that was looked at (C14).

        Raises:
            TypeError: `passed` is neither true nor false.
            MisusedError: the phase is over.
        """
        self._still()
        told = verdict_word(passed)
        if told is None:
            raise TypeError(f"passed is True or False, not {plain_text(passed, 60)!r}")
        method = text_word("method", method, sys.maxsize)[:500]
        self.checks.append({"status": "checked", "passed": told, "method": method})

    def result(self, value: Any) -> None:
        """Hand over what `check` looks at once the phase has been read: outside the measured period."""
        self._still()
        self._result, self._has_result = value, True

    def checked(self) -> None:
        """Run the check on the result, and let go of it."""
        value, self._result = self._result, None
        if self.check is None or not self._has_result:
            return
        method = _named_check(self.check)
        try:
            told = self.check(value)
            passed = verdict_word(told)
        except Exception as error:  # noqa: BLE001 - a check that raises has not passed
            text = f"{method} raised {type(error).__name__}: {plain_text(error, 400)}"
            self.output(False, text)
            return
        if passed is None:
            self.output(False, f"{method} returned {plain_text(told, 100)}, neither True nor False")
        else:
            self.output(passed, method)

    def _still(self) -> None:
        if self.is_over:
            raise MisusedError(f"the phase {self.name} is over, and what it says is on disk")

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
        """Every call of the function is a phase of its own; its result goes to the check.

        Raises:
            TypeError: calling it only makes a coroutine or a generator, which runs after the phase.
        """
        if any(test(function) for test in _LATER):
            raise TypeError(
                "calling this function only makes a coroutine or a generator, which runs later: "
                "write `with rec.phase(...)` inside it"
            )

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
    message = plain_text(error, LONGEST_MESSAGE + 1)
    told: dict[str, Any] = {
        "type": f"{module}{kind.__qualname__}"[:500],
        "message": message[:LONGEST_MESSAGE],
        "surfaced": surfaced,
    }
    if len(message) > LONGEST_MESSAGE:
        told["extra"] = {
            "cut": f"the message is longer: these are its first {LONGEST_MESSAGE} letters"
        }
    return told


LONGEST_MESSAGE = 100_000
_LATER = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
)


def _named_check(check: Callable[[Any], Any]) -> str:
    name = plain_text(getattr(check, "__name__", "check"), 100).strip("_").replace("_", " ")
    return name or "check"
