"""Rates, latencies and months are read once, exactly, or refused with every reading (law 2)."""

from fractions import Fraction

import pytest

from fiche.kernel.number import Misread
from fiche.kernel.rates import MONTH, parse_latency, parse_months, parse_throughput
from fiche.kernel.unit import SECOND, count_of


@pytest.mark.parametrize(
    ("parse", "text", "value", "unit"),
    [
        (parse_throughput, "300 tokens/s", 300, count_of("tokens/s")),
        (parse_throughput, "2.5 requests/s", Fraction(5, 2), count_of("requests/s")),
        (parse_latency, "800 ms", Fraction(4, 5), SECOND),
        (parse_latency, "1.5 s", Fraction(3, 2), SECOND),
        (parse_months, "36 months", 36, MONTH),
        (parse_months, "3 years", 36, MONTH),
        (parse_months, "1 year", 12, MONTH),
    ],
)
def test_each_is_read_in_its_unit(parse, text, value, unit):
    found = parse(text)
    assert (found.value, found.unit, found.text) == (value, unit, text)


@pytest.mark.parametrize(
    ("parse", "text", "code"),
    [
        (parse_throughput, "300", "F201"),
        (parse_throughput, "300 tok/s", "F203"),
        (parse_throughput, "300 tokens", "F203"),
        (parse_throughput, "1,500 tokens/s", "F202"),
        (parse_latency, "800", "F201"),
        (parse_latency, "1 min", "F203"),
        (parse_months, "36", "F201"),
        (parse_months, "1095 days", "F203"),
    ],
)
def test_what_has_no_single_reading_is_refused(parse, text, code):
    found = parse(text)
    assert isinstance(found, Misread)
    assert found.code == code
    assert found.hint
