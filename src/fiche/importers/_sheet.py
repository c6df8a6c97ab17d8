"""What one log says, gathered in its order: observations, plans, facts, doubts; a series stays bounded."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fiche.importers._lines import Line
from fiche.importers._starts import Starts
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Capacity, Failure, NotObserved, Observation, Printed, Reading, Result
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.series import height

# Of a longer series the first readings, the extreme one and the last are kept.
MAX_SERIES = 200
MAX_ASIDE = 1_000
_MANY = 20_000
_DIGITS = lazy(r"[0-9]{1,30}")
_PLANS = frozenset({"estimated", "budget"})
_APART = ("pid", "stage", "speaker", "start")
# Processes of a server of which there is one: its number tells nothing apart.
_CORE = lazy(r"\((?:EngineCore|APIServer|ApiServer)")


@dataclass(slots=True)
class _Series:
    """The readings of one counter on one device by one speaker.

    `extreme` is the largest of all of them, of free memory the smallest; `listed` says that it is among the
    first `MAX_SERIES`, which are listed. `last` is None while no other exists.
    """

    count: int = 0
    last: Observation | None = None
    extreme: Observation | None = None
    listed: bool = True

    def take(self, seen: Observation) -> bool:
        """Count a reading; True where it is to be listed at once."""
        self.count += 1
        first = self.count <= MAX_SERIES
        if not first:
            self.last = seen
        if self.extreme is None or _beyond(seen, self.extreme):
            self.extreme, self.listed = seen, first
        return first

    def rest(self) -> list[Observation]:
        """What is listed behind the first ones: the extreme and the last, which says how many are not."""
        if self.last is None or self.extreme is None:
            return []
        apart = not self.listed and self.extreme is not self.last
        left_out = self.count - MAX_SERIES - 1 - apart
        last = replace(self.last, marks={**self.last.marks, "left_out": left_out})
        return [self.extreme, last] if apart else [last]


def _beyond(seen: Observation, other: Observation) -> bool:
    """True where a reading is the extreme one of the two; one without a figure never is."""
    here, there = height(seen), height(other)
    if here is None or there is None:
        return there is None and here is not None
    return here < there if seen.stat == "free" else here > there


@dataclass(slots=True)
class Sheet:
    """Gathers; `reading` closes. `sha256` is the digest of the file, for its pointers."""

    sha256: str
    observations: list[Observation] = field(default_factory=list)
    planned: list[Observation] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    aside: list[NotObserved] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    capacities: list[Capacity] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    further: dict[str, object] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    duplicate_messages: int = 0
    _series: dict[object, _Series] = field(default_factory=dict)
    _starts: Starts = field(init=False)

    def __post_init__(self) -> None:
        """Facts are those of the first start, until another one begins."""
        self._starts = Starts(self.facts)

    def begin(self, line: Line, first: int | None = None) -> None:
        """Note that the program starts anew on a line, or on the one before it with the number `first`."""
        self._starts.begin(first or line.number, line.speaker.service)

    def facts_at(self, line: Line) -> dict[str, Fact]:
        """What the start that a line belongs to has stated so far."""
        return self._starts.facts(line.speaker.service)

    def see(
        self,
        at: Line | Pointer,
        counter: str,
        value: Printed | int | Fraction | None,
        *,
        scope: str,
        stat: str,
        origin: str = "measured",
        unit: str = "",
        device_index: int | None = None,
        rank: int | str | None = None,
        label: str = "",
        window: str = "",
        marks: dict[str, Any] | None = None,
    ) -> None:
        """Note one figure: bytes as `Printed`, a plain number with its `unit`.

        Figures with the origin `estimated` or `budget` go to the plans. Without a `rank` the one that the
        line's prefix shows is taken; `marks` are the program's further words.
        """
        told = at.speaker.rank if isinstance(at, Line) and rank is None else rank
        if isinstance(at, Line):
            marks = self.marked(at, told, marks)
        seen = Observation(
            counter=counter,
            scope=scope,
            stat=stat,
            kind_of_origin=origin,
            pointer=self.place(at),
            value=value if isinstance(value, Printed) else None,
            number=None if isinstance(value, Printed) else value,
            unit=unit,
            device_index=device_index,
            rank=told,
            label=label,
            window=window,
            marks=marks or {},
        )
        if origin in _PLANS:
            self._keep(self.planned, seen)
        else:
            self._keep(self.observations, seen)

    def marked(
        self, line: Line, rank: int | str | None, marks: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The marks of a reading, with the speaker of its line beside the rank, and the start that it is of."""
        who, start = line.speaker, self._starts.at(line.speaker.service)
        if who.pid is not None and (rank is not None or _CORE.search(line.raw)):
            who = who._replace(pid=None, host=None)
        told: dict[str, Any] = {"speaker": who.name} if who.name else {}
        if start is not None:
            start.used, told["start"] = True, start.number
        return {**told, **(marks or {})}

    def _keep(self, kept: list[Observation], seen: Observation) -> None:
        marks = seen.marks
        mig = str(marks.get("mig", "")), *(marks.get(name) for name in _APART)
        # Labels that differ by a step's number are one series; of too many series the names no longer count.
        label = _DIGITS.sub("#", seen.label)
        whole = (seen.device_index, seen.rank, label, mig) if len(kept) < _MANY else ()
        key = (seen.counter, seen.stat, seen.scope, *whole)
        if self._series.setdefault(key, _Series()).take(seen):
            kept.append(seen)

    def plan(self, at: Line | Pointer, text: str, reason: str) -> None:
        """Note words that look like evidence and are none."""
        if len(self.aside) < MAX_ASIDE:
            self.aside.append(NotObserved(pointer=self.place(at), text=text[:400], reason=reason))
        else:
            self.warn(
                tell(
                    "aside_shortened: only the first {max_aside} texts that are no evidence are listed",
                    max_aside=MAX_ASIDE,
                )
            )

    def fact(self, at: Line | Pointer, path: str, value: str) -> None:
        """Note a scope fact that the file states; the first word counts, another one is a doubt.

        The name that a device gives itself is `device` (`devices.0.name` of one among several): `gpu` is the
        id of a card of the catalog, which no program prints. torch's version is `framework.version`.
        """
        assert path != "gpu", "a printed name is no card of the catalog: use `device`"
        facts = self.facts_at(at) if isinstance(at, Line) else self.facts
        known = facts.get(path)
        if known is None:
            facts[path] = Fact(value=value, address=self.place(at))
        elif known.value != value:
            self.warn(
                tell(
                    "facts_differ: {path} is {value} at first and {other} later: several runs may be "
                    "in this file",
                    path=path,
                    value=known.value,
                    other=value,
                )
            )

    def total(
        self,
        at: Line | Pointer,
        counter: str,
        value: Printed,
        device_index: int | None,
        name: str = "",
    ) -> None:
        """Note the total of a device as this machine printed it."""
        self.capacities.append(
            Capacity(
                counter=counter,
                value=value,
                device_index=device_index,
                pointer=self.place(at),
                device_name=name,
            )
        )

    def warn(self, text: str) -> None:
        """Note what a reader of the report should be told; once."""
        self.warnings.setdefault(text)

    def place(self, at: Line | Pointer) -> Pointer:
        """The pointer of a line of the log."""
        return at.pointer(self.sha256) if isinstance(at, Line) else at

    @property
    def empty(self) -> bool:
        """True where nothing was noted that a reading could hold."""
        return not (
            self.observations or self.planned or self.failures or self.aside or self.results
        )

    def reading(
        self, kind: str, shape: str, backend: str | None = None, version: str = ""
    ) -> Reading:
        """The reading of all that was noted, series closed."""
        self._close()
        return Reading(
            kind=kind,
            shape=shape,
            backend=backend,
            version=version,
            failures=tuple(self.failures),
            observations=tuple(self.observations),
            planned=tuple(self.planned),
            not_observed=tuple(self.aside),
            results=tuple(self.results),
            capacities=tuple(self.capacities),
            facts=self._starts.merged(),
            counters=dict(self.counters),
            further=dict(self.further),
            warnings=tuple(self.warnings),
            duplicate_messages=self.duplicate_messages,
        )

    def _close(self) -> None:
        """Add the extreme and the last of each long series, say how long it was; tell starts apart."""
        told: dict[str, int] = {}
        for series in self._series.values():
            for seen in series.rest():
                (self.planned if seen.kind_of_origin in _PLANS else self.observations).append(seen)
            if series.last is not None:
                counter = series.last.counter
                told[counter] = told.get(counter, 0) + series.count
        if told:
            self.further["series"] = told
            self.warn(
                tell(
                    "series_shortened: of each long series the first {max_series} readings, the largest "
                    "(of free memory the smallest) and the last are listed",
                    max_series=MAX_SERIES,
                )
            )
        self._series.clear()
        for text in self._starts.warnings():
            self.warn(text)
        if self._starts.told and not self._starts.again:
            self.observations = [_of_one_start(seen) for seen in self.observations]
            self.planned = [_of_one_start(seen) for seen in self.planned]


def _of_one_start(seen: Observation) -> Observation:
    """Where there is one start only, its number says nothing."""
    marks = {name: value for name, value in seen.marks.items() if name != "start"}
    return seen if len(marks) == len(seen.marks) else replace(seen, marks=marks)
