"""A need against a capacity, drawn on one scale: the widths are whole thousandths of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel import trace
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding
from fiche.kernel.origin import Computed, Declared
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE
from fiche.report import numbers
from fiche.report.desk import Desk, short_label
from fiche.report.parts import Amount, Bar, Part, Parts, Segment

_ADDING = ("+", "total")
_WHOLE = 1000
_SHADES = 3


def bar(desk: Desk, found: Finding, lead: Parts, origin: Parts, name: str) -> Bar | None:
    """The bar of one memory finding; None where nothing is known to draw."""
    need, have = found.need, found.have
    if not isinstance(need, Figure) or need.unit != BYTE or not need.low:
        return None
    parts = parts_of_need(desk, need)
    margins = [
        m for m in map(desk.book.of, desk.decision.fiche.workload.margin) if isinstance(m, Figure)
    ]
    limit = have if isinstance(have, Figure) else None
    drawn = sum(_end(node) for node in (*parts, *margins))
    whole = max(drawn, 0 if limit is None else _end(limit))
    segments = _segments(desk, [(p, trace.basis(p)) for p in parts], whole, 0)
    start = sum(segment.width for segment in segments)
    beyond = _segments(desk, [(m, "margin") for m in margins], whole, start)
    against = desk.amount(limit) if limit is not None else None
    return Bar(
        id=f"bar-{name}",
        title=_title(desk, (*segments, *beyond), against),
        lead=lead,
        segments=segments,
        whole=desk.amount(need) if len(parts) > 1 else None,
        origin=origin if len(parts) == 1 else (),
        margins=beyond,
        limit=None if limit is None else _share(_end(limit), whole),
        limit_label=_limit_label(desk, limit),
        limit_amount=against if isinstance(against, Amount) else None,
    )


def _limit_label(desk: Desk, limit: Figure | None) -> str:
    """What the line stands for: a label is at most what there is, and no capacity (B1)."""
    declared = limit is not None and isinstance(limit.origin, Declared)
    return (
        desk.term(short_label(limit)) if limit is not None and declared else desk.word("capacity")
    )


def parts_of_need(desk: Desk, need: Figure) -> list[Figure]:
    """The named parts of a sum, or the number as a whole."""
    listed = desk.book.of(need)
    assert isinstance(listed, Figure)
    origin = listed.origin
    if isinstance(origin, Computed) and origin.operation in _ADDING:
        parts = [p for p in origin.inputs if isinstance(p, Figure) and p.id and p.low]
        if len(parts) == len(origin.inputs):
            return parts
    return [listed]


def _end(node: Figure) -> Number:
    """What a bar draws of an interval: the far end, or the near one where the far one is open."""
    return node.low if node.high is None else node.high


def _segments(
    desk: Desk, drawn: list[tuple[Figure, str]], whole: Number, start: int
) -> tuple[Segment, ...]:
    found: list[Segment] = []
    for node, kind in drawn:
        shade = sum(s.kind == "computed" for s in found) % _SHADES if kind == "computed" else 0
        for stretch in _stretches(desk, node, kind, shade):
            width = max(_share(stretch.width, whole), 1)
            found.append(replace(stretch, start=start, width=width))
            start += width
    return tuple(found)


def _stretches(desk: Desk, node: Figure, kind: str, shade: int) -> Iterator[Segment]:
    """What an interval surely takes and what may come to it, with their widths in bytes."""
    listed = desk.listed(node)
    assert isinstance(listed, Amount)
    label = desk.told(short_label(node))
    if node.high is None or node.high == node.low or not node.low:
        width = int(_end(node))
        yield Segment(start=0, width=width, kind=kind, shade=shade, label=label, amount=listed)
        return
    near, far = int(node.low), int(node.high - node.low)
    told = ends(desk, node)
    yield Segment(start=0, width=near, kind=kind, shade=shade, label=label, amount=told[0])
    up_to = desk.word("load_range")
    yield Segment(
        start=0, width=far, kind="range", shade=0, label=up_to, amount=told[1], continues=True
    )


def ends(desk: Desk, node: Figure) -> tuple[Amount, Amount]:
    """Both ends of an interval, each as an amount of its own that leads to the figure."""
    near, far = (
        desk.amount(node, numbers.amount(replace(node, low=end, high=end), desk.style))
        for end in (node.low, _end(node))
    )
    assert isinstance(near, Amount)
    assert isinstance(far, Amount)
    return near, far


def _share(part: Number, whole: Number) -> int:
    return (Fraction(part) * _WHOLE / Fraction(whole)).__floor__()


def _title(desk: Desk, segments: tuple[Segment, ...], limit: Part | None) -> str:
    parts = listed(segments)
    against = limit.text if isinstance(limit, Amount) else desk.word("bar_no_limit")
    return desk.word("bar_title").format(parts=parts, limit=against)


def listed(segments: Sequence[Segment]) -> str:
    """Every stretch in words: sums with a plus, the far end of an interval behind its near one."""
    joints = (
        "" if not place else ", " if s.continues else " + " for place, s in enumerate(segments)
    )
    return "".join(
        f"{joint}{part.label} {part.amount.text}"
        for joint, part in zip(joints, segments, strict=True)
    )
