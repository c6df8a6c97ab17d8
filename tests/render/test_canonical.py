"""RFC 8785: the bytes of another implementation, and what that form cannot hold (E4)."""

import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as some

from fiche.kernel.said import tell
from fiche.render.canonical import EXACT, canonical

TEXTS = some.text(some.characters(exclude_categories=["Cs"]))
WHOLE = some.integers(-EXACT, EXACT)
DOCUMENTS = some.recursive(
    some.none() | some.booleans() | WHOLE | TEXTS,
    lambda inner: some.lists(inner) | some.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_its_bytes_are_those_of_another_implementation(document):
    assert canonical(document) == rfc8785.dumps(document)
    assert json.loads(canonical(document)) == document


def test_the_order_of_keys_is_that_of_the_rfc():
    """Its own example (3.2.3): by UTF-16 units, so that a smiley comes before U+FB33."""
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    wanted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(keys, 0)))) == wanted


def test_nothing_is_escaped_that_need_not_be():
    told = canonical('\x00\x1f\b\t\n\f\r"\\/\x7f\u2028é\U0001f600')
    assert told == '"\\u0000\\u001f\\b\\t\\n\\f\\r\\"\\\\/\x7f\u2028é\U0001f600"'.encode()


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (EXACT, b"9007199254740991"),
        (-EXACT, b"-9007199254740991"),
        (EXACT + 1, b'"9007199254740992"'),
        (-(10**30), b'"-1' + b"0" * 30 + b'"'),
        (True, b"true"),
    ],
)
def test_an_integer_that_readers_would_round_is_a_string(number, told):
    assert canonical(number) == told


def test_a_lone_surrogate_is_written_out_and_a_pair_is_none():
    assert canonical({"a\ud800": "b\udc80"}) == '{"a‹U+D800›":"b‹U+DC80›"}'.encode()
    assert canonical("\U0001f600") == '"\U0001f600"'.encode()


@pytest.mark.parametrize("wrong", [0.5, float("nan"), {1: 2}, {"a": b"bytes"}])
def test_a_float_is_refused(wrong):
    with pytest.raises((TypeError, AttributeError)):
        canonical(wrong)


def test_told_texts_are_plain():
    assert canonical({"a": tell("{n} runs", n=2)}) == b'{"a":"2 runs"}'
