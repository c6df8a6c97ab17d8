"""The arithmetic that travels is fiche's own, to the byte and to the printed cell (B1 to B3, F1)."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.cli.estimates import estimate_of
from fiche.cli.estimates_text import estimate_text as fiches_text
from fiche.cli.options import Options, asked_workload
from fiche.measure.lab.command import main
from fiche.measure.lab.estimate import estimate_text, in_unit, reserve_bytes, weights_bytes

from fiche.measure.lab.estimate import BINARY_UNITS, DECIMAL_UNITS  # isort: skip
from fiche.report.numbers import memory


def amounts(text):
    """The lines of weights and envelope, and the rows of the formats table."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    kept = [line for line in lines if re.match(r"(weights|envelope) .*=|(32|16|8|4) [<0-9]", line)]
    return list(dict.fromkeys(kept))


def fiches(parameters, bits, **reserve):
    options = Options(parameters=str(parameters), bits=str(bits), **reserve)
    return amounts(fiches_text(estimate_of(asked_workload(None, None, options)), None))


def carried(parameters, bits, amount=Fraction(0), unit=1):
    return amounts(estimate_text(parameters, bits, reserve_bytes(amount, unit)))


def test_the_example_of_the_sources():
    """B2: 14 GB, 13.04 GiB; with an assumed reserve of 4 GiB 17.04 GiB, and 16.76 with 4 GB."""
    assert carried(7_000_000_000, 16, Fraction(4), 2**30)[:2] == [
        "weights 14 000 000 000 B = 14.00 GB = 13.04 GiB",
        "envelope 18 294 967 296 B = 18.29 GB = 17.04 GiB",
    ]
    assert "16.76 GiB" in carried(7_000_000_000, 16, Fraction(4), 10**9)[1]


RESERVES = st.tuples(st.integers(0, 500), st.integers(0, 99))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**13), st.integers(1, 64), RESERVES, st.booleans())
def test_the_script_says_what_fiche_says(parameters, bits, reserve, binary):
    """F1, F9: any count, any width, either reserve."""
    text = f"{reserve[0]}.{reserve[1]:02d}"
    wanted = fiches(parameters, bits, **{"reserve_gib" if binary else "reserve_gb": text})
    assert carried(parameters, bits, Fraction(text), 2**30 if binary else 10**9) == wanted
    assert len(wanted) == 6


@given(st.integers(0, 2**60))
def test_amounts_are_printed_as_fiche_prints_them(count):
    """B1: one rounding, to nearest, and the unit always said."""
    assert in_unit(count, BINARY_UNITS) == memory(count, "GiB").replace("\N{NO-BREAK SPACE}", " ")
    assert in_unit(count, DECIMAL_UNITS) == memory(count, "GB").replace("\N{NO-BREAK SPACE}", " ")


def test_the_last_byte_begun_counts_whole():
    assert weights_bytes(7_000_000_001, 4) == 3_500_000_001


def test_a_reserve_that_nobody_assumed_is_not_printed():
    assert "reserve" not in estimate_text(8, 16, 0).partition("with the same")[0]
    assert "(assumed)" in estimate_text(8, 16, 1)


def test_what_is_left_out_stands_below(capsys):
    """B8, B3: no line is a peak."""
    words = ["estimate", "--parameters", "7000000000", "--bits", "16", "--reserve-gib", "4"]
    assert main(words) == 0
    told = capsys.readouterr().out
    for item in (
        "quantisation metadata",
        "KV cache",
        "no line is a peak",
        "nothing here was measured",
    ):
        assert item in told


@pytest.mark.parametrize(
    "words",
    [
        ["--parameters", "7B", "--bits", "16"],
        ["--parameters", "7e9", "--bits", "16"],
        ["--parameters", "7_000", "--bits", "16"],
        ["--parameters", "-7", "--bits", "16"],
        ["--parameters", "0", "--bits", "16"],
        ["--parameters", "7", "--bits", "16.0"],
        ["--parameters", "7", "--bits", "16", "--reserve-gib", "4,5"],
        ["--parameters", "7", "--bits", "16", "--reserve-gib", "."],
        ["--parameters", "7", "--bits", "16", "--reserve-gib", "4."],
        ["--parameters", "7", "--bits", "16", "--reserve-gib", "4", "--reserve-gb", "4"],
        ["--parameters", "7", "--bits", "16", "--reserve-gib", "2.048"],
        ["--parameters", "07", "--bits", "16"],
        ["--param", "7", "--bits", "16"],
        ["--bits", "16"],
    ],
)
def test_a_number_with_no_single_reading_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["estimate", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""
