"""The paints of pictures in a page: a class each there, which a screen colours, and attributes on paper.

A picture alone is drawn with attributes (`_paint`), which are three quarters of it. One table says which class
stands for which attributes: it shortens a picture for a page, writes the style sheet by which browsers paint
it, and gives the attributes back to a renderer of paper, which has no style sheet for pictures.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from fiche.render import _paint

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Paint = dict[str, str]

_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_EDGE: Paint = {"stroke": "#474e57", "stroke-width": "1"}
# Bars are written by their template. Three tones of computed parts, so that neighbours are told apart; a later
# rule wins over an earlier one.
_SEAM: Paint = {"stroke": "#ffffff", "stroke-width": "2"}
_BARS: dict[str, Paint] = {
    "s-observed": {"fill": "#1f4e79"},
    "s-computed": {"fill": "#546a80"},
    "s-declared": {"fill": "#8a97a5"},
    "s-stated": {"fill": "#8a97a5"},
    "t0": _SEAM,
    "t1": {"fill": "#8ca0b3", **_SEAM},
    "t2": {"fill": "#b4c2cf", **_SEAM},
    "limit": {"stroke": "#14171a", "stroke-width": "4", "fill": "none"},
    "track": {"fill": "#e9ecf0"},
    "pale": {"fill": "#dfe6ed"},
    "dots": {"fill": "#546a80"},
    "b-assumed": {"stroke": "#5b4a00", "stroke-width": "2.5", "fill": "none"},
    "b-margin": {"stroke": "#4a5058", "stroke-width": "1.5", "fill": "none"},
    "b-unknown": {"stroke": "#8a1c1c", "stroke-width": "1.3", "fill": "none"},
}
# What SVG takes where nothing is said, and what an element of a page has of the page.
_SPARE = re.compile(
    r' text-anchor="start"| xmlns="http://www.w3.org/2000/svg"| font-family="[^"]*"(?= font-size)'
)
_PAINTED = re.compile(
    r'class="[^"]*"(?: (?:fill|stroke|stroke-width|stroke-dasharray|font-weight)="[^"]*")+'
)
_QUOTED = re.compile(r'="([\w.#-]+)"(?=[ >])')


def shortened(picture: Markup) -> Markup:
    """A picture to stand in a page: the same elements with classes in the place of paints."""
    table = _short()
    bare = _SPARE.sub("", picture).replace(">\n<", "><")
    short = _PAINTED.sub(lambda found: table.get(found[0], found[0]), bare)
    return Markup(_QUOTED.sub(r"=\1", short))


def repaint(picture: Element) -> None:
    """Give a parsed picture the attributes that its classes stand for; what has its own keeps it."""
    table = _table()
    for element in picture.iter():
        for word in reversed(element.get("class", "").split()):
            for name, value in table.get(word, {}).items():
                element.attrib.setdefault(name, value)


@cache
def sheet() -> Markup:
    """The style sheet of the classes; a screen's own colours are told more exactly, and win."""
    words: dict[str, list[str]] = {}
    for word, paint in _table().items():
        rule = ";".join(f"{name}:{value}" for name, value in paint.items())
        words.setdefault(rule, []).append(f".{word}")
    return Markup("".join(f"{','.join(each)}{{{rule}}}" for rule, each in words.items()))


@cache
def _painted() -> dict[str, tuple[str, Paint]]:
    """Each run of attributes that a picture is painted with: the class for it, and its own attributes."""
    found: dict[str, tuple[str, Paint]] = {}
    runs = [(f"k-{kind}", _paint.stroke(kind)) for kind in _paint.STROKES]
    runs += [(f"w-{kind}", _paint.tone(kind)) for kind in _paint.TONES]
    runs += [(f"f-{kind}", _paint.fill("", kind, edge=False)) for kind in _paint.FILLS]
    for word, run in runs:
        paint = dict(_ATTRIBUTE.findall(run))
        own = paint.pop("class")
        found.setdefault(run, (own if own == word else f"{own} {word}", paint))
    return found


@cache
def _short() -> dict[str, str]:
    edge = "".join(f' {name}="{value}"' for name, value in _EDGE.items())
    plain = {run: f'class="{word}"' for run, (word, _) in _painted().items()}
    edged = {run + edge: f'class="{word} edged"' for run, (word, _) in _painted().items()}
    return {**plain, **edged}


@cache
def _table() -> dict[str, Paint]:
    told = {word.split()[-1]: paint for word, paint in _painted().values()}
    return {**told, "edged": _EDGE, **_BARS}
