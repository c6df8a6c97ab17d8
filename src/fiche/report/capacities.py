"""The picture of page one: what is needed, and what each candidate has, on one scale (D0, B1, B7).

A need's bar is its items, what they may come to, and the stated margins; a capacity's bar is solid up to
what its machine showed and hatched up to what a label allows at most. An end that no measurement gives is
drawn open, and what is not known has no bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel import trace
from fiche.kernel.figure import Figure, Number
from fiche.kernel.record import record, replace
from fiche.report import numbers
from fiche.report._capacity_words import caption, label_of, said
from fiche.report._needs import (
    MOST_NEEDS,
    Asked,
    Held,
    asked,
    have_text,
    labelled,
    need_text,
)
from fiche.report.bar import parts_of_need
from fiche.report.desk import GLYPHS, Desk
from fiche.report.letters import LETTERS, uncut
from fiche.report.parts import Drawing, Lettering, Plate, Sign, Stroke, Stroked
from fiche.report.scale import marks

WIDTH = 1000
LEFT, RIGHT = 206, 642
# Room behind the scale for an end that nobody knows.
_OPEN = 40
_NUMBERS, _ANSWERS, _ROOM = 656, 848, 186
_NEED_ROW, _ROW, _BETWEEN, _AXIS = 23, 20, 5, 24
_NEED_HEIGHT, _HEIGHT = 14, 8
_TICKS, _TICK = 6, 62
_SHADES = 3
_FADING = ((4, 6), (13, 4), (20, 3), (26, 2))


def picture(desk: Desk) -> Drawing | None:
    """The picture; None where no need is known."""
    groups = asked(desk)
    drawn, left = groups[:MOST_NEEDS], len(groups[MOST_NEEDS:])
    most = max((_most(desk, group) for group in drawn), default=0)
    if not most or all(group.need is None for group in drawn):
        return None
    scale = _Scale(whole=Fraction(most), desk=desk)
    found: list[Stroked] = []
    y = 2
    for group in drawn:
        found += _group(scale, group, y)
        y += _height(group) + _BETWEEN
    return Drawing(
        id="memory-picture",
        title=desk.word("pic_memory_title"),
        said=said(desk, drawn),
        width=WIDTH,
        height=y + _AXIS,
        marks=(*_axis(scale, y), *found),
        caption=caption(desk, drawn, left),
    )


@record
class _Scale:
    """Where bytes stand across."""

    whole: Fraction
    desk: Desk

    def x(self, value: Number) -> int:
        """Across."""
        return LEFT + int((RIGHT - _OPEN - LEFT) * Fraction(value) / self.whole)


def _height(group: Asked) -> int:
    return _NEED_ROW + _ROW * len(group.held)


def _most(desk: Desk, group: Asked) -> Number:
    ends: list[Number] = []
    if group.need is not None:
        ends.append(_far(group.need) + _kept(desk, group))
    for held in group.held:
        for one in held.several or (held,):
            ends += [_far(end) for end in (one.low, one.high) if end is not None]
    return max(ends, default=0)


def _far(node: Figure) -> Number:
    return node.low if node.high is None else node.high


def margins(desk: Desk) -> list[Figure]:
    """The stated margins, as the ledger lists them."""
    stated = map(desk.book.of, desk.decision.fiche.workload.margin)
    return [margin for margin in stated if isinstance(margin, Figure)]


def _kept(desk: Desk, group: Asked) -> Number:
    return 0 if group.is_open else sum(_far(margin) for margin in margins(desk))


# --- The scale ------------------------------------------------------------------------------------


def _axis(scale: _Scale, y: int) -> Iterator[Stroked]:
    told, unit = marks(scale.whole, _TICKS, scale.desk.style)
    for value, label in told:
        at = scale.x(value)
        yield Stroke(kind="grid", points=((at, 0), (at, y)))
        shown = uncut(label, _TICK, LETTERS)
        yield Lettering(x=at, y=y + 17, text=shown, room=_TICK, anchor="middle", tone="quiet")
    yield Stroke(kind="axis", points=((LEFT, y), (RIGHT, y)))
    yield Stroke(kind="axis", points=((LEFT, 0), (LEFT, y)))
    yield Lettering(x=RIGHT, y=y + 17, text=unit, room=40, anchor="end", tone="quiet")


# --- A need and those of whom it is asked ---------------------------------------------------------


def _group(scale: _Scale, group: Asked, y: int) -> Iterator[Stroked]:
    yield Lettering(x=0, y=y + 15, text=label_of(scale.desk, group), room=196, tone="strong")
    if group.need is None:
        missing = scale.desk.word("not_known")
        yield Lettering(x=_NUMBERS, y=y + 15, text=missing, room=_ROOM, tone="quiet")
    else:
        yield from _need(scale, group, group.need, y)
    for place, held in enumerate(group.held):
        yield from _held(scale, group, held, y + _NEED_ROW + _ROW * place)
    if group.need is not None:
        far = _far(group.need) + _kept(scale.desk, group)
        ends = [far] if group.need.high == group.need.low else [group.need.low, far]
        for x in dict.fromkeys(map(scale.x, ends)):
            yield Stroke(kind="need", points=((x, y + 2), (x, y + _height(group) - 3)))


def _need(scale: _Scale, group: Asked, need: Figure, y: int) -> Iterator[Stroked]:
    desk = scale.desk
    top = y + 3
    yield from _items(scale, need, top)
    if need.high is not None and need.high != need.low:
        yield from _plate(scale, "range", (need.low, need.high), top)
    if group.is_open:
        yield from _onward(scale.x(_far(need)), top, _NEED_HEIGHT)
    else:
        start = _far(need)
        for margin in margins(desk):
            yield from _plate(scale, "margin", (start, start + _far(margin)), top)
            start += _far(margin)
    if group.floor is not None:
        yield Sign(shape="floor", x=scale.x(group.floor.low), y=top + _NEED_HEIGHT - 6)
    yield from _told(desk, group, need, y + 15)


def _told(desk: Desk, group: Asked, need: Figure, y: int) -> Iterator[Stroked]:
    """The need as a number, and beside it the margin that is kept, or that no measurement ends it."""
    amount = need_text(desk, group)
    if group.least and need.high == need.low:
        amount = desk.style.open.format(low=amount)
    shown = uncut(amount, _ROOM, LETTERS, heavy=True)
    yield Lettering(x=_NUMBERS, y=y, text=shown, room=_ROOM, tone="strong")
    kept = " + ".join(numbers.amount(margin, desk.style) for margin in margins(desk))
    words = desk.word("pic_kept").format(amount=kept) if kept else ""
    if group.is_open:
        words = desk.word("pic_unmeasured")
    shown = uncut(words, WIDTH - _ANSWERS, LETTERS)
    yield Lettering(x=_ANSWERS, y=y, text=shown, room=WIDTH - _ANSWERS, tone="quiet")


def _items(scale: _Scale, need: Figure, top: int) -> Iterator[Stroked]:
    """What is sure of each item, one behind the other, with a seam between neighbours."""
    start, shade = Fraction(0), 0
    seams = []
    for item in parts_of_need(scale.desk, need):
        kind = trace.basis(item)
        if kind == "computed":
            kind, shade = f"computed-{shade % _SHADES}", shade + 1
        yield from _plate(scale, kind, (start, start + item.low), top)
        start += item.low
        seams.append(scale.x(start))
    for x in seams[:-1]:
        yield Stroke(kind="seam", points=((x, top), (x, top + _NEED_HEIGHT)))


def _plate(
    scale: _Scale, kind: str, ends: tuple[Number, Number], top: int, height: int = _NEED_HEIGHT
) -> Iterator[Stroked]:
    """A stretch of a bar; what is thinner than a line has none."""
    left, right = scale.x(ends[0]), scale.x(ends[1])
    if right > left:
        yield Plate(kind=kind, x=left, y=top, width=right - left, height=height)


def _onward(x: int, top: int, height: int) -> Iterator[Stroked]:
    """An end that nobody knows: it fades out and points on."""
    for far, width in _FADING:
        yield Plate(kind="fading", x=x + far, y=top, width=width, height=height)
    yield Sign(shape="onward", x=x + _OPEN - 8, y=top + height // 2)


def _held(scale: _Scale, group: Asked, held: Held, y: int) -> Iterator[Stroked]:
    desk = scale.desk
    code = held.found.verdict.code
    yield Lettering(x=12, y=y + 14, text=_who(desk, held), room=184)
    answer = f"{GLYPHS[code]} {desk.language.answers[code]}"
    yield Lettering(x=_ANSWERS, y=y + 14, text=answer, room=WIDTH - _ANSWERS, tone=code)
    top = y + 5
    for one in held.several:
        yield from _ends(scale, one, top)
    if not held.several:
        yield from _room(scale, group, held, top)
    tone = "plain" if held.known else "quiet"
    shown = uncut(_amount(desk, group, held), _ROOM, LETTERS)
    yield Lettering(x=_NUMBERS, y=y + 14, text=shown, room=_ROOM, tone=tone)


def _who(desk: Desk, held: Held) -> str:
    if len(held.who) <= 2:
        return ", ".join(held.who)
    return desk.counted("pic_candidates", len(held.who)).format(count=len(held.who))


def _amount(desk: Desk, group: Asked, held: Held) -> str:
    if held.several:
        least, most = span(held.several)
        return numbers.amount(replace(least, low=least.low, high=_far(most)), desk.style)
    if held.low is not None:
        return have_text(desk, group, held.low)
    if held.high is not None:
        told = have_text(desk, group, held.high)
        return desk.word("pic_at_most").format(amount=told)
    return desk.word("not_known")


def span(several: Sequence[Held]) -> tuple[Figure, Figure]:
    """The least and the most of what several have."""
    ends = [end for one in several for end in (one.low, one.high) if end is not None]
    return min(ends, key=lambda end: end.low), max(ends, key=_far)


def _room(scale: _Scale, group: Asked, held: Held, top: int) -> Iterator[Stroked]:
    """Solid up to what was shown, hatched up to the most, open where nothing bounds it."""
    low = 0 if held.low is None else held.low.low
    if low:
        yield from _plate(scale, "sure", (0, low), top, _HEIGHT)
    if held.high is not None and _far(held.high) > low:
        kind = "most" if labelled(held.high) or not low else "range"
        yield from _plate(scale, kind, (low, _far(held.high)), top, _HEIGHT)
    if not held.known:
        return
    end = scale.x(max(low, 0 if held.high is None else _far(held.high)))
    if held.high is None or held.high.high is None:
        yield from _onward(end, top, _HEIGHT)
    else:
        yield Stroke(kind="edge", points=((end, top - 3), (end, top + _HEIGHT + 3)))
    yield from _margin(scale, group, held, top)
    if held.failed:
        yield Sign(shape="cross", x=end + 16, y=top + _HEIGHT // 2)


def _margin(scale: _Scale, group: Asked, held: Held, top: int) -> Iterator[Stroked]:
    """The useful margin: from the end of the need to what is surely there."""
    if held.low is None or group.need is None or held.found.margin is None:
        return
    yield from _plate(scale, "free", (_far(group.need), held.low.low), top, _HEIGHT)


def _ends(scale: _Scale, one: Held, top: int) -> Iterator[Stroked]:
    """One of several capacities in a row: its ends, and a line between them."""
    found = [end for end in (one.low, one.high) if end is not None]
    if not found:
        return
    first, last = scale.x(found[0].low), scale.x(_far(found[-1]))
    y = top + _HEIGHT // 2
    yield Stroke(kind="free", points=((min(first, last), y), (max(first, last), y)))
    for x in {first, last}:
        yield Stroke(kind="tick", points=((x, top - 2), (x, top + _HEIGHT + 2)))
