"""A page holds the rules that an element of it can have, whole, and no other (E4)."""

import re
from functools import cache

import cssselect2
import pytest
import tinycss2
import tinyhtml5
from render.pages import NAMES, page

from fiche.render import html, sizer
from fiche.render._classes import sheet
from fiche.render._fitting import fitting, names
from fiche.render._rules import parted, styled

SHEETS = (
    *("report.css", "report_pictures.css", "report_screen.css", "report_print.css"),
    *("report_browser_print.css", sizer.STYLE),
)


def styles_of(text):
    return "".join(re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL))


def selectors(rules):
    """Every selector of a sheet and what stands in its rule, those within media too."""
    for rule in rules:
        if rule.type == "at-rule" and rule.content and rule.lower_at_keyword == "media":
            yield from selectors(tinycss2.parse_rule_list(rule.content, skip_whitespace=True))
        elif rule.type == "qualified-rule":
            told = tinycss2.serialize(rule.content)
            for one in "".join(tinycss2.serialize(rule.prelude)).split(","):
                yield one.strip(), told


def written(text):
    return list(selectors(tinycss2.parse_stylesheet(text, True, True)))


@cache
def whole():
    return "".join((sheet(), *(styled(html.template_text(name)) for name in SHEETS)))


def compiled(selector):
    """What finds elements by a selector; a state or a made box of one counts as the element."""
    plain = re.sub(r"::?[a-z-]+(?![\w(-])", "", selector)
    try:
        return cssselect2.compile_selector_list(plain or "*")
    except cssselect2.SelectorError:
        return []  # a part of `:is(…)`, cut at its comma


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_that_an_element_has_is_there(name):
    text = page(name).decode()
    root = tinyhtml5.parse(text, namespace_html_elements=False)
    elements = list(cssselect2.ElementWrapper.from_html_root(root).iter_subtree())
    kept = set(written(styles_of(text)))
    dropped = {one for one in written(whole()) if one not in kept}
    assert len(dropped) > 50
    had = {
        selector
        for selector, _ in dropped
        for found in compiled(selector)
        if any(found.test(element) for element in elements)
    }
    assert had == set()


def test_only_what_nothing_can_have_is_left_out():
    there = names('<p class="a b" id=c><script>const d={class:"made-here"}</script>')
    for sheet_, fit in (
        (".a{x:1}.gone{x:2}#c .b{x:3}", ".a{x:1}#c .b{x:3}"),
        (".a,.gone{x:1}", ".a{x:1}"),
        (".gone{x:1}", ""),
        (".made-here{x:1}", ".made-here{x:1}"),
        ("p:not(.gone){x:1}", "p:not(.gone){x:1}"),
        (":is(.gone,.a) p,.gone p{x:1}", ":is(.gone,.a) p{x:1}"),
        ("@media print{.gone{x:1}}.a{x:2}", ".a{x:2}"),
        ("@media print{.gone{x:1}.a{x:2}}", "@media print{.a{x:2}}"),
        ("@page{size:A4;@top-left{content:none}}", "@page{size:A4;@top-left{content:none}}"),
        ('[id^="c"] p{x:1}[id^="gone"] p{x:2}', '[id^="c"] p{x:1}'),
        ("i.o{x:1}", "i.o{x:1}"),
        ("code.long{x:1}", "code.long{x:1}"),
    ):
        assert fitting(parted(sheet_), there) == fit
