"""Pictures of a page bear classes for their paints: no paint is lost, on a screen or on paper."""

import re
from xml.etree import ElementTree

import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from render.pages import NAMES, page

from fiche.render import _paint
from fiche.render._classes import repaint, sheet, shortened

SVG = '<svg role="img" font-family="F" font-size="15" xmlns="http://www.w3.org/2000/svg">'
runs = st.one_of(
    st.sampled_from(sorted(_paint.STROKES)).map(_paint.stroke),
    st.sampled_from(sorted(_paint.TONES)).map(_paint.tone),
    st.tuples(
        st.sampled_from((*_paint.FILLS, *_paint.HATCHED)), st.booleans()
    ).map(lambda each: _paint.fill("name", each[0], edge=each[1])),
)  # fmt: skip


def paints(element):
    return {name: value for name, value in element.items() if name != "class"}


def parsed(picture):
    """A picture as a page has it; its attributes without quotes are HTML, not XML."""
    import weasyprint

    html = weasyprint.HTML(string=f"<html><body>{picture}</body></html>")
    return next(html.etree_element.iter("{http://www.w3.org/2000/svg}svg"))


@given(st.lists(runs, min_size=1, max_size=9))
def test_paper_gets_back_what_a_class_stands_for(painted):
    whole = SVG + "".join(f'<rect x="1" {run}/>' for run in painted) + "</svg>"
    short = shortened(Markup(whole))
    assert len(short) < len(whole)
    made = parsed(short)
    repaint(made)
    assert [paints(e) for e in list(made)] == [
        paints(e) for e in list(ElementTree.fromstring(whole))
    ]


@given(runs)
def test_browsers_paint_by_the_sheet_what_paper_paints(run):
    element = parsed(shortened(Markup(f'{SVG}<rect x="1" {run}/></svg>')))[0]
    told = {}
    for rule in tinycss2.parse_stylesheet(str(sheet())):
        assert rule.type == "qualified-rule"
        words = re.findall(r"[\w-]+", tinycss2.serialize(rule.prelude))
        if set(words) & set(element.get("class").split()):
            told |= dict(re.findall(r"([\w-]+):([^;]+)", tinycss2.serialize(rule.content)))
    own = {name: value for name, value in paints(element).items() if name != "x"}
    whole = ElementTree.fromstring(f"<rect {run}/>")
    assert {**own, **told} == paints(whole)


def test_words_in_a_picture_are_kept():
    """What a text says of itself is no attribute: it is escaped, and stays."""
    told = '<text x="1">class=&#34;l-ink&#34; stroke=&#34;#14171a&#34; a=&#34;b&#34; </text>'
    assert told.partition(">")[2] in shortened(Markup(f"{SVG}{told}</svg>"))


def test_no_paint_that_a_class_stands_for_is_left_in_a_page():
    for name in NAMES:
        for drawn in re.findall(r"<svg.*?</svg>", page(name).decode(), re.DOTALL):
            assert shortened(Markup(drawn)) == drawn
