"""Widths are those of the fonts: words that are measured here have room there."""

from functools import cache

import pytest
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from fiche.assets import package_data
from fiche.report.letters import fitted, width

FILES = {
    False: ("FicheSans-Regular.woff2", "FicheSansFurther-Regular.woff2"),
    True: ("FicheSans-SemiBold.woff2", "FicheSansFurther-SemiBold.woff2"),
}


@cache
def advances(heavy):
    found = {}
    for file in FILES[heavy]:
        font = TTFont(package_data(f"fonts/{file}"))
        widths = font["hmtx"].metrics
        told = {chr(c): widths[name][0] for c, name in font.getBestCmap().items() if c >= 32}
        found = {**told, **found}
    return found


@pytest.mark.parametrize("heavy", [False, True])
def test_no_letter_is_wider_in_print(heavy):
    narrow = {
        letter: (advance, width(letter, 1000, heavy=heavy))
        for letter, advance in advances(heavy).items()
        if advance > width(letter, 1000, heavy=heavy)
    }
    assert narrow == {}


def test_plain_letters_are_measured_to_the_thousandth():
    exact = {letter: advances(False)[letter] for letter in "abcABC0123456789 .,-éİ\u00a0\u202f"}
    told = {letter: width(letter, 1000) for letter in exact}
    assert all(0 <= told[letter] - exact[letter] <= 25 for letter in exact)


@given(st.text(max_size=300), st.integers(0, 400), st.booleans())
def test_what_fits_has_room_and_begins_the_text(text, room, heavy):
    told = fitted(text, room, 15, heavy=heavy)
    assert told == "" or width(told, 15, heavy=heavy) <= room
    assert told == text or text.startswith(told.removesuffix("…"))


def test_a_text_without_end_takes_no_time_without_end():
    assert fitted("x" * 1_000_000, 100, 15).endswith("x…")
