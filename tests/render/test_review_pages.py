"""Reviewed reports, drafts and comparisons: built to both standards on paper, clean under axe on a screen."""

from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from render.chromium import launched, opened
from render.pdf_gate import passes
from render.test_browser import MODES, RULES

from fiche.cli.compile import compile_fiche
from fiche.cli.diff_json import diff_json
from fiche.cli.diff_report import _attachments, _compared
from fiche.cli.diff_sides import compared
from fiche.languages import spoken, tags
from fiche.render.attachment import attachments_of
from fiche.render.canonical import canonical
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.render.pdf import rendered
from fiche.report.changes import changes
from fiche.report.draft import drafted
from fiche.report.view import view

pytestmark = pytest.mark.browser

SAMPLES = Path(__file__).parents[2] / "samples"
COMMITTEE = SAMPLES / "committee"


@cache
def reviewed():
    return compile_fiche(COMMITTEE / "fiche.yaml", COMMITTEE / "review.yaml")


@cache
def draft(tag):
    """The committee's report with its comments, as a draft: page, attachments, date."""
    made, words = reviewed(), spoken(tag)
    attached = attachments_of(made.decision, decision_bytes(made.decision), made.contents, words)
    report = drafted(view(made.decision, words), words)
    return html_bytes(report, made.decision, attached), attached, made.decision.fiche.date


@cache
def difference(tag):
    """Of two samples that share nothing but their form: everything came or went."""
    sides = compared(SAMPLES / "guide" / "fiche.yaml", SAMPLES / "serving" / "fiche.yaml")
    words = spoken(tag)
    attached = _attachments(sides, canonical(diff_json(sides.found)), words)
    page = html_bytes(changes(_compared(sides), words), None, attached)
    return page, attached, sides.found.after.date


CASES = [(make, tag) for make in (draft, difference) for tag in tags()]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "tag"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_on_paper_it_is_built_to_both_standards(make, tag):
    page, attached, date = make(tag)
    found = rendered(page, attached, date)
    assert found.complaints == ()
    passes(found.pdf, language=tag, attachments=attached)
    assert found == rendered(page, attached, date)


@pytest.mark.parametrize("tag", tags())
def test_every_page_of_a_draft_says_so_and_its_title_does(tag):
    words = spoken(tag).phrases
    pdf = PdfReader(BytesIO(rendered(*draft(tag)).pdf))
    assert len(pdf.pages) >= 4
    title = words["draft_title"].partition("{")[0]
    assert pdf.metadata.title.startswith(title)
    first = " ".join(pdf.pages[0].extract_text().split())
    assert words["draft_lead"] in first
    for page in pdf.pages:
        assert words["draft_word"] in page.extract_text().replace("\n", "")


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


AXE = Path(pytest.importorskip("axe_playwright_python").__file__).parent / "axe.min.js"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [draft, difference])
def test_on_a_screen_it_is_clean_and_asks_for_nothing(browser, make, mode):
    page = make("en")[0].decode()
    with opened(browser, page, **MODES[mode]) as tab:
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        found = tab.evaluate("rules => axe.run({runOnly: rules})", RULES)
        assert [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in found["violations"]] == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [url for url in tab.requests if not url.startswith("data:")] == []
        assert tab.complaints == []


def test_a_mark_leads_to_its_comment_and_the_comment_back(browser):
    with opened(browser, draft("en")[0].decode()) as tab:
        assert tab.locator("a.remark").count() >= 4
        broken = """[...document.querySelectorAll('a.remark, a.to')]
            .map(a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))"""
        assert tab.evaluate(broken) == []
        tab.locator("#on-c1").click()
        assert tab.evaluate("location.hash") == "#comment-c1"
        tab.locator("#comment-c1 a.to").click()
        assert tab.evaluate("location.hash") == "#on-c1"
