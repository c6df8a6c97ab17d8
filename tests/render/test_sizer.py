"""The sizer in the page: data that cannot act, scripts let in by their digests, a page that reads without."""

import base64
import hashlib
import re
from html import unescape

import pytest
from render.chromium import launched, opened
from render.pages import decision as by_hand
from render.pages import page
from report.sized import decision, estimators

from fiche.assets import template_text
from fiche.evaluate.whatif import what_if
from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.render.sizer import SCRIPTS, island
from fiche.report.sizer import with_sizer
from fiche.report.sizer_parts import Sizer
from fiche.report.view import view
from fiche.report.words.en import MEMBER as ENGLISH


def of(made):
    """The page of any decision with its sizer."""
    report = with_sizer(view(made), made, ENGLISH, what_if(made, estimators()))
    return html_bytes(report, made, attachments_of(made, decision_bytes(made), {})).decode()


def sized(name):
    """The page of a sample."""
    return of(decision(name))


def test_hostile_words_are_inert_and_visible():
    content = {
        "words": {"now": "</script><script>alert(1)</script>"},
        "owners": [{"label": "a\u202eb & <b>"}],
        "cases": [{"rows": [{"label": "<i>", "place": 0, "now": "&"}]}],
        "nodes": ["12", ["1", None], ["7/2", "7/2"], ["0", "4"], ["-", 1, 0]],
    }
    text = island(Sizer(unscripted="", content=content))
    assert "<" not in text
    assert "&" not in text
    assert "\u202e" not in text
    assert "‹U+202E›" in text
    assert '"nodes":"12 1~ 7/2 0~4 -:1:0"' in text


def test_its_scripts_are_let_in_by_their_digests():
    text = sized("serving")
    policy = re.search(r"script-src ([^;]*);", unescape(text))[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert sum("ficheSizer" in script for script in scripts) == len(SCRIPTS)


def test_no_attribute_of_style_or_handler_is_ever_set():
    """The policy would refuse them: shapes have attributes of their own."""
    for name in SCRIPTS:
        source = template_text(name)
        assert not re.search(
            r"\.style\.|[\"']style[\"']|\bon\w+=|innerHTML|outerHTML|eval\(", source
        )


def test_without_a_load_there_is_no_script_of_it():
    text = page("nothing_known").decode()
    assert "ficheSizer" not in text
    assert "id=sizer" not in text


def test_without_scripts_one_sentence_says_so():
    text = sized("serving")
    section = re.search(r"<section id=sizer .*?</section>", text, re.DOTALL)[0]
    shown = re.sub(r"<script.*?</script>", "", section, flags=re.DOTALL)
    assert "fiche estimate answers the same questions" in shown
    assert not re.search(r"<(input|select|button|form)", shown)


def test_paper_has_none_of_it():
    assert re.search(r"#sizer[^{]*\{ display: none; \}", template_text("report_print.css"))


@pytest.mark.parametrize("name", ["serving", "latent-cache"])
def test_it_stays_light(name):
    """Script, style and data together are a small part of the page's 250 KB."""
    text = sized(name)
    data = re.search(r'id="sizer-facts">(.*?)</script>', text, re.DOTALL)[1]
    assert len(data.encode()) <= 40_000
    assert sum(len(template_text(script)) for script in SCRIPTS) <= 26_000


@pytest.mark.browser
@pytest.mark.parametrize("name", ["hostile", "rich", "crowded"])
def test_any_decision_opens_without_a_complaint(name):
    """Hostile names are read as names: no element, no request, no error; nothing wider than a narrow screen."""
    with (
        launched() as started,
        opened(started, of(by_hand(name)), viewport={"width": 320, "height": 800}) as tab,
    ):
        assert tab.locator("#sizer .sizer tr").count() > 3
        assert tab.locator("#sizer :is(img, script:not([type]))").count() == 0
        assert (tab.requests, tab.complaints) == ([], [])
        assert tab.evaluate("document.documentElement.scrollWidth") == 320
