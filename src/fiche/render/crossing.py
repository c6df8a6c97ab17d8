"""The picture of cost against hours as SVG, to stand in a page.

Told apart without colour: what is bought is one heavy line, each rent has a dash or a weight of its own, and
crossings are numbered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from fiche.render import _paint
from fiche.render.drawing import text, way
from fiche.render.visible import visible
from fiche.report.crossing import BOTTOM, HEIGHT, LEFT, RIGHT, ROW, TOP, WIDTH
from fiche.report.letters import fitted, width
from fiche.report.parts import Costs, Course, Point

_RENTS = ("rent-0", "rent-1", "rent-2", "rent-3")


def crossing(drawn: Costs) -> Markup:
    """One picture, with the letters of every other."""
    return Markup("\n".join(_svg(drawn)))


def _svg(drawn: Costs) -> Iterator[str]:
    yield (
        f'<svg role="img" class="pic narrow" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{_paint.FONT}" '
        f'font-size="{_paint.LETTERS}"><title>{text(f"{drawn.title}: {drawn.said}")}</title>'
    )
    yield f'<rect x="0" y="0" width="{WIDTH}" height="{HEIGHT}" {_paint.fill("", "paper")}/>'
    base = TOP + ROW * (len(drawn.courses) - 2)
    yield from _legend(drawn.courses)
    for tick in drawn.ys:
        yield _path(f"M{LEFT} {tick.at} H{RIGHT}", "grid")
        yield _words(LEFT - 9, tick.at + 5, tick.label, "end", "quiet")
    for at in drawn.years:
        yield _path(f"M{at} {base} V{BOTTOM}", "guide")
    for tick in drawn.xs:
        yield _path(f"M{tick.at} {BOTTOM} v6", "tick")
        yield _words(_inside(tick.at, tick.label), BOTTOM + 23, tick.label, "middle", "quiet")
    for course in drawn.courses:
        yield _line(course)
    yield _path(f"M{LEFT} {base} V{BOTTOM} H{RIGHT}", "axis")
    yield _words(LEFT - 9, base - 15, drawn.up, "end", "quiet")
    yield _words((LEFT + RIGHT) // 2, BOTTOM + 46, drawn.across, "middle", "quiet")
    for mark in drawn.marks:
        yield from _mark(mark)
    yield "</svg>"


def _inside(x: int, label: str) -> int:
    """Where a label is centred so that none of it lies beyond the right edge."""
    return min(x, WIDTH - 2 - width(label, _paint.LETTERS) // 2)


def _style(course: Course) -> str:
    return "own" if course.kind == "own" else _RENTS[course.dash % len(_RENTS)]


def _legend(courses: Sequence[Course]) -> Iterator[str]:
    """A row each: a name has all the width there is."""
    for place, course in enumerate(courses):
        y = 16 + ROW * place
        yield _path(f"M8 {y - 5} H50", _style(course))
        yield _words(60, y, course.label, "start", "plain", room=WIDTH - 64)


def _line(course: Course) -> str:
    return _path(way(tuple(dict.fromkeys(course.points))), _style(course))


def _path(way: str, kind: str) -> str:
    return f'<path d="{way}" {_paint.stroke(kind)}/>'


def _mark(mark: Point) -> Iterator[str]:
    """A disc on the crossing, and its number beside it on a plate."""
    y = mark.y - 26 if mark.above else mark.y + 26
    ring = f'class="plate" fill="{_paint.PAPER}" stroke="{_paint.INK}" stroke-width="1.5"'
    yield _path(f"M{mark.x} {mark.y} V{y}", "axis")
    yield (
        f'<circle cx="{mark.x}" cy="{mark.y}" r="4.5" class="sign" fill="{_paint.INK}" '
        f'stroke="{_paint.PAPER}" stroke-width="1.2"/>'
        f'<circle cx="{mark.x}" cy="{y}" r="11" {ring}/>'
    )
    yield _words(mark.x, y + 5, str(mark.number), "middle", "strong")


def _words(x: int, y: int, told: str, anchor: str, tone: str, *, room: int = WIDTH) -> str:
    shown = fitted(visible(told), room, _paint.LETTERS, heavy=_paint.is_heavy(tone))
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {_paint.tone(tone)}>{text(shown)}</text>'
