"""Quantities: exact, unit always said, every reading offered where there are two (B1, law 2)."""

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.number import decimal
from fiche.kernel.quantity import (
    BYTE_UNITS,
    HOURS,
    POWER_UNITS,
    RATE_UNITS,
    Misread,
    Quantity,
    Version,
    parse_bandwidth,
    parse_bytes,
    parse_count,
    parse_date,
    parse_duration,
    parse_money,
    parse_power,
    parse_ratio,
    parse_score,
    parse_version,
)
from fiche.kernel.unit import BYTE, money

amounts = st.builds(Fraction, st.integers(0, 10**9), st.sampled_from([1, 10, 100, 10_000]))


def written(amount):
    """As a careful person writes it: three decimals behind a short number would be ambiguous."""
    text = decimal(amount)
    whole, _, decimals = text.partition(".")
    return f"{text}0" if len(decimals) == 3 and len(whole) <= 3 and whole != "0" else text


def readings(misread):
    assert isinstance(misread, Misread), misread
    return misread.hint.removeprefix("write ").split(" or ")


@given(amounts, st.sampled_from(sorted(BYTE_UNITS)), st.sampled_from(["", " "]))
def test_bytes_round_trip_to_the_nearest_whole_byte(amount, unit, blank):
    found = parse_bytes(f"{written(amount)}{blank}{unit}")
    exact = amount * BYTE_UNITS[unit]
    assert isinstance(found, Quantity)
    assert found.unit == BYTE
    assert type(found.value) is int
    assert abs(found.value - exact) <= Fraction(1, 2)


@given(amounts, st.sampled_from(sorted(RATE_UNITS)))
def test_rates_round_trip(amount, unit):
    assert (
        abs(parse_bandwidth(f"{written(amount)} {unit}").value - amount * RATE_UNITS[unit]) <= 1 / 2
    )


@given(amounts, st.sampled_from(sorted(POWER_UNITS)), st.sampled_from(sorted(HOURS)))
def test_power_and_duration_round_trip_exactly(amount, watts, hours):
    assert parse_power(f"{written(amount)} {watts}").value == amount * POWER_UNITS[watts]
    assert parse_duration(f"{written(amount)} {hours}").value == amount * HOURS[hours]


@given(amounts)
def test_money_and_scores_are_exact(amount):
    found = parse_money(f"{written(amount)} USD")
    assert (found.value, found.unit) == (amount, money("USD"))
    assert parse_score(f"{written(amount)} %").value == amount / 100


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_with_a_hint(text):
    parsers = (parse_bytes, parse_bandwidth, parse_power, parse_duration, parse_money, parse_ratio)
    for parser in (
        *parsers,
        parse_score,
        parse_version,
        parse_date,
        lambda t: parse_count(t, "cards"),
    ):
        found = parser(text)
        if isinstance(found, Misread):
            assert found.code.startswith("F2")
            assert found.message
            assert found.hint


@given(st.text("0123456789.,'_ ", max_size=20))
def test_what_the_hint_offers_is_accepted(text):
    """A hint that is itself refused would send the author round in circles."""
    found = parse_bytes(f"{text} GiB")
    if isinstance(found, Misread) and found.code == "F202":
        assert all(isinstance(parse_bytes(reading), Quantity) for reading in readings(found))


def test_a_gb_is_not_a_gib():
    """MISSION B1: 24e9 bytes are 22.35 GiB; B2: 4 GiB and 4 GB differ."""
    assert parse_bytes("24 GB").value == 24 * 10**9
    assert parse_bytes("24 GiB").value == 24 * 2**30
    assert parse_bytes("24564 MiB").value == 24564 * 2**20
    assert round(Fraction(24 * 10**9, 2**30), 2) == Fraction("22.35")
    assert parse_bytes("4 GiB").value - parse_bytes("4 GB").value == 294_967_296


@pytest.mark.parametrize(
    ("text", "code", "offered"),
    [
        ("24", "F201", ["24 GB", "24 GiB"]),
        ("24G", "F203", ["24 GB", "24 GiB"]),
        ("24 gb", "F203", ["24 GB", "24 GiB"]),
        ("24 Gb", "F203", ["24 GB", "24 GiB"]),
        ("24 Go", "F203", ["24 GB", "24 GiB"]),
        ("512 KB", "F203", ["512 kB", "512 KiB"]),
        ("13,04 GiB", "F202", ["13.04 GiB", "1304 GiB"]),
        ("2.048 GiB", "F202", ["2.0480 GiB", "2048 GiB"]),
        ("13,04", "F202", ["13.04", "1304"]),
        ("2.048", "F202", ["2.0480", "2048"]),
        ("1 234,56 GB", "F202", ["1234.56 GB"]),
        ("1.024.000 B", "F202", ["1024000 B"]),
        ("012 GB", "F202", ["12 GB"]),
        ("7e9 B", "F206", ["7000000000 B"]),
        ("0x10", "F206", ["16"]),
        ("-1 GB", "F205", []),
        ("about 24 GB", "F204", []),
        ("9" * 61 + " B", "F204", []),
        ("24 GB and 2 more", "F203", []),
    ],
)
def test_bytes_refused_with_every_reading(text, code, offered):
    found = parse_bytes(text)
    assert isinstance(found, Misread)
    assert found.code == code
    for reading in offered:
        assert reading in found.hint
    if code != "F202":
        return
    assert readings(found) == offered


@pytest.mark.parametrize(
    ("text", "code", "offered"),
    [
        ("7B", "F202", "7000000000"),
        ("8k", "F202", "8000 or 8192"),
        ("8,192", "F202", "8.1920 or 8192"),
        ("7_000_000_000", "F202", "7000000000"),
        ("7e9", "F206", "7000000000"),
        ("4.0", "F206", "no decimals"),
        ("1200 tokens", "F206", "1200"),
    ],
)
def test_counts_are_plain_digits(text, code, offered):
    """MISSION A1: "a 7B model" is a name; the count is 7000000000, or whatever it really is."""
    found = parse_count(text, "parameters")
    assert isinstance(found, Misread)
    assert found.code == code
    assert offered in found.hint


def test_a_count_names_what_it_counts():
    found = parse_count("8030261248", "parameters")
    assert (found.value, str(found.unit)) == (8030261248, "parameters")


@pytest.mark.parametrize("text", ["1 month", "3 months", "1 year", "2 m"])
def test_a_month_has_no_length(text):
    """Sellers count 672, 730 and 744 hours for one (D9)."""
    assert parse_duration(text).code == "F210"


@pytest.mark.parametrize("text", ["47.14", "47.14 usd", "47.14 XYZ", "2712 US cents", "47.14 $"])
def test_money_names_its_currency(text):
    assert parse_money(text).code == "F209"
    assert parse_money("47.14 USD").value == Fraction("47.14")


def test_a_ratio_above_one_says_neither_percent_nor_part():
    assert parse_ratio("0.62").value == parse_ratio("62 %").value == Fraction(31, 50)
    assert parse_ratio("62").code == "F211"
    assert parse_score("62").value == 62


def test_bits_are_written_out():
    assert parse_bandwidth("400 Gbit/s").value == 50 * 10**9
    assert "400 Gbit/s" in parse_bandwidth("400 Gb/s").hint


def test_a_date_has_one_order():
    assert parse_date("2026-11-29") == date(2026, 11, 29)
    assert readings(parse_date("03/11/2026")) == [
        "2026-11-03 (day 3, month 11)",
        "2026-03-11 (day 11, month 3)",
    ]
    assert parse_date("2026-02-30").code == "F207"


def test_versions_keep_their_text_and_compare_by_number():
    found = parse_version("2.10")
    assert isinstance(found, Version)
    assert str(found) == "2.10"
    order = [
        "1.0.dev3",
        "1.0a1",
        "1.0rc1.dev2",
        "1.0rc1",
        "1.0",
        "1.0.post1",
        "1.9",
        "v1.10",
        "2.9.1",
    ]
    keys = [parse_version(text) for text in order]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_a_build_name_changes_no_order():
    assert parse_version("2.11.0+cu128") == parse_version("2.11") != parse_version("2.11.1")
    assert parse_version("b6123").scheme == "b"
    assert parse_version(">=1.2").code == parse_version("latest").code == "F208"


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
)
def test_versions_order_as_their_numbers(left, right):
    def padded(numbers):
        return numbers + [0] * (4 - len(numbers))

    a, b = (parse_version(".".join(map(str, numbers))) for numbers in (left, right))
    assert (a < b) == (padded(left) < padded(right))
    assert (a == b) == (padded(left) == padded(right))
