"""The overview in a browser: clean under axe in four modes, no request, no overflow, and readable on paper."""

from datetime import date
from io import BytesIO

import pytest
from archive.holdings import many
from pypdf import PdfReader
from render.test_browser import MODES, chromium, opened, overflow, violations

from fiche.archive.overview import Scope, counted, held
from fiche.languages import spoken
from fiche.render.attachment import attachment
from fiche.render.html import html_bytes
from fiche.report.overview import DOCUMENT, overview

pytestmark = pytest.mark.browser
__all__ = ["chromium", "opened"]

LONG = ("meta-llama/Llama-3.1-8B-Instruct", f"org/{'a-very-long-name-' * 6}", "Ünï/かな")


def page(language="en"):
    scope = Scope(archive="6f0e3c1a-0000-4000-8000-000000000000", day=date(2026, 12, 1))
    found = held(lambda: map(counted, many(400, LONG)), scope)
    words = spoken(language)
    attached = attachment(DOCUMENT, b"{}", "application/json", "x", "Alternative")
    return html_bytes(overview(found, "9.9", words), None, (attached,))


@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_nothing_and_nothing_overflows(opened, mode):
    tab = opened(page(), **MODES[mode])
    assert overflow(tab) <= 0
    tab.locator("summary").first.click()
    assert violations(tab) == []
    assert overflow(tab) <= 0


@pytest.mark.parametrize("language", ["fr", "pt", "tr"])
def test_other_languages_fit_a_narrow_screen(opened, language):
    tab = opened(page(language), **MODES["narrow"])
    assert overflow(tab) <= 0
    assert violations(tab) == []


TABLES = ("matrix", "pairs", "latest", "leaving", "named", "attachments")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_no_table_scrolls_and_each_cell_says_its_column(opened, scheme):
    tab = opened(page(), viewport={"width": 390, "height": 844}, color_scheme=scheme)
    tab.locator("summary").first.click()
    for name in TABLES:
        box = tab.locator(f"#table-{name}")
        assert box.evaluate("t => t.scrollWidth <= t.parentElement.clientWidth + 1"), name
        heads = box.locator("thead th").all_text_contents()
        before = "e => getComputedStyle(e, '::before').content"
        row = box.locator("tr", has=tab.locator("td")).first
        said = [cell.evaluate(before).strip('"') for cell in row.locator("td").all()]
        assert said == heads[1:], name
    assert overflow(tab) <= 0
    assert violations(tab) == []


def test_a_word_of_the_matrix_leads_to_its_pair(opened):
    tab = opened(page())
    tab.locator("#table-matrix a").first.click()
    target = tab.evaluate("document.querySelector(':target').closest('table').id")
    assert target == "table-pairs"


def test_paper_shows_what_a_screen_folds(opened):
    tab = opened(page())
    paper = PdfReader(BytesIO(tab.pdf(format="A4")))
    text = "".join(each.extract_text() for each in paper.pages).replace("\n", "")
    ids = tab.evaluate(
        "Array.from(document.querySelectorAll('[id^=entry-]')).map(e => e.id.slice(6))"
    )
    assert len(ids) > 20
    assert [one for one in ids if one not in text] == []
