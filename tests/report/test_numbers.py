"""Numbers are rounded once, at print, to nearest, and never contradict the verdict beside them."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown
from fiche.kernel.origin import Stated
from fiche.kernel.unit import (
    BYTE,
    BYTE_PER_SECOND,
    DAY,
    HOUR,
    ONE,
    SECOND,
    WATT,
    Unit,
    count_of,
    money,
)
from fiche.languages import spoken
from fiche.report.numbers import (
    PAGE,
    TERMINAL,
    alike,
    amount,
    amount_exact,
    elapsed,
    exact,
    exact_bytes,
    fine,
    memory,
    pair,
    rounded,
)

GIB = 2**30
USD = money("USD")


def figure(low, high=..., unit=BYTE):
    high = low if high is ... else high
    return Figure(low=low, high=high, unit=unit, origin=Stated(span=None))


@pytest.mark.parametrize(
    ("bytes_", "unit", "text"),
    [
        (14_000_000_000, "GB", "14.00 GB"),
        (14_000_000_000, "GiB", "13.04 GiB"),
        (14_000_000_000 + 4 * GIB, "GiB", "17.04 GiB"),
        (14_000_000_000 + 6 * GIB, "GiB", "19.04 GiB"),
        (18_000_000_000, "GiB", "16.76 GiB"),
        (24_000_000_000, "GiB", "22.35 GiB"),
        (GIB, "GiB", "1.00 GiB"),
        (-GIB // 2, "GiB", "-0.50 GiB"),
        (0, "GiB", "0.00 GiB"),
        (80 * GIB, "GiB", "80.00 GiB"),
        (2000 * GIB, "GiB", "2 000.00 GiB"),
        (10 * 2**20, "GiB", "10.00 MiB"),
        (10 * 10**6, "GB", "10.00 MB"),
        (512, "GiB", "0.50 KiB"),
        (512, "GB", "0.51 kB"),
        (12, "GiB", "12 B"),
    ],
)
def test_memory_in_the_unit_that_is_said(bytes_, unit, text):
    """B1, B2: the published values of the source documents."""
    assert memory(bytes_, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("0.004"), "0.00"),
        (Fraction("0.005"), "0.01"),
        (Fraction("-0.005"), "-0.01"),
        (Fraction("-0.004"), "0.00"),
        (Fraction("1.005"), "1.01"),
        (Fraction("2.675"), "2.68"),
        (Fraction(2, 3), "0.67"),
        (1234567, "1 234 567.00"),
    ],
)
def test_rounding_is_to_nearest_and_a_tie_goes_away_from_zero(value, text):
    """Law 2: exact decimals, so 1.005 is a tie and not what a binary float makes of it."""
    assert rounded(value, 2) == text


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0 ns"),
        (940, "940 ns"),
        (11_630, "11.6 us"),
        (1_834_000, "1.83 ms"),
        (49_340_000, "49.3 ms"),
        (101_530_000, "102 ms"),
        (40_000_000_000, "40.0 s"),
        (4_321_000_000_000, "4 321 s"),
    ],
)
def test_a_time_has_three_digits_in_its_unit(nanoseconds, text):
    """C14: phases of milliseconds and of minutes can be told apart."""
    assert elapsed(nanoseconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (14_000_000_000, "14 000 000 000 B"),
        (999, "999 B"),
        (1000, "1 000 B"),
        (-1234, "-1 234 B"),
        (0, "0 B"),
    ],
)
def test_exact_bytes_are_grouped(value, text):
    assert exact_bytes(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(Fraction("0.62"), "0.62"), (Fraction(1, 3), "1/3"), (5, "5")]
)
def test_exact_numbers_keep_every_digit(value, text):
    assert exact(value) == text


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (figure(24_320_000_000, 24_330_000_000), "22.65 to 22.66 GiB"),
        (figure(24_320_000_000, 24_320_000_001), "22.65 GiB"),
        (figure(14_000_000_000, None), "13.04 GiB or more"),
        (figure(0, None), "unknown"),
        (figure(100 * 2**20, 2 * GIB), "0.10 to 2.00 GiB"),
        (figure(0, 16 * 2**20), "0.00 to 16.00 MiB"),
        (figure(Fraction("55.71"), unit=USD), "55.71 USD"),
        (figure(60, unit=USD), "60.00 USD"),
        (figure(Fraction("47.14"), Fraction(60), unit=USD), "47.14 to 60.00 USD"),
        (figure(Fraction("0.655"), unit=USD.per(HOUR)), "0.655 USD/h"),
        (figure(Fraction("0.35"), unit=USD.per(HOUR)), "0.35 USD/h"),
        (figure(Fraction(2), unit=USD.per(HOUR)), "2.00 USD/h"),
        (figure(Fraction("0.9512"), unit=money("EUR").per(USD)), "0.9512 EUR/USD"),
        (figure(Fraction("7333.5"), unit=money("JPY")), "7 334 JPY"),
        (figure(Fraction("14.5678"), unit=money("KWD")), "14.568 KWD"),
        (figure(72, unit=HOUR), "72 h"),
        (figure(Fraction(1, 2), unit=HOUR), "0.5 h"),
        (figure(Fraction(1, 3), unit=HOUR), "0.33 h"),
        (figure(300, unit=WATT), "300 W"),
        (figure(45, unit=DAY), "45 days"),
        (figure(Fraction(5, 4), unit=SECOND), "1.25 s"),
        (figure(8192, unit=count_of("tokens")), "8 192 tokens"),
        (figure(Fraction("0.62"), unit=ONE), "0.62"),
        (figure(Fraction(2, 3), unit=ONE), "0.6667"),
        (figure(7, unit=ONE), "7"),
        (figure(1_008_000_000_000, unit=BYTE_PER_SECOND), "1 008.00 GB/s"),
        (figure(8, unit=Unit((("B", -1),))), "8 per B"),
    ],
)
def test_each_kind_of_amount(node, text):
    text = text.replace("13.04 GiB or more", "at least 13.04 GiB")
    assert amount(node, TERMINAL) == text


def test_what_is_unknown_is_said_and_is_no_zero():
    """C2."""
    node = Unknown(condition=Condition(topic="need", text="measure it"), unit=BYTE)
    assert amount(node) == "unknown"


def test_a_page_never_breaks_inside_a_number():
    assert amount(figure(2000 * GIB), PAGE) == "2\u00a0000.00\u00a0GiB"
    assert spoken("en").style is PAGE


def test_exact_amounts_name_their_unit():
    assert amount_exact(figure(14_000_000_000, None)) == "at least 14 000 000 000 B"
    assert amount_exact(figure(1, 2)) == "1 to 2 B"
    assert amount_exact(figure(Fraction("60.004"), unit=USD)) == "60.004 USD"


# --- Two numbers beside a verdict ---------------------------------------------------------------


def test_bytes_are_printed_where_both_would_read_alike():
    """Law 2: 25.26 GB against 25.26 GB would contradict the verdict."""
    need, have = figure(25_255_000_000), figure(25_264_000_000)
    assert pair(need, have) == ("25 255 000 000 B", "25 264 000 000 B")


@pytest.mark.parametrize(
    ("need", "have", "texts"),
    [
        (figure(20 * GIB), figure(22 * GIB), ("20.00 GiB", "22.00 GiB")),
        (figure(20 * GIB), figure(20 * GIB), ("20.00 GiB", "20.00 GiB")),
        (figure(20 * GIB), figure(20 * GIB + 1), ("21 474 836 480 B", "21 474 836 481 B")),
        (figure(20 * GIB + 1), figure(20 * GIB), ("21 474 836 481 B", "21 474 836 480 B")),
        (
            figure(20 * GIB, None),
            figure(20 * GIB + 5),
            ("at least 21 474 836 480 B", "21 474 836 485 B"),
        ),
        (figure(0, None), figure(22 * GIB), ("unknown", "22.00 GiB")),
        (figure(60, unit=USD), figure(Fraction("59.9"), unit=USD), ("60.00 USD", "59.90 USD")),
        (
            figure(Fraction("60.004"), unit=USD),
            figure(60, unit=USD),
            ("60.004 USD", "60 USD"),
        ),
        (
            figure(Fraction("0.61996"), unit=ONE),
            figure(Fraction("0.62"), unit=ONE),
            ("0.61996", "0.62"),
        ),
    ],
)
def test_a_pair_is_rounded_unless_that_would_mislead(need, have, texts):
    assert pair(need, have) == texts


def test_a_small_difference_far_from_the_other_end_changes_nothing():
    assert pair(figure(GIB, 2 * GIB), figure(24 * GIB)) == ("1.00 to 2.00 GiB", "24.00 GiB")


sizes = st.integers(min_value=0, max_value=2**43)


def read(text):
    """The printed number of bytes, by the unit printed with it."""
    number, unit = text.rsplit(" ", 1)
    factor = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    factor |= {"kB": 10**3, "MB": 10**6, "GB": 10**9}
    return Fraction(number.replace(" ", "")) * factor[unit]


@given(sizes, sizes)
@example(25_255_000_000, 25_264_000_000)
@example(2**30, 2**30 + 1)
def test_printed_numbers_compare_as_the_exact_ones(need, have):
    """Law 2, for any two amounts and either family of units."""
    for unit in ("GiB", "GB"):
        left, right = (read(text) for text in pair(figure(need), figure(have), unit=unit))
        assert (left > right) == (need > have)
        assert (left < right) == (need < have)


@given(sizes)
def test_what_is_printed_is_within_half_a_last_digit(value):
    for unit in ("GiB", "GB"):
        text = memory(value, unit)
        step = read("0.01 " + text.rsplit(" ", 1)[1]) if not text.endswith(" B") else 1
        assert abs(read(text) - value) <= Fraction(step) / 2


@given(st.fractions(), st.integers(min_value=0, max_value=6))
def test_rounding_is_nearest_for_any_number(value, decimals):
    printed = Fraction(rounded(value, decimals).replace(" ", ""))
    assert abs(printed - value) <= Fraction(1, 2 * 10**decimals)


def test_a_figure_that_stands_alone_keeps_its_mebibytes():
    """130.75 MiB is no 0.13 GiB."""
    assert fine(figure(137101312)) == "130.75 MiB"
    assert fine(figure(2**30)) == "1.00 GiB"
    assert fine(figure(0)) == "0 B"
    assert fine(figure(-(2**29))) == "-512.00 MiB"
    assert alike([figure(256 * 2**20), figure(137101312)]) == ["256.00 MiB", "130.75 MiB"]
