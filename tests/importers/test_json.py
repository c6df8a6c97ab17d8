"""JSON of other programs: exact numbers, a line or a pointer for what is wrong (law 4)."""

from decimal import Decimal

import pytest

from fiche.importers._json import (
    NotJsonError,
    document,
    number,
    pointer_text,
    records,
    shape_wrong,
    value_of,
    walk,
    whole,
)
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32


def test_a_fraction_stays_what_was_written():
    assert value_of(b'{"a": 0.1, "b": 7, "c": NaN}') == {"a": Decimal("0.1"), "b": 7, "c": "NaN"}
    assert value_of(b"1e999999999") == "1e999999999"


def test_broken_json_is_refused_with_its_line():
    with pytest.raises(Refused) as caught:
        document(b'{\n"a": \n}', DIGEST, "a report")
    (told,) = caught.value.diagnostics
    assert (told.code, told.address.line) == ("F428", 3)


def test_a_wrong_shape_is_refused_with_its_pointer():
    (told,) = shape_wrong(("prefill", "a/b", 2), "no object", DIGEST).diagnostics
    assert (told.code, told.address.path) == ("F429", "/prefill/a~1b/2")


@pytest.mark.parametrize("text", [b"[" * 100_000, b"1" * 5_000, b"\xff", b"", b'{"a":}'])
def test_hostile_text_is_no_json(text):
    with pytest.raises(NotJsonError):
        value_of(text)


def test_records_are_read_a_line_each_and_others_left_out():
    text = b'{"a": 1}\nnoise\n{"b":\n  {"c": 2.50}\r\n'
    assert list(records(text)) == [(1, {"a": 1}), (4, {"c": Decimal("2.50")})]


def test_numbers_are_numbers_also_in_words_and_nothing_else_is():
    assert [whole(v) for v in (7, "8", Decimal("9.0"), Decimal("9.5"), True, "x", None)] == [
        7,
        8,
        9,
        None,
        None,
        None,
        None,
    ]
    assert [number(v) for v in ("1.50", 2, True, "N/A")] == [
        Decimal("1.50"),
        Decimal(2),
        None,
        None,
    ]


def test_every_member_has_its_path():
    assert dict(walk({"a": [1, {"b": 2}]})) == {
        (): {"a": [1, {"b": 2}]},
        ("a",): [1, {"b": 2}],
        ("a", 0): 1,
        ("a", 1): {"b": 2},
        ("a", 1, "b"): 2,
    }
    assert pointer_text(()) == ""
