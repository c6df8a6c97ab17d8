"""The open points by number, as D1: what is missing, told before the criteria and named by them (D1, C2)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding
from fiche.kernel.record import record
from fiche.kernel.said import Listed, Said
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.missing import concerned, movable, points, unnumbered
from fiche.report.missing import point as called
from fiche.report.parts import (
    Block,
    Cell,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

# A committee's agenda; the annex has every point in full.
_MOST, _FEW, _CAUSES = 8, 4, 2


@record
class Point:
    """One open point. `candidates` are those that lack it, empty where all do."""

    number: int
    topic: str
    conditions: tuple[Condition, ...]
    candidates: tuple[str, ...]

    @property
    def concerns_all(self) -> bool:
        """True for a point of the load itself, which every candidate has."""
        return not self.candidates


def numbered(desk: Desk) -> tuple[Point, ...]:
    """Every open point, in the order in which the table of points has them."""
    if "points" not in desk.kept_apart:
        desk.kept_apart["points"] = _numbered(desk)
    found: tuple[Point, ...] = desk.kept_apart["points"]
    return found


def _numbered(desk: Desk) -> tuple[Point, ...]:
    told = (
        (topic, conditions, tuple(who))
        for topic, shared in points(desk).items()
        for conditions, who in shared.items()
    )
    return tuple(
        Point(number=place, topic=topic, conditions=conditions, candidates=who)
        for place, (topic, conditions, who) in enumerate(told, 1)
    )


def section(desk: Desk) -> Section:
    """One row a point; a long list goes on in the annex."""
    found = numbered(desk)
    title = desk.word("missing_title")
    block: Block = Paragraph((Words(desk.word("missing_none")),), "lead")
    if found:
        left = len(found) - _MOST
        block = Table(
            id="points",
            caption=desk.word("open_caption"),
            columns=columns(desk, "point_column", "datum", "turns_at", "supplier", "concerns"),
            rows=tuple(_row(desk, point) for point in found[:_MOST]),
            notes=(_left(desk, left),) if left > 0 else (),
        )
    return Section(id="open", title=title, blocks=(block,))


def _left(desk: Desk, count: int) -> Parts:
    noun, under = desk.counted("open_noun", count), desk.word("open_full_title")
    return desk.say("open_left", n=count, noun=noun, section=under)


def _row(desk: Desk, point: Point) -> Row:
    turns = _each(desk, (c.threshold for c in point.conditions))
    suppliers = dict.fromkeys(c.supplier for c in point.conditions if c.supplier)
    who: Parts = joined([Quoted(desk.told(one)) for one in suppliers], "; ")
    return row(
        cell(desk.say("point_topic", point=_name(desk, point), topic=desk.topic(point.topic))),
        cell(*_each(desk, (_short(desk, c.text) for c in point.conditions))),
        cell(*turns) if turns else cell(unnumbered(desk, point.conditions)),
        cell(who) if who else cell(Missing(desk.word("nobody"))),
        _concerns(desk, point),
        anchor=anchor(point),
        candidate=point.candidates[0] if len(point.candidates) == 1 else "",
    )


def _concerns(desk: Desk, point: Point) -> Cell:
    """The first names and how many there are besides; the annex names every one."""
    told = concerned(desk, list(point.candidates))
    left = len(told.lines) - _FEW
    if left <= 0:
        return told
    return cell(*told.lines[:_FEW], desk.say("candidates_more", n=left))


# What tells the author more than a committee asks: the nearest piece, where else it was seen, a hint.
_ASIDE = frozenset({"nearest", "apart", "elsewhere", "seen", "hint"})


def _short(desk: Desk, text: str) -> str:
    """What to provide, without what falls short so far and what only the author can use."""
    return desk.told(_without(desk, text))


def _without(desk: Desk, text: str) -> str:
    if isinstance(text, Listed) and len(text.items) > _CAUSES + 1:
        left = desk.word("void_left").format(n=len(text.items) - _CAUSES)
        return Listed((*text.items[:_CAUSES], left), text.between)
    if not isinstance(text, Said):
        return text
    kept = {
        name: "" if name in _ASIDE else _without(desk, told) if isinstance(told, str) else told
        for name, told in text.fillings.items()
    }
    return text.filled(kept)


def _each(desk: Desk, texts: Iterable[str]) -> tuple[Parts, ...]:
    """Rounded: the annex has each of them to the byte."""
    return tuple(desk.legible(text, exact=False) for text in dict.fromkeys(texts) if text)


def anchor(point: Point) -> str:
    """The fragment that leads to a point's row."""
    return f"point-{point.number}"


def _name(desk: Desk, point: Point) -> Parts:
    return called(desk, point.number)


def names(desk: Desk, found: Iterable[Point], last: str = ", ") -> Parts:
    """`D1, D2 and D4`."""
    told = [desk.word("point").format(n=point.number) for point in found]
    if len(told) < 2:
        return joined([Words(one, strong=True) for one in told])
    *more, end = [Words(one, strong=True) for one in told]
    return (*joined(more), Words(last), end)


def of_finding(desk: Desk, found: Finding) -> tuple[Point, ...]:
    """The points that keep a finding open; none of one whose candidate is excluded by another."""
    asked = set(found.conditions)
    return tuple(p for p in _of(desk, found.candidate) if asked & set(p.conditions))


def of_outcome(desk: Desk, outcome: Outcome) -> tuple[Point, ...]:
    """The points that keep a candidate open."""
    return _of(desk, outcome.candidate.id)


def _of(desk: Desk, who: str) -> tuple[Point, ...]:
    """By candidate, worked out once: an excluded one has none, since nothing else of it matters."""
    if "points_of" not in desk.kept_apart:
        found: dict[str, list[Point]] = {o.candidate.id: [] for o in movable(desk)}
        for point in numbered(desk):
            for name in point.candidates or tuple(found):
                found[name].append(point)
        desk.kept_apart["points_of"] = {name: tuple(told) for name, told in found.items()}
    told: dict[str, tuple[Point, ...]] = desk.kept_apart["points_of"]
    return told.get(who, ())


def of_condition(desk: Desk, condition: Condition) -> Point | None:
    """The point that a condition of the choice is; None where it stands in no list of points."""
    chosen = desk.decision.chosen
    found = of_outcome(desk, chosen) if chosen is not None else ()
    exact = next((point for point in found if condition in point.conditions), None)
    alike = [point for point in found if point.topic == condition.topic]
    return exact or (alike[0] if len(alike) == 1 else None)
