"""Text is decoded strictly; lines are counted by LF, columns in characters (law 3, law 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.diagnostic import Refused
from fiche.load.source import source


def refused(content):
    with pytest.raises(Refused) as caught:
        source("a.yaml", content)
    return [(d.code, d.address.line, d.address.column) for d in caught.value.diagnostics]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n")))
def test_a_place_leads_back_to_its_character(text):
    try:
        found = source("a.yaml", text.encode())
    except Refused:
        return
    lines = text.split("\n")
    for index, character in enumerate(text):
        span = found.span(index)
        if character != "\n":
            assert lines[span.line - 1][span.column - 1] == character


def test_only_a_line_feed_ends_a_line():
    """YAML counts CR, NEL and the Unicode separators as well; editors and git do not."""
    text = "a: 1 # x\rb\u2028c\u2029d\u0085e\r\nf\rg"
    assert refused(text.encode()) == [("F102", 1, n) for n in (9, 11, 13, 15)] + [("F102", 2, 2)]


def test_the_line_ends_of_windows_may_stay():
    found = source("a.yaml", b"a\r\nb\r\n")
    place = found.span(found.text.index("b"))
    assert (place.line, place.column) == (2, 1)


def test_a_byte_order_mark_moves_no_column():
    found = source("a.yaml", b"\xef\xbb\xbfa: 1\n")
    assert found.text == "a: 1\n"
    assert found.content.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_refused_by_name(encoding):
    assert refused("fiche: 1\n".encode(encoding)) == [("F101", 1, 1)]


def test_the_place_of_a_wrong_byte_counts_characters():
    assert refused("a: 1\né: ".encode() + b"\xff") == [("F101", 2, 4)]


def test_all_control_characters_are_told():
    assert refused("ab\x00\n\tc\x7f\n\u202ed\r\n".encode()) == [
        ("F102", 1, 3),
        ("F102", 2, 3),
        ("F102", 3, 1),
    ]
