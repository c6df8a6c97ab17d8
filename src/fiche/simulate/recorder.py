"""The recorder of a simulated run: takes the calls of `fiche.recorder`, notes where phases begin and end."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace, TracebackType
from typing import Any

from fiche.kernel import simulation_notes
from fiche.measure.protocol import words
from fiche.simulate.ledger.kinds import INPUT
from fiche.simulate.ledger.ledger import Ledger


@dataclass
class Span:
    """One phase: its name, pass and dimensions, and its first and last event on each device."""

    name: str
    passed: str
    ordering: str
    order: int
    declared: dict[str, int]
    executed: dict[str, int] = field(default_factory=dict)
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    covers: tuple[str, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)


class SimulatedRecorder:
    """Phases of a program on fake tensors; nothing is written, and no check of a result is made."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.spans: list[Span] = []
        self.notes: list[str] = []
        places = [SimpleNamespace(index=i, place=f"cuda:{i}") for i in range(len(ledger.events))]
        self.devices = SimpleNamespace(all=places)
        self._seen: set[str] = set()

    def phase(
        self,
        name: str,
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> SimulatedPhase:
        """A phase, as `fiche.recorder` has it; a check is not made: values are unknown."""
        return SimulatedPhase(self, name, "phased", tuple(covers or ()), pass_, declared)

    def whole_loop(
        self,
        name: str = "loop",
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> SimulatedPhase:
        """The un-phased loop; phases inside it are phases all the same, for nothing disturbs them here."""
        return SimulatedPhase(self, name, "whole_loop", tuple(covers or ()), pass_, declared)

    def empty_cache(self) -> None:
        """The allocator's cache is given back."""
        for events in self.ledger.events:
            events.empty_cache()

    def begin(self, phase: SimulatedPhase) -> Span:
        """Open a span."""
        gc.collect()
        passed = phase.passed or ("later" if phase.name in self._seen else "first")
        self._seen.update((phase.name, *phase.covers))
        span = Span(
            name=phase.name,
            passed=passed,
            ordering=phase.ordering,
            order=len(self.spans),
            declared=dict(phase.declared),
            covers=phase.covers,
        )
        self.spans.append(span)
        for events in self.ledger.events:
            events.mark(f"begin {phase.name}")
            span.begins.append(len(events))
        return span

    def end(self, span: Span) -> None:
        """Close a span; what `inputs` leaves behind is input."""
        self.ledger.settle()
        if span.name == "inputs":
            for entry in self.ledger.living():
                self.ledger.entries.tell(entry, INPUT)
        for events in self.ledger.events:
            span.ends.append(len(events))
            events.mark(f"end {span.name}")

    def failed(self, span: Span, error: BaseException) -> None:
        """Close a span that raised; a program that goes on held what it held there all the same."""
        self.end(span)
        self.notes.append(simulation_notes.raised(span.name, type(error).__name__))

    def close(self) -> None:
        """The program is over: what was begun by hand and is not ended lasts to here.

        Raises:
            NotSimulatedError: one was raised, and the program went on with what it does not do on a GPU.
        """
        if self.ledger.refused is not None:
            raise self.ledger.refused
        for span in reversed([span for span in self.spans if not span.ends]):
            self.end(span)
            self.notes.append(simulation_notes.left_open(span.name))


class SimulatedPhase:
    """A context manager, a decorator, or by hand: the face of a recorder's phase."""

    def __init__(
        self,
        recorder: SimulatedRecorder,
        name: str,
        ordering: str,
        covers: tuple[str, ...],
        passed: str | None,
        declared: dict[str, int],
    ) -> None:
        # Refused as on a GPU: a document with such words could not be read.
        self._recorder = recorder
        self.name = words.phase_word(name)
        self.ordering = ordering
        self.covers = tuple(words.covered_words(covers))
        self.passed = words.pass_word(passed)
        self.declared = words.dimension_words(declared)
        self._span: Span | None = None

    def begin(self) -> SimulatedPhase:
        """It runs from here."""
        self._span = self._recorder.begin(self)
        return self

    def end(self) -> None:
        """It ran to here."""
        if self._span is not None:
            self._recorder.end(self._span)

    def fail(self, error: BaseException) -> None:
        """It ran to here and failed: so does the simulation, unless the program goes on."""
        if self._span is not None:
            self._recorder.failed(self._span, error)

    def executed(self, **dimensions: int) -> None:
        """Dimensions that ran."""
        if self._span is not None:
            self._span.executed.update(words.dimension_words(dimensions))

    def note(self, **told: Any) -> None:
        """Further facts."""
        if self._span is not None:
            self._span.notes.update(told)

    def saw(self, **tensors: Any) -> None:
        """Tensors of the phase; their shapes stand in the events already."""

    def output(self, passed: bool, method: str) -> None:
        """A check made by hand: its outcome would say nothing here."""

    def result(self, value: Any) -> None:
        """What a check would look at; it is not kept."""

    def __enter__(self) -> SimulatedPhase:
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

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Each call of the function is one run of the phase."""
        made = (self._recorder, self.name, self.ordering, self.covers, self.passed, self.declared)

        @functools.wraps(function)
        def phased(*args: Any, **kwargs: Any) -> Any:
            with SimulatedPhase(*made):
                return function(*args, **kwargs)

        return phased
