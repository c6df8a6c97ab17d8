"""No sentence that a reader sees on a page is the English page's own, unless it is somebody else's.

The texts of a whole page are read as a browser shows them, tables, pictures, letters and panels included, and
those of another language are set beside the English ones. What is the same in both is a person's, a file's, or
of a sort that `JUSTIFIED` names.
"""

import json
import re
from functools import cache
from html.parser import HTMLParser

import pytest
from samples.test_samples import COMPLETE, SAMPLES

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from tests.languages.test_nothing_escapes import evened, words_of

OTHERS = ("fr", "pt", "tr")
# Sentences, and what stands between names: each piece is looked at alone.
_PARTS = re.compile(r"[.;:!?](?=\s|$)|[,«»“”„\"()|·—–=→]|\x00|\s-\s")
# A word of a language: no path, key, number, unit or version.
_WORD = re.compile(r"(?<![\w./:@#+-])[^\W\d_]+(?:['’-][^\W\d_]+)*(?![\w/@+-]|[.:]\w)")
_MOST = 2
# Of fiche and yet the same in every language: each with the reason.
JUSTIFIED = {
    r"(fiche|vllm|pdfdetach|sha256sum|qpdf|mkdir) .*": "a command, as it is typed",
    r".*\bRTX .*|.*\b(NVIDIA|AMD|GeForce|Radeon|Instinct)\b.*": "a card, by the name that its maker gives it",
    r"PyTorch (aten|torch|\d[\d.]* include)/.*|.* at [0-9a-f]{7}": "a file of a program's source",
    r"table of known GPUs|data from TechPowerUp|a cloud's hardware requirements for ROCm"
    r"|article on the RTX A6000|compute capability of each GPU": "a source, as the catalog cites it",
    r"os Ubuntu .*": "a system, by the name that it prints",
    r"PCIe (single|dual)-slot( ou OAM)?": "a form of card, as catalogs write it",
}
_JUSTIFIED = re.compile("|".join(f"(?:{each})" for each in JUSTIFIED))
_INLINE = ("data", "i", "small", "strong", "a", "span", "bdi", "tspan", "b")


class Shown(HTMLParser):
    """The texts of a page; an element that is no part of a sentence ends one."""

    def __init__(self):
        super().__init__()
        self.texts, self.text, self.hidden = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("style", "script")
        self.text.append("" if tag in _INLINE else "\x00")
        told = dict(attrs)
        self.texts += [told[key] for key in ("aria-label", "title", "download") if told.get(key)]

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script")
        self.text.append("" if tag in _INLINE else "\x00")

    def handle_data(self, text):
        if not self.hidden:
            self.text.append(text)


def words_for_scripts(page):
    """What scripts say beside the page: phrases, codes, and texts of decision.json in its language."""
    found = re.search(r'<script type="application/json" id="words">(.*?)</script>', page, re.DOTALL)
    told = json.loads(found[1])
    return [text for key in ("texts", "page", "codes") for text in told.get(key, {}).values()]


def sentences(page):
    """Every stretch of a page that has more than two words of a language."""
    reader = Shown()
    reader.feed(re.sub(r'href="data:[^"]*"', 'href="#"', page))
    whole = "\x00".join(["".join(reader.text), *reader.texts, *words_for_scripts(page)])
    stretches = (re.sub(r"\s+", " ", part).strip(" .,'’-") for part in _PARTS.split(whole))
    return {part for part in stretches if len(_WORD.findall(part)) > _MOST}


@cache
def compiled(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml")


def page(name, tag):
    return files(compiled(name), Asked(formats=("html",), language=tag))["report.html"].decode()


@cache
def english(name):
    return sentences(page(name, "en"))


@cache
def own(name):
    return words_of(SAMPLES / name, compiled(name).decision)


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("name", COMPLETE)
def test_no_sentence_of_a_page_stays_in_english(name, tag):
    same = english(name) & sentences(page(name, tag))
    left = {one for one in same if evened(one) not in own(name) and not _JUSTIFIED.fullmatch(one)}
    assert sorted(left) == []
    assert len(english(name)) > 200, "sentences are found at all"


def test_what_is_english_is_found():
    """The check itself: a phrase of fiche's own in the place of a translated one is seen."""
    made = page("serving", "fr")
    wrong = made.replace("<h2 id=title-open>", "<h2 id=title-open>What is still missing ", 1)
    assert "What is still missing" in " ".join(sentences(wrong) - sentences(made))
