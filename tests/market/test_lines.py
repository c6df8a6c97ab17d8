"""Rows of a CSV (F7): those that nothing quotes are split, and are the rows that csv reads."""

import csv
import io
import random

import pytest

from fiche.kernel.diagnostic import Refused
from fiche.market import _lines
from fiche.market._lines import csv_chunks, csv_rows


def read(text):
    return [row for chunk in csv_chunks(text.encode(), "x.csv") for row in chunk]


@pytest.mark.parametrize("seed", range(20))
def test_split_rows_are_those_that_csv_reads(seed):
    chance = random.Random(seed)
    marks = ["a", "é", ",", ",", "\n", " ", "'", "\u2028", "\x0b", "\x1c", "\t", "\\"]
    text = "".join(chance.choice(marks) for _ in range(3000)) + chance.choice(["", "\n"])
    assert read(text) == list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_what_is_quoted_is_left_to_csv(monkeypatch):
    monkeypatch.setattr(_lines, "_split", None)
    assert read('a,"b,c"\n') == [["a", "b,c"]]
    assert read("a,b\rc,d\r\n") == [["a", "b"], ["c", "d"]]


def test_what_is_not_quoted_is_split(monkeypatch):
    monkeypatch.setattr(_lines, "_read", None)
    assert list(csv_rows(b"a,b\n\nc,d", "x.csv")) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("quoted", [False, True])
def test_a_cell_has_a_longest_length_on_either_way(quoted):
    text = "a,b\n" * 300 + f"{'x' * csv.field_size_limit()}x," + ('"y"' if quoted else "y") + "\n"
    with pytest.raises(Refused) as refused:
        read(text)
    (told,) = refused.value.diagnostics
    assert (told.code, told.address.line) == ("F621", 301)
    assert "larger than field limit" in told.message
