"""Quoted words in a document's layout: blanks and breaks are evened out, letters and digits are not (D3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.piece import Passage
from fiche.load.located import MOST, places


def found(text, words):
    return places([Passage(place="page 1", text=text)], words) == ["page 1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("109.99  USD\nper lot", "109.99 USD per lot"),
        ("109.99\u00a0USD per\u202flot", "109.99 USD per lot"),
        ("de\ufb01ned by the o\ufb03ce", "defined by the office"),
        ("deliv\u00adery in March", "delivery in March"),
        ("deliv\u00ad\nery in March", "delivery in March"),
        ("deliv-\nery in March", "delivery in March"),
        ("a 24-\nhour lot", "a 24-hour lot"),
        ("memory - at\nleast", "memory - at least"),
        ("price 129.99 USD", "129.99 USD"),
        ("24 GB, 48 GB", "48 GB"),
    ],
)
def test_layout_does_not_matter(text, words):
    assert found(text, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("129.99 USD", "9.99 USD"),
        ("129.99 USD", "29.99 USD"),
        ("1,099 USD", "099 USD"),
        ("24564 MiB", "2456"),
        ("109.995 USD", "109.99"),
        ("per lot", "Per lot"),
        ("10\u00b2", "102"),
        ("109.99 EUR", "109.99 USD"),
        ("anything", "  "),
    ],
)
def test_letters_digits_and_whole_numbers_do(text, words):
    assert not found(text, words)


def test_every_place_is_told_up_to_a_few():
    pages = [Passage(place=f"page {n}", text="24 GB") for n in range(1, 30)]
    assert places(pages[:3], "24 GB") == ["page 1", "page 2", "page 3"]
    assert len(places(pages, "24 GB")) == MOST


@given(st.text(alphabet="ab \n-\u00ad\ufb01", max_size=40), st.text(alphabet="ab \n-", max_size=10))
def test_words_are_found_in_any_text_around_them(text, words):
    if words.split():
        around = f"{text} x{words}y {text}"
        assert found(around, f"x{words}y") or "\u00ad" in text or "-" in words
