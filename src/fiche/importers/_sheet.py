"""What one log says, gathered in its order: observations, plans, facts, doubts; a series stays bounded."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fiche.importers._lazy import lazy
from fiche.importers._lines import Line
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Capacity, Failure, NotObserved, Observation, Printed, Reading, Result
from fiche.kernel.record import replace

# Of a longer series the first readings, the last one and the largest are kept.
MAX_SERIES = 200
MAX_ASIDE = 1_000
_MANY = 20_000
_DIGITS = lazy(r"[0-9]{1,30}")
_PLANS = frozenset({"estimated", "budget"})


@dataclass(slots=True)
class _Series:
    """The readings of one counter on one device by one speaker beyond the first `MAX_SERIES`."""

    count: int = 0
    last: Observation | None = None
    largest: Observation | None = None


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

    def _keep(self, kept: list[Observation], seen: Observation) -> None:
        mig = str(seen.marks.get("mig", "")), seen.marks.get("pid"), seen.marks.get("stage")
        # Labels that differ by a step's number are one series; of too many series the names no longer count.
        label = _DIGITS.sub("#", seen.label)
        whole = (seen.device_index, seen.rank, label, mig) if len(kept) < _MANY else ()
        key = (seen.counter, seen.stat, seen.scope, *whole)
        series = self._series.setdefault(key, _Series())
        series.count += 1
        if series.count <= MAX_SERIES:
            kept.append(seen)
            return
        series.last = seen
        if series.largest is None or _height(seen) > _height(series.largest):
            series.largest = seen

    def plan(self, at: Line | Pointer, text: str, reason: str) -> None:
        """Note words that look like evidence and are none."""
        if len(self.aside) < MAX_ASIDE:
            self.aside.append(NotObserved(pointer=self.place(at), text=text[:400], reason=reason))
        else:
            self.warn(
                f"aside_shortened: only the first {MAX_ASIDE} texts that are no evidence are listed"
            )

    def fact(self, at: Line | Pointer, path: str, value: str) -> None:
        """Note a scope fact that the file states; the first word counts, another one is a doubt.

        The name that a device gives itself is `device` (`devices.0.name` of one among several): `gpu` is the
        id of a card of the catalog, which no program prints. torch's version is `framework.version`.
        """
        assert path != "gpu", "a printed name is no card of the catalog: use `device`"
        known = self.facts.get(path)
        if known is None:
            self.facts[path] = Fact(value=value, address=self.place(at))
        elif known.value != value:
            self.warn(
                f"facts_differ: {path} is {known.value} at first and {value} later: several runs may "
                "be in this file"
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
            facts=dict(self.facts),
            counters=dict(self.counters),
            further=dict(self.further),
            warnings=tuple(self.warnings),
            duplicate_messages=self.duplicate_messages,
        )

    def _close(self) -> None:
        """Add the last and the largest of each long series, and say how long it was."""
        told: dict[str, int] = {}
        for series in self._series.values():
            if series.last is None or series.largest is None:
                continue
            chosen = self.planned if series.last.kind_of_origin in _PLANS else self.observations
            if series.largest is not series.last:
                chosen.append(_marked(series.largest, "largest", series.count))
            chosen.append(_marked(series.last, "last", series.count))
            told[series.last.counter] = told.get(series.last.counter, 0) + series.count
        if told:
            self.further["series"] = told
            self.warn(
                f"series_shortened: of each long series the first {MAX_SERIES} readings, the largest of the "
                "others and the last are listed"
            )
        self._series.clear()


def _height(seen: Observation) -> int | Fraction:
    if seen.value is not None:
        return seen.value.low if seen.value.low is not None else -1
    return seen.number if seen.number is not None else -1


def _marked(seen: Observation, word: str, count: int) -> Observation:
    label = f"{seen.label}; " if seen.label else ""
    return replace(seen, label=f"{label}{word} of {count}")
