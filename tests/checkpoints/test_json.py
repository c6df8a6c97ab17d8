"""JSON of model files: exact numbers, and each fault at its line and column (law 3, law 7)."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest
from checkpoints.build import refusals
from hypothesis import given
from hypothesis import strategies as st

from fiche.checkpoints._json import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, json_object, place
from fiche.kernel.diagnostic import Refused


def read(content, **named):
    return json_object(content, "a.json", 8 * 2**20, **named)[0]


def refused(content, **named):
    (each,) = refusals(read, content, **named)
    where = (each.address.line, each.address.column) if each.address else None
    return each.code, where


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-05", Fraction(1, 100_000)),
        ("0.1", Fraction(1, 10)),
        ("1e3", 1000),
        ("500000.0", 500_000),
        ("-0.0", 0),
        ("1000000000000000019884624838656", 1000000000000000019884624838656),
        ("3.4028234663852886e+38", 34028234663852886 * 10**22),
        ("true", True),
        ("null", None),
    ],
)
def test_numbers_are_exact_and_whole_ones_are_int(written, value):
    found = read(f'{{"a": {written}}}'.encode())["a"]
    assert (found, type(found)) == (value, type(value))


def test_words_for_no_number_are_texts_where_they_may_stand():
    """Configurations of Mamba 2 say `"time_step_limit": [0.0, Infinity]`."""
    found = read(b'{"a": [0.0, Infinity, -Infinity, NaN]}', constants=True)
    assert found == {"a": [0, "Infinity", "-Infinity", "NaN"]}
    assert refused(b'{"b": 1,\n "a": [0.0, Infinity]}') == ("F803", (2, 13))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'\xef\xbb\xbf{"a": 1}', ("F802", (1, 1))),
        ('{"a": 1}'.encode("utf-16"), ("F802", (1, 1))),
        ('{"a": 1}'.encode("utf-16-le"), ("F802", (1, 1))),
        (b'{\n "\xc3\xa9": "\xff"}', ("F802", (2, 8))),
        (b'{"a": 1,\n "b" 2}', ("F803", (2, 6))),
        (b"", ("F803", (1, 1))),
        (b'{"a": 1} x', ("F803", (1, 10))),
        (b'{"a": "\\ud800"}', ("F803", (1, 8))),
        (b'{"a": 1,\n "b": {"c": 1, "c": 2}}', ("F804", (2, 16))),
        (b'{"a": {"c": 1}, "b": [{"c": 2}, 3], "a": 2}', ("F804", (1, 37))),
        (b'{"a": ' + b"9" * 1101 + b"}", ("F805", (1, 7))),
        (b'{"b": 1,\n "a": 1e999999999}', ("F805", (2, 7))),
        (b'{"a": 1e-99999}', ("F805", (1, 7))),
        (b'{"a": ' + b"[" * 64 + b"]" * 64 + b"}", ("F805", (1, 70))),
        (b'{"a":' * 200_000, ("F805", (1, 321))),
        (b"[" * 4_000_000, ("F805", None)),
        (b'["a"]', ("F806", (1, 1))),
        (b"3", ("F806", (1, 1))),
        (b" " * (8 * 2**20 + 1), ("F801", None)),
        (b'{"a": [' + b"0," * MAX_VALUES + b"0]}", ("F805", None)),
    ],
)
def test_a_fault_is_refused_at_its_place(content, expected):
    assert refused(content) == expected


def test_the_deepest_that_is_read_is_read():
    inner = b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1)
    assert read(b'{"a": ' + inner + b"}")
    assert read(b'{"a": ' + b"9" * MAX_DIGITS + b"}")["a"] == 10**MAX_DIGITS - 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"<!DOCTYPE html>", "web page"),
    ],
)
def test_what_is_no_json_at_all_is_named(content, words):
    (each,) = refusals(read, content)
    assert words in each.hint


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), values), st.sampled_from([None, 1]))
def test_what_json_writes_is_read_as_it_was(document, indent):
    text = json.dumps(document, indent=indent)
    if "\\ud" in text:  # hypothesis makes whole characters; json writes some as two escapes
        document = json.loads(text)
    assert read(text.encode()) == document


@given(st.dictionaries(st.text(max_size=3), values), st.sampled_from([None, 1]))
def test_a_path_leads_to_the_value_that_stands_there(document, indent):
    text = json.dumps(document, indent=indent)

    def check(value, path):
        found, _ = json.JSONDecoder().raw_decode(text, place(text, path))
        assert found == value
        inside = value.items() if isinstance(value, dict) else ()
        inside = enumerate(value) if isinstance(value, list) else inside
        for key, each in inside:
            check(each, (*path, key))

    check(document, ())


@given(st.binary(max_size=60) | st.text('{}[]",:0e1-.\\un ', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(content):
    with suppress(Refused):
        assert isinstance(read(content), dict)
