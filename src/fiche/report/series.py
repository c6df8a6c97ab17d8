"""Peaks of runs of one workload at several sizes, as points: what was measured, and where it failed (E1, C11).

Only runs that differ in their dimensions alone stand together. Between two points nothing is drawn but a dotted
guide; a failed run shows no need, so its cross stands above the scale, at its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel.figure import Figure, Number
from fiche.kernel.record import record
from fiche.report._capacity_words import plain
from fiche.report._needs import bounds
from fiche.report._placing import placed_numbers
from fiche.report._sizes import Point, axis_of, groups
from fiche.report.answer import worst
from fiche.report.desk import Desk, joined
from fiche.report.letters import LETTERS, uncut
from fiche.report.parts import (
    Code,
    Drawing,
    Lettering,
    Parts,
    Quoted,
    Sign,
    Stroke,
    Stroked,
    Words,
)
from fiche.report.scale import marks, step
from fiche.report.scale import plain as bare
from fiche.report.tested import dimensions, ended

WIDTH, DEEP = 640, 252
LEFT, RIGHT, TOP = 62, 624, 32
# Above the scale, where a failed run is drawn.
_STRIP = 30
_TICKS = 5
MOST = 3
MOST_POINTS = 24
# So many runs have a line each under the picture.
_FEW = 6
# Signs nearer to each other than this share their number's place.
_NEAR, _HIGH = 26, 18


def pictures(desk: Desk) -> tuple[Drawing, ...]:
    """One for each workload that was run at two sizes or more, the largest series first."""
    told = [(points, axis_of(points)) for points in groups(desk.decision.fiche.pieces)]
    drawn = [(points, name) for points, name in told if name]
    drawn.sort(key=lambda one: -len(one[0]))
    return tuple(
        _picture(desk, f"series-{place}", points, name)
        for place, (points, name) in enumerate(drawn[:MOST], 1)
    )


# --- The picture ----------------------------------------------------------------------------------


@record
class _Frame:
    """Where sizes and bytes stand."""

    desk: Desk
    across: Fraction
    whole: Fraction
    top: int
    bottom: int

    def x(self, size: Number) -> int:
        """Across."""
        return LEFT + int((RIGHT - 24 - LEFT) * Fraction(size) / self.across)

    def y(self, value: Number) -> int:
        """Down."""
        return self.bottom - int((self.bottom - self.top) * Fraction(value) / self.whole)


def _picture(desk: Desk, name: str, points: Sequence[Point], axis: str) -> Drawing:
    ordered = sorted(points, key=lambda point: (point.sizes[axis].low, point.peak is None))
    drawn = ordered[:MOST_POINTS]
    lines = _lines(desk, drawn)
    strip = _STRIP if any(point.peak is None for point in drawn) else 0
    ends = [point.peak.low for point in drawn if point.peak is not None]
    frame = _Frame(
        desk=desk,
        across=Fraction(max(point.sizes[axis].low for point in drawn)) or Fraction(1),
        whole=Fraction(max([*ends, *(figure.low for _, figure in lines)])) or Fraction(1),
        top=TOP + strip,
        bottom=DEEP + strip - 52,
    )
    caption = tuple(_caption(desk, drawn, lines))
    return Drawing(
        id=name,
        title=desk.word("pic_series_title"),
        said=" ".join(map(plain, caption)),
        width=WIDTH,
        height=DEEP + strip,
        marks=(
            *_scale(frame, axis),
            *_capacities(frame, lines),
            *_signs(frame, drawn, axis, lines),
        ),
        caption=(_meaning(desk, drawn, lines), *caption, _note(desk, drawn, axis)),
    )


def _lines(desk: Desk, points: Sequence[Point]) -> list[tuple[list[str], Figure]]:
    """What candidates with the card of these runs surely have, each amount once."""
    cards = {fact.value for p in points if (fact := {**p.piece.typed, **p.run.facts}.get("gpu"))}
    found: dict[Number, tuple[list[str], Figure]] = {}
    for outcome in desk.decision.outcomes:
        card = outcome.candidate.card
        if card is None or card.id not in cards:
            continue
        for finding in worst(outcome).values():
            low, _ = bounds(finding)
            if low is not None:
                told = desk.book.of(low)
                assert isinstance(told, Figure)
                names = found.setdefault(told.low, ([], told))[0]
                names += [outcome.candidate.id] if outcome.candidate.id not in names else []
    return list(found.values())[:MOST]


def _scale(frame: _Frame, axis: str) -> Iterator[Stroked]:
    desk = frame.desk
    told, unit = marks(frame.whole, _TICKS, desk.style)
    for value, label in told:
        y = frame.y(value)
        yield Stroke(kind="grid", points=((LEFT, y), (RIGHT, y)))
        shown = uncut(label, 54, LETTERS)
        yield Lettering(x=LEFT - 8, y=y + 5, text=shown, room=54, anchor="end", tone="quiet")
    yield Lettering(x=LEFT - 8, y=16, text=unit, room=54, anchor="end", tone="quiet")
    apart = step(frame.across, _TICKS)
    apart = max(apart, Fraction(1))
    for count in range(int(frame.across / apart) + 1):
        x = frame.x(count * apart)
        yield Stroke(kind="tick", points=((x, frame.bottom), (x, frame.bottom + 5)))
        label = uncut(bare(count * apart, desk.style), 80, LETTERS)
        yield Lettering(
            x=x, y=frame.bottom + 22, text=label, room=80, anchor="middle", tone="quiet"
        )
    yield Stroke(
        kind="axis", points=((LEFT, frame.top - 6), (LEFT, frame.bottom), (RIGHT, frame.bottom))
    )
    words = desk.language.form(desk.language.dimensions.get(axis, desk.term(axis)), 2)
    middle = (LEFT + RIGHT) // 2
    yield Lettering(
        x=middle, y=frame.bottom + 44, text=words, room=400, anchor="middle", tone="quiet"
    )


def _capacities(frame: _Frame, lines: Sequence[tuple[list[str], Figure]]) -> Iterator[Stroked]:
    for _, figure in lines:
        y = frame.y(figure.low)
        yield Stroke(kind="edge", points=((LEFT, y), (RIGHT, y)))


def _signs(
    frame: _Frame,
    points: Sequence[Point],
    axis: str,
    lines: Sequence[tuple[list[str], Figure]],
) -> Iterator[Stroked]:
    failed = frame.top - 18
    placed = [
        (frame.x(p.sizes[axis].low), failed if p.peak is None else frame.y(p.peak.low), p)
        for p in points
    ]
    told = [(x, y) for x, y, point in placed if point.peak is not None]
    yield from _guide(frame.desk, told)
    if len(told) < len(placed):
        words = frame.desk.word("pic_failed")
        yield Lettering(x=LEFT - 8, y=failed + 5, text=words, room=54, anchor="end", tone="quiet")
    for x, y, point in placed:
        yield Sign(shape="cross" if point.peak is None else "disc", x=x, y=y)
    lies = [(LEFT, y - 3, RIGHT, y + 3) for y in (frame.y(figure.low) for _, figure in lines)]
    yield from placed_numbers(
        _numbers([(x, y) for x, y, _ in placed]),
        (LEFT + 2, 24, RIGHT, frame.bottom - 2),
        [*lies, *((x - 7, y - 7, x + 7, y + 7) for x, y, _ in placed)],
    )


def _guide(desk: Desk, told: Sequence[tuple[int, int]]) -> Iterator[Stroked]:
    """What follows what: dotted, and said to be nothing that was measured."""
    if len(set(told)) > 1:
        yield Stroke(kind="guide", points=tuple(dict.fromkeys(told)))
        yield Stroke(kind="guide", points=((RIGHT - 176, 12), (RIGHT - 140, 12)))
        words = desk.word("pic_between")
        yield Lettering(x=RIGHT - 132, y=17, text=words, room=130, tone="quiet")


def _numbers(at: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """A number a sign, in their order; those that lie on each other share a place."""
    groups: list[tuple[int, int, list[int]]] = []
    for number, (x, y) in enumerate(at, 1):
        for left, top, names in groups:
            if abs(left - x) < _NEAR and abs(top - y) < _HIGH:
                names.append(number)
                break
        else:
            groups.append((x, y, [number]))
    for x, y, names in groups:
        yield x, y, f"{names[0]}–{names[-1]}" if len(names) > 2 else ", ".join(map(str, names))


# --- Words ----------------------------------------------------------------------------------------


def _meaning(
    desk: Desk, points: Sequence[Point], lines: Sequence[tuple[list[str], Figure]]
) -> Parts:
    told = [f"● {desk.word('pic_succeeded')}"]
    if any(point.peak is None for point in points):
        told.append(f"✕ {desk.word('pic_failed')}")
    if lines:
        told.append(f"— {desk.word('pic_capacity')}")
    return (Words(" · ".join(told)),)


def _note(desk: Desk, points: Sequence[Point], axis: str) -> Parts:
    told = [desk.word("pic_series_note")]
    if any(point.peak is None for point in points):
        told.append(desk.word("pic_series_failed"))
    names = [name for name in points[0].sizes if name != axis]
    if any(len({point.sizes[name].low for point in points}) > 1 for name in names):
        told.append(desk.word("pic_series_others"))
    return (Words(" ".join(told)),)


def _caption(
    desk: Desk, points: Sequence[Point], lines: Sequence[tuple[list[str], Figure]]
) -> Iterator[Parts]:
    told = [_run(desk, number, point) for number, point in enumerate(points, 1)]
    if len(told) <= _FEW:
        yield from told
    else:
        yield joined(told, " · ")
    for names, figure in lines:
        who = joined([Code(name) for name in names])
        yield desk.say("pic_have", who=who, have=desk.amount(figure))


def _run(desk: Desk, number: int, point: Point) -> Parts:
    run = (Words(f"{number} ", strong=True), Code(f"{point.piece.id}/{point.run.id}"))
    sizes = dimensions(desk, point.sizes)
    if point.peak is None:
        return desk.say(
            "pic_series_ended", run=run, dimensions=sizes, outcome=ended(desk, point.run)
        )
    counter = Quoted(desk.term(point.peak.label))
    return desk.say(
        "pic_series_run",
        run=run,
        dimensions=sizes,
        counter=counter,
        peak=desk.listed(point.peak),
    )
