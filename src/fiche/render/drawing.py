"""A drawing as SVG, to stand in a page: the same bytes on a screen and on paper.

Fills, lines and letters take their colours from attributes, and on a screen from the style sheet's classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from fiche.render import _paint
from fiche.render.visible import visible
from fiche.report.letters import fitted
from fiche.report.parts import Drawing, Lettering, Plate, Sign, Stroke

# What no id of a pattern may hold: names of pieces come in here.
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def drawing(drawn: Drawing) -> Markup:
    """One picture with its title in words; letters are cut where they have no room."""
    return Markup("\n".join(_svg(drawn)))


def _svg(drawn: Drawing) -> Iterator[str]:
    name = "".join(sign if sign in _SAFE else "-" for sign in drawn.id)
    wide = "wide" if drawn.width > 700 else "narrow"
    yield (
        f'<svg role="img" class="pic {wide}" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {drawn.width} {drawn.height}" font-family="{_paint.FONT}" '
        f'font-size="{_paint.LETTERS}"><title>{text(f"{drawn.title}: {drawn.said}")}</title>'
    )
    used = {mark.kind for mark in drawn.marks if isinstance(mark, Plate)}
    if used & set(_paint.HATCHED):
        yield f"<defs>{_paint.defs(name, used)}</defs>"
    for mark in drawn.marks:
        yield _mark(name, mark)
    yield "</svg>"


def _mark(name: str, mark: Plate | Stroke | Sign | Lettering) -> str:
    if isinstance(mark, Plate):
        return (
            f'<rect x="{mark.x}" y="{mark.y}" width="{mark.width}" height="{mark.height}" '
            f"{_paint.fill(name, mark.kind)}/>"
        )
    if isinstance(mark, Stroke):
        return f'<path d="{way(mark.points)}" {_paint.stroke(mark.kind)}/>'
    if isinstance(mark, Sign):
        return sign(mark.shape, mark.x, mark.y)
    return _words(mark)


def way(points: Sequence[tuple[int, int]]) -> str:
    """Through points, level and upright stretches in few letters."""
    x, y = points[0]
    steps = [f"M{x} {y}", *(_step(one, other) for one, other in pairwise(points))]
    return "".join(steps)


def _step(one: tuple[int, int], other: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = one, other
    if x == to_x:
        return f"V{to_y}"
    return f"H{to_x}" if y == to_y else f"L{to_x} {to_y}"


def sign(shape: str, x: int, y: int) -> str:
    """A small mark: filled for what succeeded or was reserved, a cross for what failed."""
    solid = f'class="sign" fill="{_paint.INK}" stroke="{_paint.PAPER}" stroke-width="1.5"'
    line = f'class="l-ink" stroke="{_paint.INK}" stroke-width="2.4" fill="none"'
    return {
        "disc": f'<circle cx="{x}" cy="{y}" r="6" {solid}/>',
        "ring": f'<circle cx="{x}" cy="{y}" r="5" {line}/>',
        "triangle": f'<path d="M{x} {y - 8} l7 13 h-14 z" {solid}/>',
        "cross": f'<path d="M{x - 6} {y - 6} l12 12 M{x - 6} {y + 6} l12 -12" {line}/>',
        "floor": f'<path d="M{x} {y} l-5 9 h10 z" {solid}/>',
        "onward": f'<path d="M{x} {y - 5} l7 5 l-7 5" {_paint.stroke("onward")}/>',
    }[shape]


def _words(mark: Lettering) -> str:
    told = fitted(visible(mark.text), mark.room, _paint.LETTERS, heavy=_paint.is_heavy(mark.tone))
    return (
        f'<text x="{mark.x}" y="{mark.y}" text-anchor="{mark.anchor}" {_paint.tone(mark.tone)}>'
        f"{text(told)}</text>"
    )


def text(told: str) -> str:
    """Words inside SVG."""
    return str(escape(visible(told)))
