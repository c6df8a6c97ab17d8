"""Reserved and requested memory of a device over its recorded window, as a picture's geometry.

All in whole thousandths of the picture's width. The two peaks are marked apart, each with its own
instant, since the peak of one level says nothing of the other's (C4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from fiche.kernel.piece import Reading
from fiche.report import numbers
from fiche.report.parts import Curve, Peak, Tick, Timeline

HEIGHT = 400
LEFT, RIGHT, TOP, BOTTOM = 90, 980, 78, 340
_KIND = "torch_snapshot"
_LEVELS = ("reserved", "requested")
_MOST_STEPS = 5
_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
# An end of a label this near to the picture's edge would be cut.
_NEAR = 300
_Told = Mapping[str, Any]


def timelines(
    reading: Reading, name: str, words: Mapping[str, str], how: numbers.Style = numbers.PAGE
) -> tuple[Timeline, ...]:
    """A picture a device that has a trace; `name` begins the ids, `words` are a language's phrases."""
    if reading.kind != _KIND:
        return ()  # other formats tell other things under the same keys
    devices = {told["device"]: told for told in _listed(reading, "devices")}
    return tuple(
        _timeline(line, devices[line["device"]], f"{name}-{line['device']}", words, how)
        for line in _listed(reading, "timeline")
        if line["device"] in devices and line["reserved"]
    )


def _listed(reading: Reading, key: str) -> Sequence[_Told]:
    return cast("Sequence[_Told]", reading.further.get(key, ()))


def _timeline(
    line: _Told, device: _Told, name: str, words: Mapping[str, str], how: numbers.Style
) -> Timeline:
    timed = device["window_us"] is not None and None not in line["us"]
    starts = (
        list(line["us"]) if timed else [n * line["entries_a_point"] for n in range(len(line["us"]))]
    )
    end = max(device["window_us"] if timed else device["entries"] - 1, 1, *starts)
    shown = [level for level in _LEVELS if line[level] is not None]
    top = max(1, *(value for level in shown for value in line[level]))
    unit, factor = next((u for u in _UNITS if top >= u[1]), _UNITS[-1])
    step = _step(Fraction(top, factor), _MOST_STEPS)
    whole = factor * step * -(-Fraction(top, factor) // step)
    peaks = [
        _peak(device[f"{level}_peak"], level, end, (whole, unit), words, how, timed=timed)
        for level in shown
    ]
    return Timeline(
        id=name,
        title=words["timeline_title"].format(device=line["device"]),
        across=words["timeline_seconds" if timed else "timeline_entries"],
        up=unit,
        xs=tuple(_across(end, how, timed=timed)),
        ys=tuple(
            Tick(at=_y(n * step * factor, whole), label=_plain(n * step, how))
            for n in range(int(whole / factor / step) + 1)
        ),
        curves=tuple(
            Curve(
                kind=level,
                label=words[f"timeline_{level}"],
                points=tuple(_steps(starts, end, line[level], whole)),
            )
            for level in shown
        ),
        peaks=tuple(peaks),
        said="; ".join(peak.label for peak in peaks),
    )  # fmt: skip


def _peak(
    told: _Told,
    level: str,
    end: int,
    scale: tuple[Fraction, str],
    words: Mapping[str, str],
    how: numbers.Style,
    *,
    timed: bool,
) -> Peak:
    whole, unit = scale
    at = (told["us"] if timed else max(told["entry"], 0)) or 0
    instant = seconds(at, how) if timed else words["timeline_entry"].format(n=at)
    x = _x(at, end)
    return Peak(
        kind=level,
        x=x,
        y=_y(told["bytes"], whole),
        label=words["timeline_peak"].format(
            level=words[f"timeline_{level}"],
            amount=numbers.memory(told["bytes"], unit, how),
            instant=instant,
        ),
        anchor="start" if x < _NEAR else "end" if x > 1000 - _NEAR else "middle",
    )


def _x(at: int, end: int) -> int:
    return LEFT + (RIGHT - LEFT) * at // end


def _y(value: Fraction | int, whole: Fraction) -> int:
    return BOTTOM - int((BOTTOM - TOP) * Fraction(value) / whole)


def _steps(
    starts: Sequence[int], end: int, values: Sequence[int], whole: Fraction
) -> Iterator[tuple[int, int]]:
    """A level keeps its height until the next stretch begins."""
    for place, value in enumerate(values):
        until = starts[place + 1] if place + 1 < len(starts) else end
        y = _y(value, whole)
        yield _x(starts[place], end), y
        yield _x(until, end), y


def _across(end: int, how: numbers.Style, *, timed: bool) -> Iterator[Tick]:
    factor = 1_000_000 if timed else 1
    step = _step(Fraction(end, factor), _MOST_STEPS + 1)
    if not timed:
        step = max(step, Fraction(1))
    for n in range(int(Fraction(end, factor) / step) + 1):
        yield Tick(at=_x(int(n * step * factor), end), label=_plain(n * step, how))


def _step(most: Fraction, steps: int) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten of which `steps` reach `most`."""
    power = Fraction(1, 10**9)
    while power * 10 * steps < most:
        power *= 10
    return next(power * n for n in (1, 2, 5, 10) if power * n * steps >= most)


def _plain(value: Fraction, how: numbers.Style) -> str:
    decimals = next(n for n in range(12) if (value * 10**n).denominator == 1)
    return numbers.rounded(value, decimals, how)


def seconds(us: int, how: numbers.Style = numbers.TERMINAL) -> str:
    """Microseconds in seconds: to the thousandth, and exactly below one second."""
    told = Fraction(us, 1_000_000)
    return (numbers.rounded(told, 3, how) if told >= 1 else _plain(told, how)) + how.space + "s"
