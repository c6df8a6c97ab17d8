"""The picture of cost against hours as SVG, to stand in a page.

Told apart without colour: what is bought is one heavy line, each rent has a dash or a weight of its own, and
crossings are numbered. The plate is white, on screens in dark colours as well; letters are large, for narrow
pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from fiche.render.visible import visible
from fiche.report.crossing import BOTTOM, HEIGHT, LEFT, RIGHT, ROW, TOP, WIDTH
from fiche.report.parts import Costs, Course, Point

_INK, _QUIET, _RULE = "#14171a", "#474e57", "#d5dae0"
_OWN = ("#14171a", 4, "")
_RENTS = (
    ("#1f4e79", 3, "12 5"),
    ("#7a4a00", 2, ""),
    ("#4a5058", 3, "3 5"),
    ("#1f4e79", 3, "14 4 3 4"),
)
_FONT = "Fiche Sans, Helvetica, Arial, sans-serif"
_LETTERS = 22
# A name longer than this would leave the picture.
_MOST = 42


def crossing(drawn: Costs) -> Markup:
    """One picture: it scales with the page's width."""
    return Markup("\n".join(_svg(drawn)))


def _svg(drawn: Costs) -> Iterator[str]:
    yield (
        f'<svg role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="{_FONT}" font-size="{_LETTERS}"><title>{_text(f"{drawn.title}: {drawn.said}")}</title>'
    )
    yield f'<rect x="0" y="0" width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    base = TOP + ROW * (len(drawn.courses) - 2)
    yield from _legend(drawn.courses)
    for tick in drawn.ys:
        yield f'<path d="M{LEFT} {tick.at} H{RIGHT}" stroke="{_RULE}" stroke-width="1" fill="none"/>'
        yield _words(LEFT - 9, tick.at + 7, tick.label, "end", fill=_QUIET)
    for at in drawn.years:
        yield (
            f'<path d="M{at} {base} V{BOTTOM}" stroke="{_QUIET}" stroke-width="1" '
            'stroke-dasharray="1 4" fill="none"/>'
        )
    for tick in drawn.xs:
        yield f'<path d="M{tick.at} {BOTTOM} v7" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
        yield _words(_inside(tick.at, tick.label), BOTTOM + 30, tick.label, "middle", fill=_QUIET)
    for course in drawn.courses:
        yield _line(course)
    yield f'<path d="M{LEFT} {base} V{BOTTOM} H{RIGHT}" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
    yield _words(LEFT - 9, base - 14, drawn.up, "end", fill=_QUIET)
    yield _words((LEFT + RIGHT) // 2, BOTTOM + 58, drawn.across, "middle", fill=_QUIET)
    for mark in drawn.marks:
        yield from _mark(mark)
    yield "</svg>"


def _inside(x: int, label: str) -> int:
    """Where a label is centred so that none of it lies beyond the right edge."""
    return min(x, WIDTH - 4 - _LETTERS * (len(label) + 1) // 4)


def _style(course: Course) -> tuple[str, int, str]:
    return _OWN if course.kind == "own" else _RENTS[course.dash % len(_RENTS)]


def _legend(courses: Sequence[Course]) -> Iterator[str]:
    """A row each: a name has all the width there is."""
    for place, course in enumerate(courses):
        y = 24 + ROW * place
        yield _path(f"M12 {y - 7} H66", _style(course))
        label = course.label if len(course.label) <= _MOST else f"{course.label[: _MOST - 1]}…"
        yield _words(78, y, label, "start")


def _line(course: Course) -> str:
    through = " L".join(f"{x} {y}" for x, y in dict.fromkeys(course.points))
    return _path(f"M{through}", _style(course))


def _path(way: str, style: tuple[str, int, str]) -> str:
    colour, width, dash = style
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="{way}" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"'
        f'{dashed} fill="none"/>'
    )


def _mark(mark: Point) -> Iterator[str]:
    """A disc on the crossing, and its number beside it on a plate."""
    y = mark.y - 38 if mark.above else mark.y + 38
    yield (
        f'<path d="M{mark.x} {mark.y} V{y}" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
        f'<circle cx="{mark.x}" cy="{mark.y}" r="6" fill="{_INK}" stroke="#ffffff" stroke-width="1.5"/>'
        f'<circle cx="{mark.x}" cy="{y}" r="15" fill="#ffffff" stroke="{_INK}" stroke-width="2"/>'
    )
    yield _words(mark.x, y + 7, str(mark.number), "middle", weight=600)


def _words(x: int, y: int, text: str, anchor: str, *, weight: int = 400, fill: str = _INK) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{fill}"{bold}>{_text(text)}</text>'


def _text(text: str) -> str:
    return str(escape(visible(text)))
