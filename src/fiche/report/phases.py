"""Both peaks of each phase of a record: allocated and reserved, each at an instant of its own (C3, C4).

Two bars of a phase stand side by side and never one on the other, for a peak says nothing of what the other
counter was at that instant. The line within a bar is the level at which the phase began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel.figure import Figure, Number
from fiche.kernel.piece import Piece
from fiche.kernel.readings import observations, observed
from fiche.kernel.record import record
from fiche.report import numbers
from fiche.report._capacity_words import plain
from fiche.report.desk import Desk, joined
from fiche.report.letters import LETTERS, uncut
from fiche.report.parts import (
    Drawing,
    Lettering,
    Part,
    Parts,
    Plate,
    Quoted,
    Sign,
    Stroke,
    Stroked,
    Swatch,
    Words,
)
from fiche.report.scale import marks

NARROW, WIDE, HEIGHT = 640, 1000, 190
LEFT, EDGE, TOP, BOTTOM = 62, 10, 30, 160
# So many phases stand in a narrow picture.
_FEW = 3
MOST_PHASES = 10
# A phase narrower than this has no room for two numbers.
_ROOM = 150
_BAR = 46
_TICKS = 4
_LEVELS = ("allocated", "reserved")
_Key = tuple[str, int | None]


@record
class Level:
    """One counter in one phase: the level it began at, and its peak; None where none was read."""

    start: Figure | None
    peak: Figure | None


@record
class Phase:
    """A phase by its name; `times` counts passes that read alike."""

    name: str
    times: int
    levels: tuple[Level, Level]

    @property
    def most(self) -> Number:
        """The highest end that is drawn."""
        read = [f for one in self.levels for f in (one.start, one.peak) if f is not None]
        return max((figure.low for figure in read), default=0)


def pictures(desk: Desk) -> tuple[Drawing, ...]:
    """One for each series of phases, and each device, that a piece has read two phases of."""
    return tuple(drawn for piece in desk.decision.fiche.pieces for drawn in _of_piece(desk, piece))


def _of_piece(desk: Desk, piece: Piece) -> Iterator[Drawing]:
    told = _series(piece)
    several = len({device for _, device in told}) > 1
    for place, ((series, device), phases) in enumerate(told.items(), 1):
        alike = _alike(phases)
        if len(alike) < 2 or not any(phase.most for phase in alike):
            continue
        run = f"{piece.id}/{series}" if series else piece.id
        title = desk.word("pic_phases_title").format(run=run)
        if several and device is not None:
            title = desk.word("pic_phases_device").format(run=run, device=device)
        yield _picture(desk, f"phases-{piece.id}-{place}", title, alike)


def _series(piece: Piece) -> dict[_Key, list[Phase]]:
    """Phases that were run one by one, by the series they are of and by device."""
    found: dict[_Key, dict[tuple[str, str], dict[tuple[str, str], Figure]]] = {}
    for name, run, seen in observations(piece):
        if run is None or run.whole_loop or not seen.phase or seen.rank is not None:
            continue
        level = next((word for word in _LEVELS if word in seen.counter), "")
        if seen.scope != "process_allocator" or not level or seen.stat not in ("start", "peak"):
            continue
        figure = observed(seen, name)
        if figure is not None:
            key = (run.id.split(".", 1)[0], seen.device_index)
            phases = found.setdefault(key, {})
            phases.setdefault((run.id, seen.phase), {})[level, seen.stat] = figure
    return {
        key: [Phase(name=name, times=1, levels=_levels(read)) for (_, name), read in told.items()]
        for key, told in found.items()
    }


def _levels(read: dict[tuple[str, str], Figure]) -> tuple[Level, Level]:
    first, second = (
        Level(start=read.get((word, "start")), peak=read.get((word, "peak"))) for word in _LEVELS
    )
    return first, second


def _alike(phases: Sequence[Phase]) -> list[Phase]:
    """Passes of one phase that read the same share a place."""
    found: dict[object, list[Phase]] = {}
    for phase in phases:
        read = tuple(
            None if f is None else (f.low, f.high)
            for one in phase.levels
            for f in (one.start, one.peak)
        )
        found.setdefault((phase.name, read), []).append(phase)
    return [
        Phase(name=same[0].name, times=len(same), levels=same[0].levels) for same in found.values()
    ]


# --- The picture ----------------------------------------------------------------------------------


@record
class _Frame:
    """Where phases and bytes stand."""

    desk: Desk
    whole: Fraction
    slot: int
    right: int

    def y(self, value: Number) -> int:
        """Down."""
        return BOTTOM - int((BOTTOM - TOP) * Fraction(value) / self.whole)


def _picture(desk: Desk, name: str, title: str, told: Sequence[Phase]) -> Drawing:
    drawn, left = told[:MOST_PHASES], len(told[MOST_PHASES:])
    whole = Fraction(max(phase.most for phase in drawn))
    width = NARROW if len(drawn) <= _FEW else WIDE
    slot = (width - EDGE - LEFT) // len(drawn)
    frame = _Frame(desk=desk, whole=whole, slot=slot, right=width - EDGE)
    found: list[Stroked] = list(_scale(frame))
    for place, phase in enumerate(drawn):
        found += _phase(frame, phase, LEFT + frame.slot * place)
    lines = joined([_numbers(desk, phase) for phase in drawn], "; ")
    return Drawing(
        id=name,
        title=title,
        said=plain(lines),
        width=width,
        height=HEIGHT,
        marks=tuple(found),
        caption=(_signs(desk), (*lines, Words(".")), *_notes(desk, left)),
    )


def _scale(frame: _Frame) -> Iterator[Stroked]:
    told, unit = marks(frame.whole, _TICKS, frame.desk.style)
    for value, label in told:
        y = frame.y(value)
        yield Stroke(kind="grid", points=((LEFT, y), (frame.right, y)))
        shown = uncut(label, 54, LETTERS)
        yield Lettering(x=LEFT - 8, y=y + 5, text=shown, room=54, anchor="end", tone="quiet")
    yield Stroke(kind="axis", points=((LEFT, TOP - 6), (LEFT, BOTTOM), (frame.right, BOTTOM)))
    yield Lettering(x=LEFT - 8, y=12, text=unit, room=54, anchor="end", tone="quiet")


def _phase(frame: _Frame, phase: Phase, x: int) -> Iterator[Stroked]:
    desk, middle = frame.desk, x + frame.slot // 2
    yield Lettering(
        x=middle, y=BOTTOM + 20, text=named(desk, phase), room=frame.slot - 8, anchor="middle"
    )
    width = min(_BAR, frame.slot // 3)
    for kind, level, left in zip(
        _LEVELS, phase.levels, (middle - width - 4, middle + 4), strict=True
    ):
        if level.peak is not None:
            yield from _bar(frame, kind, level, (left, width))
    if frame.slot >= _ROOM:
        yield from _numbered(frame, phase, middle)


def _bar(frame: _Frame, kind: str, level: Level, across: tuple[int, int]) -> Iterator[Stroked]:
    assert level.peak is not None
    left, width = across
    top = frame.y(level.peak.low)
    if top < BOTTOM:
        yield Plate(kind=kind, x=left, y=top, width=width, height=BOTTOM - top)
    if level.start is not None and level.start.low:
        y = frame.y(level.start.low)
        yield Stroke(kind="halo", points=((left - 3, y), (left + width + 3, y)))
        yield Stroke(kind="base", points=((left - 3, y), (left + width + 3, y)))
    shape = "triangle" if kind == "reserved" else "disc"
    yield Sign(shape=shape, x=left + width // 2, y=top)


def _numbered(frame: _Frame, phase: Phase, middle: int) -> Iterator[Stroked]:
    """Each peak as a number on its own side of the phase."""
    room = frame.slot // 2 - 10
    for level, side, anchor in zip(phase.levels, (-6, 6), ("end", "start"), strict=True):
        if level.peak is not None:
            text = uncut(numbers.amount(level.peak, frame.desk.style), room, LETTERS)
            y = frame.y(level.peak.low) - 16
            yield Lettering(x=middle + side, y=y + 3, text=text, room=room, anchor=anchor)


def named(desk: Desk, phase: Phase) -> str:
    """A phase by its name, and how often it read alike."""
    name = desk.term(phase.name)
    return desk.word("pic_times").format(phase=name, times=phase.times) if phase.times > 1 else name


# --- Words ----------------------------------------------------------------------------------------


def _numbers(desk: Desk, phase: Phase) -> Parts:
    allocated, reserved = phase.levels
    return desk.say(
        "pic_phase",
        phase=Quoted(named(desk, phase)),
        allocated=desk.measured(allocated.peak),
        reserved=desk.measured(reserved.peak),
        start=desk.measured(allocated.start),
    )


def _signs(desk: Desk) -> Parts:
    told: list[tuple[Part, ...]] = [
        (Swatch("allocated"), Words(f"● {desk.word('pic_allocated')}")),
        (Swatch("reserved"), Words(f"▲ {desk.word('pic_reserved')}")),
        (Swatch("base"), Words(desk.word("pic_start"))),
    ]
    return joined(told, " · ")


def _notes(desk: Desk, left: int) -> Iterator[Parts]:
    note = desk.word("pic_phases_note")
    if left:
        told = desk.counted("pic_phases_left", left).format(count=left)
        yield (Words(f"{note} {told}"),)
    else:
        yield (Words(note),)
