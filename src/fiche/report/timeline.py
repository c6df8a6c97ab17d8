"""Levels of a device over a window, as a picture's geometry: a recorded window's, or a simulation's.

All in whole thousandths of the picture's width. The peaks are marked apart, each with its own
instant, since the peak of one level says nothing of the other's (C4). Phases, or the labels that a program
put beside its trace, are bands: named where their name has room, numbered and listed where not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from fiche.kernel.piece import Reading
from fiche.kernel.record import record
from fiche.kernel.said import listed
from fiche.kernel.simulation import ALLOCATED, RESERVED, Simulation
from fiche.report import numbers
from fiche.report._bands import bands_of, innermost, keys_of
from fiche.report.parts import Curve, Peak, Tick, Timeline
from fiche.report.scale import plain, step, unit_of

HEIGHT = 400
LEFT, RIGHT, TOP, BOTTOM = 90, 980, 78, 340
# Names of bands stand in a row of their own above the levels.
HEAD = 24
_KIND = "torch_snapshot"
_LEVELS = ("reserved", "requested")
_MOST_STEPS = 5
# An end of a label this near to the picture's edge would be cut.
_NEAR = 300
_Told = Mapping[str, Any]


@record
class Level:
    """One level of a window: its value from each start on, and its peak with the words of its instant."""

    kind: str
    starts: Sequence[int]
    values: Sequence[int]
    peak: int
    at: int
    instant: str


@record
class Window:
    """What is drawn: levels over `end` steps (microseconds where `timed`), and named stretches of them."""

    title: str
    across: str
    end: int
    timed: bool
    levels: tuple[Level, ...]
    stretches: tuple[tuple[str, int, int], ...] = ()


def timelines(
    reading: Reading, name: str, words: Mapping[str, str], how: numbers.Style = numbers.PAGE
) -> tuple[Timeline, ...]:
    """A picture a device that has a window; `name` begins the ids, `words` are a language's phrases."""
    if reading.simulation is not None:
        told = reading.simulation
        drawn = _of_simulation(told, words)
        return (
            (_timeline(drawn, f"{name}-{told.window.device_index}", words, how),) if drawn else ()
        )
    if reading.kind != _KIND:
        return ()  # other formats tell other things under the same keys
    devices = {told["device"]: told for told in _listed(reading, "devices")}
    return tuple(
        _timeline(
            _of_trace(line, devices[line["device"]], words, how),
            f"{name}-{line['device']}",
            words,
            how,
        )
        for line in _listed(reading, "timeline")
        if line["device"] in devices and line["reserved"]
    )


def _listed(reading: Reading, key: str) -> Sequence[_Told]:
    return cast("Sequence[_Told]", reading.further.get(key, ()))


# --- What is drawn --------------------------------------------------------------------------------


def _of_trace(line: _Told, device: _Told, words: Mapping[str, str], how: numbers.Style) -> Window:
    timed = device["window_us"] is not None and None not in line["us"]
    starts = (
        list(line["us"]) if timed else [n * line["entries_a_point"] for n in range(len(line["us"]))]
    )
    levels = []
    for kind in (level for level in _LEVELS if line[level] is not None):
        told = device[f"{kind}_peak"]
        at = (told["us"] if timed else max(told["entry"], 0)) or 0
        instant = seconds(at, how) if timed else words["timeline_entry"].format(n=at)
        levels.append(
            Level(
                kind=kind,
                starts=starts,
                values=line[kind],
                peak=told["bytes"],
                at=at,
                instant=instant,
            )
        )
    labels = line.get("labels", ()) if timed else ()
    return Window(
        title=words["timeline_title"].format(device=line["device"]),
        across=words["timeline_seconds" if timed else "timeline_entries"],
        end=max(device["window_us"] if timed else device["entries"] - 1, 1, *starts),
        timed=timed,
        levels=tuple(levels),
        stretches=innermost([(one["name"], one["from_us"], one["to_us"]) for one in labels]),
    )


def _of_simulation(told: Simulation, words: Mapping[str, str]) -> Window | None:
    """Levels over the allocator's events; None where there is no event."""
    drawn = told.window
    levels = tuple(
        _computed(kind, points, words)
        for kind, points in ((RESERVED, drawn.reserved), (ALLOCATED, drawn.allocated))
        if points
    )
    if not levels:
        return None
    last = [one.starts[-1] for one in levels] + [one.to_event for one in drawn.stretches]
    return Window(
        title=words["simulated_window"].format(device=drawn.device_index),
        across=words["timeline_events"],
        end=max(1, *last),
        timed=False,
        levels=levels,
        stretches=innermost(
            [
                (one.name.replace("_", " "), one.from_event, one.to_event + 1)
                for one in drawn.stretches
            ]
        ),
    )


def _computed(kind: str, points: Sequence[tuple[int, int]], words: Mapping[str, str]) -> Level:
    at, peak = max(points, key=lambda point: point[1])
    return Level(
        kind=kind,
        starts=[event for event, _ in points],
        values=[value for _, value in points],
        peak=peak,
        at=at,
        instant=words["timeline_event"].format(n=at),
    )


# --- The picture ----------------------------------------------------------------------------------


def _timeline(drawn: Window, name: str, words: Mapping[str, str], how: numbers.Style) -> Timeline:
    top = max(1, *(value for level in drawn.levels for value in level.values))
    unit, factor = unit_of(top)
    apart = step(Fraction(top, factor), _MOST_STEPS)
    whole = factor * apart * -(-Fraction(top, factor) // apart)
    frame = _Frame(end=drawn.end, whole=whole, top=TOP + (HEAD if drawn.stretches else 0))
    bands = bands_of(drawn.stretches, frame.x)
    peaks = tuple(_peak(level, frame, unit, words, how) for level in drawn.levels)
    return Timeline(
        id=name,
        title=drawn.title,
        across=drawn.across,
        up=unit,
        xs=tuple(_across(drawn, frame, how)),
        ys=tuple(
            Tick(at=frame.y(n * apart * factor), label=plain(n * apart, how))
            for n in range(int(whole / factor / apart) + 1)
        ),
        curves=tuple(
            Curve(
                kind=level.kind,
                label=words[f"timeline_{level.kind}"],
                points=tuple(_steps(level, frame)),
            )
            for level in drawn.levels
        ),
        peaks=peaks,
        said=listed((peak.label for peak in peaks), "; "),
        bands=bands,
        keys=keys_of(bands),
    )


@record
class _Frame:
    """Where steps and bytes stand in the picture."""

    end: int
    whole: Fraction
    top: int

    def x(self, at: int) -> int:
        """Across."""
        return LEFT + (RIGHT - LEFT) * min(at, self.end) // self.end

    def y(self, value: Fraction | int) -> int:
        """Down."""
        return BOTTOM - int((BOTTOM - self.top) * Fraction(value) / self.whole)


def _peak(
    level: Level, frame: _Frame, unit: str, words: Mapping[str, str], how: numbers.Style
) -> Peak:
    x = frame.x(level.at)
    return Peak(
        kind=level.kind,
        x=x,
        y=frame.y(level.peak),
        label=words["timeline_peak"].format(
            level=words[f"timeline_{level.kind}"],
            amount=numbers.memory(level.peak, unit, how),
            instant=level.instant,
        ),
        anchor="start" if x < _NEAR else "end" if x > 1000 - _NEAR else "middle",
    )


def _steps(level: Level, frame: _Frame) -> Iterator[tuple[int, int]]:
    """A level keeps its height until the next stretch begins."""
    for place, value in enumerate(level.values):
        last = place + 1 == len(level.starts)
        y = frame.y(value)
        yield frame.x(level.starts[place]), y
        yield frame.x(frame.end if last else level.starts[place + 1]), y


def _across(drawn: Window, frame: _Frame, how: numbers.Style) -> Iterator[Tick]:
    factor = 1_000_000 if drawn.timed else 1
    apart = step(Fraction(drawn.end, factor), _MOST_STEPS + 1)
    if not drawn.timed:
        apart = max(apart, Fraction(1))
    for n in range(int(Fraction(drawn.end, factor) / apart) + 1):
        yield Tick(at=frame.x(int(n * apart * factor)), label=plain(n * apart, how))


def seconds(us: int, how: numbers.Style = numbers.TERMINAL) -> str:
    """Microseconds in seconds: to the thousandth, and exactly below one second."""
    told = Fraction(us, 1_000_000)
    return (numbers.rounded(told, 3, how) if told >= 1 else plain(told, how)) + how.space + "s"
