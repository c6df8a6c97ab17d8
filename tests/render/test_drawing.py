"""SVG in a page: well built whatever it says, in the report's letters, with nothing that paper cannot draw."""

import itertools
import logging
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render import decisions

from fiche.assets import template_text
from fiche.languages import spoken
from fiche.render import _paint
from fiche.render.drawing import drawing, sign
from fiche.report.capacities import picture
from fiche.report.desk import Desk
from fiche.report.letters import width
from fiche.report.parts import Drawing, Lettering, Plate, Sign, Stroke

KINDS = tuple(_paint.FILLS) + _paint.HATCHED
LINES = tuple(_paint.STROKES)
SHAPES = ("disc", "ring", "triangle", "cross", "floor", "onward")
TONES = tuple(_paint.TONES)
HOSTILE = (
    "<script>alert(1)</script>",
    "]]></svg>",
    "\u202ex\u202c",
    '" onload="x',
    "&amp;",
    "\x00\x1b[2J",
    "{{ x }}",
)


def made(texts=("told",), name="one", kinds=KINDS):
    marks = (
        *(Plate(kind=kind, x=n * 20, y=5, width=10, height=20) for n, kind in enumerate(kinds)),
        *(Stroke(kind=kind, points=((0, n), (50, n))) for n, kind in enumerate(LINES)),
        *(Sign(shape=shape, x=50, y=50) for shape in SHAPES),
        *(
            Lettering(x=10, y=20 * n, text=text, room=90, tone=tone)
            for n, text in enumerate(texts)
            for tone in TONES
        ),
    )
    return Drawing(
        id=name,
        title="A picture",
        said=" ".join(texts),
        width=1000,
        height=400,
        marks=marks,
        caption=(),
    )


def parsed(drawn):
    return ElementTree.fromstring(str(drawing(drawn)))


@settings(max_examples=40)
@given(st.lists(st.text(max_size=200) | st.sampled_from(HOSTILE), min_size=1, max_size=4))
def test_it_is_well_formed_whatever_it_says(texts):
    """Law 7: words are shown, never obeyed; what has no room is cut."""
    told = parsed(made(tuple(texts)))
    names = {element.tag.rpartition("}")[2] for element in told.iter()}
    assert names <= {"svg", "title", "defs", "pattern", "rect", "path", "circle", "text"}
    for element in told.iter("{http://www.w3.org/2000/svg}text"):
        heavy = element.get("font-weight") == "600"
        assert width(element.text or "", 15, heavy=heavy) <= 90
    assert not any(key.startswith("on") or key == "style" for e in told.iter() for key in e.attrib)


def test_every_pattern_that_is_named_is_there_and_no_other():
    told = str(drawing(made()))
    assert set(re.findall(r'id="([^"]+)"', told)) == set(re.findall(r"url\(#([^)]+)\)", told))
    plain = str(drawing(made(kinds=("sure",))))
    assert "pattern" not in plain


def test_names_of_pictures_are_safe_in_a_pattern():
    told = str(drawing(made(name='a"b)c d<é')))
    assert re.search(r'id="a-b-c-d---assumed"', told)
    parsed(made(name='a"b)c d<é'))


def test_it_says_in_words_what_it_shows():
    title = parsed(made()).find("{http://www.w3.org/2000/svg}title")
    assert title.text == "A picture: told"


def test_what_differs_in_colour_differs_in_hatch_line_or_shape():
    """E2: grey print and colour blindness leave it told apart."""
    dashes = {
        kind: _paint.STROKES[kind][2:] for kind in ("own", "rent-0", "rent-1", "rent-2", "rent-3")
    }
    assert len(set(dashes.values())) == len(dashes)
    hatches = {_paint._PATTERNS[kind][2] for kind in _paint.HATCHED}
    assert len(hatches) == len(_paint.HATCHED)
    assert len({sign(shape, 0, 0) for shape in SHAPES}) == len(SHAPES)

    def light(colour):
        return sum(int(colour[n : n + 2], 16) for n in (1, 3, 5)) // 3

    greys = [
        light(_paint.FILLS[kind]) for kind in ("observed", "computed-0", "computed-1", "computed-2")
    ]
    assert all(after - before >= 24 for before, after in itertools.pairwise(greys))


def test_each_paint_has_a_colour_of_the_screen():
    sheet = template_text("report_pictures.css")
    for kind in _paint.FILLS:
        assert f".f-{kind}" in sheet, kind
    for word, *_ in _paint.STROKES.values():
        assert f".l-{word} " in sheet, word
    for tone in TONES:
        assert f".w-{tone}" in sheet, tone


@pytest.mark.parametrize("tag", ["en", "fr", "pt", "tr"])
def test_a_maker_of_pdfs_has_nothing_to_say(tag, caplog):
    """The log is empty: no rule of the sheet and no part of the picture is unknown to it."""
    from weasyprint import CSS, HTML

    drawn = picture(Desk.of(decisions.rich(), spoken(tag)))
    page = f"<!DOCTYPE html><html lang={tag}><title>x</title><body>{drawing(drawn)}</body></html>"
    with caplog.at_level(logging.WARNING, logger="weasyprint"):
        sheet = CSS(string=template_text("report_pictures.css"))
        HTML(string=page).render(stylesheets=[sheet])
    assert [record.getMessage() for record in caplog.records] == []
