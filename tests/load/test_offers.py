"""Offers as sellers state them: months, commitments, data planned (F7, D9)."""

from fractions import Fraction

import pytest
from loading import MemoryFolder

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Refused
from fiche.load.catalog import catalogs
from fiche.load.fault import Faults
from fiche.load.node import Scalar

HEAD = "offers: 1\nlist:\n  - {id: o, seller: s, kind: rent, gpu: nvidia-l4-24g"


def offer(more):
    price = "" if more.startswith("price") else ", price: {amount: 1 USD, per: 1 h}"
    text = f"{HEAD}{price}, {more}}}\n"
    faults = Faults()
    name = Scalar(Span(file="fiche.yaml", line=1, column=1, text="o.yaml"), plain=True)
    found = catalogs([name], MemoryFolder({"o.yaml": text.encode()}), faults)
    faults.stop()
    return found.offers["o"]


def codes(more):
    with pytest.raises(Refused) as caught:
        offer(more)
    return [found.code for found in caught.value.diagnostics]


def test_a_month_says_its_own_hours():
    """Catalog 7: 672, 730 and 744 h are all sold as one."""
    found = offer("price: {amount: 1250 USD, per: 730 h, unit: month}")
    assert (found.figures["hours"].low, found.facts["price.unit"].value) == (730, "month")
    beside = offer("price: {amount: 1 USD, per: 1 h}, month: 744 h")
    assert beside.figures["month"].low == 744


def test_a_month_without_hours_is_refused_with_its_three_readings():
    with pytest.raises(Refused) as caught:
        offer("price: {amount: 1250 USD, per: 1 month}")
    (found,) = caught.value.diagnostics
    assert found.code == "F210"
    assert all(hours in found.hint for hours in ("672 h", "730 h", "744 h"))


@pytest.mark.parametrize("unit", ["month", "Month"])
def test_a_month_of_two_lengths_is_refused(unit):
    price = "price: {{amount: 1 USD, per: {per}, unit: {unit}}}, month: 730 h"
    assert codes(price.format(per="672 h", unit=unit)) == ["F363"]
    assert offer(price.format(per="730 h", unit=unit)).figures["month"].low == 730
    assert offer(price.format(per="72 h", unit="lot")).figures["month"].low == 730


def test_a_commitment_is_hours_or_words():
    timed = offer("commitment: {time: 2190 h, quote: q}")
    assert timed.figures["commitment"].low == 2190
    assert timed.facts["commitment.quote"].value == "q"
    worded = offer("commitment: 3 months")
    assert worded.facts["commitment"].value == "3 months"
    assert "commitment" not in worded.figures
    assert codes("commitment: {months: 3}") == ["F302", "F301"]


def test_data_planned_is_bytes():
    found = offer("storage: {amount: 0.05 EUR, per: GB month, quantity: 500 GB, begun: whole}")
    assert found.figures["storage.quantity"].low == 500 * 10**9
    assert found.facts["storage.begun"].value == "whole"
    assert found.figures["storage"].low == Fraction("0.05")
    assert codes('egress: {amount: 1 USD, per: GB, quantity: "60"}') == ["F201"]


@pytest.mark.parametrize(
    ("charge", "code"),
    [
        ("{amount: 1 USD, per: order, quantity: 1 GB}", "F301"),
        ("{amount: 1 USD, per: GB, quantity: 1 GB, begun: whole}", "F301"),
        ("{amount: 1 USD, per: GB month, begun: half}", "F304"),
    ],
)
def test_a_charge_has_only_what_it_is_by(charge, code):
    assert codes(f"storage: {charge}") == [code]


def test_minutes_are_hours():
    assert offer("min_time: 480 minutes").figures["min_time"].low == 8
