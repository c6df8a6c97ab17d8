"""Which answers make a package too dear: each set is answered for real and judged anew (D1, D2, DESIGN 4)."""

from fractions import Fraction
from itertools import chain, combinations

import pytest
from evaluate.build import (
    EXCLUDE,
    TO_CONFIRM,
    assumed,
    budget,
    candidate,
    declared,
    finding,
    offer,
    quote,
    ratio,
    workload,
)

from fiche.evaluate.settlement import open_of, refusals
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.unit import BYTE, HOUR, money

GB = 10**9
NEVER = "1000000 h"
STATED = {"duration": "10 h", "per": "1 h", "extension": "hours", "tax": "excluded", "quoted": True}

# By name: the words of the condition, the terms that leave it open, and a bad answer to it.
POINTS = {
    "hours": ("how many hours the work takes", {"duration": None}, {"duration": NEVER}),
    "quote": ("get a quote", {"quoted": False}, {"quoted": True}),
    "validity": ("until when", {"valid_until": None}, {"valid_until": "2026-11-01"}),
    "basis": ("includes tax", {"tax": None}, {"tax": "excluded"}),
    "rate": ("tax rate", {"tax_rate": None}, {"tax_rate": "900 %"}),
    "recovery": ("tax_recovery", {"recovery": None}, {"recovery": "0 %"}),
    "lots": ("lots at most", {"lots_max": 1}, {"lots_max": 1}),
    "egress": (
        "egress costs",
        {"egress": "1 USD", "egress__per": "GB", "egress__quantity": None},
        {"egress__quantity": 10_000 * GB},
    ),
    "words": (
        "binds the buyer",
        {"commitment": "see the contract"},
        {"commitment": declared(10**6, HOUR)},
    ),
    "begun": (
        "begun is paid whole",
        {
            "storage": "1 USD",
            "storage__per": "GB month",
            "storage__quantity": 500 * GB,
            "month": declared(730, HOUR),
            "storage__begun": None,
        },
        {"storage__begun": "whole"},
    ),
    "exchange": ("state a rate", {"exchange": None}, {"exchange": 1000}),
    "typed": ("typed it", {"exchange": "typed"}, {"exchange": 1000}),
}


def judged(points, answered, most, basis):
    terms = dict(STATED)
    for name in points:
        terms |= POINTS[name][1]
    for name in answered:
        terms |= POINTS[name][2]
    duration, quoted = terms.pop("duration"), terms.pop("quoted")
    recovery, rate = terms.pop("recovery", None), terms.pop("exchange", None)
    for name in ("egress__quantity", "storage__quantity"):
        if terms.get(name) is not None:
            terms[name] = declared(terms[name], BYTE)
    on = candidate(
        cards=2 if "lots" in points else 1,
        load=workload(duration=duration),
        offer=offer("1 USD", **terms),
    )
    purchase = Purchase(
        rates=() if rate is None else (exchanged(rate),),
        recovery=None if recovery is None else ratio(recovery),
    )
    pieces = [quote("1 USD")] if quoted else []
    return finding(budget(most, basis), pieces, on, purchase=purchase)


def exchanged(value):
    unit = money("EUR").per(money("USD"))
    figure = assumed(1, unit) if value == "typed" else declared(Fraction(value), unit)
    return Rate(source="USD", target="EUR", figure=figure, date="2026-11-27", told_by="a bank")


def sets(found):
    """The names of each set, by the words of its conditions."""
    return {
        frozenset(name for name, (words, _, _) in POINTS.items() for c in one if words in c.text)
        for one in refusals(found.comparison, open_of(found))
    }


CASES = [
    (("hours",), "60 USD", "excluded", [{"hours"}]),
    (("hours", "quote", "validity"), "60 USD", "excluded", [{"hours"}]),
    (("quote", "validity"), "60 USD", "excluded", []),
    (("lots",), "60 USD", "excluded", []),
    (("hours", "egress", "words"), "60 USD", "excluded", [{"hours"}, {"egress"}, {"words"}]),
    (("basis",), "60 USD", "excluded", []),
    (("basis",), "5 USD", "excluded", [{"basis"}]),
    (("basis", "hours"), "60 USD", "excluded", [{"basis", "hours"}]),
    (("rate",), "60 USD", "included", [{"rate"}]),
    (("rate", "recovery"), "60 USD", "payable", [{"rate", "recovery"}]),
    (("exchange", "quote"), "60 EUR", "excluded", [{"exchange"}]),
    (("exchange", "hours"), "60 EUR", "excluded", [{"exchange"}]),
    (("typed", "hours"), "60 EUR", "excluded", [{"typed"}]),
    (("begun",), "60 USD", "excluded", [{"begun"}]),
    (("begun",), "600 USD", "excluded", []),
    (("begun", "egress"), "600 USD", "excluded", [{"egress"}]),
]


@pytest.mark.parametrize(("points", "most", "basis", "told"), CASES)
def test_a_set_excludes_and_no_smaller_one_does(points, most, basis, told):
    """Every combination of bad answers is judged: it excludes exactly where it holds one of the sets."""
    found = judged(points, (), most, basis)
    assert found.verdict is TO_CONFIRM
    assert sets(found) == {frozenset(one) for one in told}
    every = chain.from_iterable(combinations(points, n) for n in range(len(points) + 1))
    for answered in every:
        excluded = judged(points, answered, most, basis).verdict is EXCLUDE
        assert excluded == any(one <= set(answered) for one in told), answered
