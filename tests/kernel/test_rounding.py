"""Intervals of printed figures (B1, law 2), with the worked figures of cases/evidence/README.md."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.rounding import bounds_only, exact_bytes, printed_interval, unavailable

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@pytest.mark.parametrize(
    ("text", "unit", "rounding", "value", "low", "high"),
    [
        ("1.13 GiB", GIB, "nearest-2-digits", 1213328261, 1207959552, 1218696970),
        ("44.53 GiB", GIB, "nearest-2-digits", 47813723423, 47808354714, 47819092131),
        ("320.00 KiB", KIB, "nearest-2-digits", 327680, 327675, 327685),
        ("2.00 MiB", MIB, "nearest-2-digits", 2097152, 2091910, 2102394),
        ("512 bytes", 1, "exact", 512, 512, 512),
        ("0.00 GiB", GIB, "nearest-2-digits", 0, 0, 5368709),
        ("24080", MIB, "floor-0-digits", 25249710080, 25249710080, 25250758655),
        ("72GB", GIB, "floor-0-digits", 77309411328, 77309411328, 78383153151),
        ("38127MiB", MIB, "integer-plus-minus-1", 39979057152, 39978008576, 39980105728),
        ("0 MiB", MIB, "integer-plus-minus-1", 0, 0, MIB),
        ("1EB", 1 << 60, "lower-bound", 1 << 60, 1 << 60, None),
        ("15.62 GB", GIB, "nearest-2-digits", 16771847291, 16766478582, 16777216000),
    ],
)
def test_worked_intervals(text, unit, rounding, value, low, high):
    printed = printed_interval(text, unit, rounding)
    assert (printed.value, printed.low, printed.high) == (value, low, high)
    assert (printed.text, printed.unit_bytes, printed.rounding) == (text, unit, rounding)


def test_a_difference_may_be_negative_a_level_may_not():
    signed = printed_interval("-0.10 GiB", GIB, "nearest-2-digits", signed=True)
    assert (signed.low, signed.high) == (-112742891, -102005474)
    level = printed_interval("-0.10 GiB", GIB, "nearest-2-digits")
    assert (level.low, level.high) == (0, 0)


def test_a_fraction_printed_in_full_is_one_number_of_bytes():
    """Megatron prints MB of 2**20 with every decimal."""
    printed = printed_interval("13229.0126953125", MIB, "exact")
    assert printed.low == printed.high == printed.value == 13871625216


@pytest.mark.parametrize("text", ["", "N/A", "GiB 2.00", "."])
def test_no_number_is_refused(text):
    with pytest.raises(ValueError, match="no number"):
        printed_interval(text, GIB, "exact")


@pytest.mark.parametrize("rounding", ["", "nearest", "nearest-x-digits", "bounds", "guess"])
def test_an_unknown_rounding_is_refused(rounding):
    with pytest.raises(ValueError, match="unknown rounding"):
        printed_interval("1.00 GiB", GIB, rounding)


def test_what_is_not_available_has_no_value():
    """C2: 2**64 - 1 bytes is a driver's word, never a size."""
    printed = unavailable("17179869184.00 GiB")
    assert printed.unavailable
    assert (printed.value, printed.low, printed.high) == (None, None, None)


def test_derived_bounds_have_no_printed_value():
    printed = bounds_only("the rest", 3, 9)
    assert (printed.value, printed.low, printed.high, printed.rounding) == (None, 3, 9, "bounds")


def test_exact_bytes_keep_the_digits_of_the_program():
    assert exact_bytes(98304, "0x18000").text == "0x18000"
    assert exact_bytes(98304).low == exact_bytes(98304).high == 98304


def format_size(count):
    """As `c10::CachingAllocator::format_size` prints: doubles, two decimals, never TiB."""
    if count <= KIB:
        return f"{count} bytes", 1
    if count <= MIB:
        return f"{count / KIB:.2f} KiB", KIB
    if count <= GIB:
        return f"{count / MIB:.2f} MiB", MIB
    return f"{count / GIB:.2f} GiB", GIB


@given(st.integers(0, 1 << 45))
def test_what_torch_prints_lies_inside_what_is_read(count):
    text, unit = format_size(count)
    rounding = "exact" if unit == 1 else "nearest-2-digits"
    printed = printed_interval(text, unit, rounding)
    assert printed.low <= count <= printed.high
    assert printed.low <= printed.value <= printed.high


@given(st.integers(0, 1 << 45), st.sampled_from([KIB, MIB, GIB]), st.integers(0, 4))
def test_what_is_cut_down_lies_inside_what_is_read(count, unit, digits):
    """Integer division, as in memory_summary and nvidia-smi."""
    steps = count * 10**digits // unit
    whole, rest = divmod(steps, 10**digits)
    text = f"{whole}.{rest:0{digits}d}" if digits else str(whole)
    printed = printed_interval(text, unit, f"floor-{digits}-digits")
    assert printed.low <= count <= printed.high


@given(
    st.integers(0, 1 << 40), st.sampled_from([1, KIB, MIB, GIB, 10**6, 10**9]), st.integers(0, 6)
)
def test_an_interval_is_half_a_step_to_either_side(number, unit, digits):
    text = f"{number}.{'0' * digits}" if digits else str(number)
    printed = printed_interval(text, unit, f"nearest-{digits}-digits")
    half = Fraction(unit, 2 * 10**digits)
    assert 0 <= printed.high - (number * unit) <= half
    assert 0 <= number * unit - printed.low <= half
