"""What is left of a market, cheapest package first (D2, D9): the order of a decision's own costs."""

from fractions import Fraction

from evaluate.markets import all_doors, candidate_of, lookup, market_of, plain, rows, sample

from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.screening import screen
from fiche.evaluate.shortlist import shortlist
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Verdict
from fiche.kernel.origin import Declared
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.record import replace
from fiche.kernel.unit import money


def costs(told, purchase=None):
    """The least cost of each row that no must excludes, as a decision has it."""
    candidates = tuple(candidate_of(row) for row in told if "could_be" not in row)
    fiche = replace(sample(), candidates=candidates, choice=None, plans=(), efforts=())
    fiche = replace(fiche, purchase=purchase or fiche.purchase)
    outcomes = judged_fiche(fiche, all_doors(), "test").outcomes
    return {
        o.candidate.id: o.cost for o in outcomes if o.status != "excluded" and o.cost is not None
    }


def test_the_first_are_the_cheapest():
    told = [row for row in rows(80, seed=2) if "could_be" not in row]
    found = screen(sample(), all_doors(), market_of(told), plain(), lookup())
    listed = [one for one in shortlist(found, 1000) if one.cost is not None]
    expected = costs(told)
    assert {one.id: one.cost.low for one in listed} == {
        id: cost.low for id, cost in expected.items()
    }
    for unit in {one.cost.unit for one in listed}:
        lows = [
            one.cost.low
            for one in listed
            if one.cost.unit == unit and one.verdict is Verdict.TO_CONFIRM
        ]
        assert lows == sorted(lows)


def test_costs_are_in_the_currency_of_the_fiche():
    """With `currency: EUR` and a rate, dollars and euros stand in one order (D9)."""
    rate = Fraction(9, 10)
    figure = Figure(
        low=rate,
        high=rate,
        unit=money("EUR").per(money("USD")),
        origin=Declared(address=None, by="a bank", printed="0.9"),
    )
    told_rate = Rate(source="USD", target="EUR", figure=figure, date="2026-11-27", told_by="a bank")
    purchase = Purchase(currency="EUR", rates=(told_rate,))
    told = [row for row in rows(80, seed=2) if "could_be" not in row]
    euros = [
        {**row, "price.amount": row["price.amount"].replace("USD", "EUR")} for row in told[:40]
    ]
    told = [*euros, *told[40:]]
    fiche = replace(sample(), purchase=purchase)
    found = screen(fiche, all_doors(), market_of(told), plain(), lookup())
    listed = [one for one in shortlist(found, 1000) if one.cost is not None]
    assert {str(one.cost.unit) for one in listed} == {"EUR"}
    assert {one.id: one.cost.low for one in listed} == {
        id: cost.low for id, cost in costs(told, purchase).items()
    }


def test_a_short_list_is_the_head_of_a_long_one():
    told = rows(120, seed=4)
    found = screen(sample(), all_doors(), market_of(told), plain(), lookup())
    long, short = shortlist(found, 1000), shortlist(found, 3)
    by_unit = {}
    for one in long:
        by_unit.setdefault(None if one.cost is None else one.cost.unit, []).append(one.id)
    assert [one.id for one in short] == [id for ids in by_unit.values() for id in ids[:3]]


def test_excluded_offers_are_not_on_it():
    told = rows(120, seed=6)
    found = screen(sample(), all_doors(), market_of(told), plain(), lookup())
    groups = list(found.rows())
    listed = shortlist(found, 1000)
    assert all(found.verdict(groups[one.row]) is not Verdict.EXCLUDE for one in listed)
    left = sum(
        n for group, n in found.groups.items() if found.verdict(group) is not Verdict.EXCLUDE
    )
    assert len(listed) == left
