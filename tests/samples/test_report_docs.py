"""docs/report.md names every part that a report may have, by its title and in its place, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from loading import fiche_of

from fiche.cli.compile import compile_fiche
from fiche.kernel.diagnostic import Refused
from fiche.report.view import view
from fiche.report.words.en import MEMBER as ENGLISH

ROOT = Path(__file__).resolve().parents[2]
# Together they have every part that there is.
SAMPLES = ("serving", "one-change", "second-opinion", "buy-or-rent", "committee")
LISTED = re.compile(r"<!-- parts: (\w+) -->\n(.*?)<!-- end of parts -->", re.DOTALL)


@pytest.fixture(scope="module")
def parts():
    """Titles by place, as reports of the samples print them; the what-if joins where a page is made."""
    found = {"annex": {ENGLISH.phrases["sizer_title"]}}
    for sample in SAMPLES:
        folder = ROOT / "samples" / sample
        review = folder / "review.yaml"
        compiled = compile_fiche(folder / "fiche.yaml", review if review.exists() else None)
        for section in view(compiled.decision).sections:
            found.setdefault(section.place, set()).add(section.title)
    return found


def listed():
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    return {
        place: set(re.findall(r"^\| (?!part \||--- )([^|]+?) \|", table, re.MULTILINE))
        for place, table in LISTED.findall(text)
    }


def test_every_part_is_told_and_no_other(parts):
    assert listed() == parts


def blocks(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)


def test_what_the_page_on_rentals_writes_is_accepted():
    asked, offers = blocks("howto-rental.md")
    quote = "  - {id: quote-4090, file: quote.txt, kind: quote, scope: {offer: northlab-4090}}\n"
    fiche = fiche_of(
        asked,
        f"catalogs: [offers.yaml]\npieces:\n{quote}",
        candidates=(
            "candidates:\n  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1, offer: northlab-4090}\n"
        ),
        files={"offers.yaml": offers, "quote.txt": "109.99 USD\n"},
    )
    assert [one.kind for one in fiche.requirements] == ["cost", "delivery"]


def test_the_choice_of_the_page_on_purchases_has_keys_that_a_fiche_knows():
    (choice,) = blocks("howto-purchase.md")
    with pytest.raises(Refused) as refused:
        fiche_of(choice)
    # The page has no offers and no such candidate: names are missing, and no key is unknown.
    assert {one.code for one in refused.value.diagnostics} == {"F307"}
