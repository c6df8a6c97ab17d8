"""Order (D2): cost of the package, useful margin, documented schedule, id; retained ones only."""

import pytest
from evaluate.build import (
    MACHINE,
    ONE,
    attest,
    budget,
    candidate,
    decision,
    document,
    fiche,
    memory,
    offer,
    outcome,
    piece,
    policy,
    quality,
    quote,
    result,
    run,
    stated,
    total,
    used,
)

from fiche.evaluate.order import basis_of, merged, ranked
from fiche.kernel.decision import Outcome
from fiche.kernel.fact import Fact
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, money

MUSTS = [memory(), quality()]


def placed(id, cost=None, margin=None, schedule=None, *, status="retained", currency="USD", **more):
    """An outcome as judgement leaves it, before order."""
    on = candidate(id)
    when = None if schedule is None else Fact(value=schedule, address=on.span)
    return Outcome(
        candidate=on,
        status=status,
        verdict=Verdict.ADMISSIBLE,
        findings=(),
        conditions=(),
        cost=None if cost is None else stated(cost, money(currency)),
        useful_margin=None if margin is None else stated(margin, BYTE),
        schedule=when,
        rank=None,
        **more,
    )


def ids(outcomes):
    return [o.candidate.id for o in outcomes]


def order(*outcomes, tolerance=0):
    return ranked(outcomes, stated(tolerance, ONE))


def test_the_cheaper_package_goes_first_whatever_the_rest():
    found = order(placed("b", 11, margin=9, schedule="2026-01-01"), placed("a", 10, margin=1))
    assert ids(found) == ["a", "b"]
    assert [o.rank for o in found] == [1, 2]


def test_at_one_cost_the_larger_margin_goes_first():
    found = order(placed("a", 10, margin=1, schedule="2026-01-01"), placed("b", 10, margin=2))
    assert ids(found) == ["b", "a"]


def test_at_one_margin_the_earlier_documented_schedule_goes_first():
    """Undocumented ranks after documented."""
    found = order(
        placed("a", 10, 1),
        placed("b", 10, 1, "2026-12-02"),
        placed("c", 10, 1, "2026-12-01"),
    )
    assert ids(found) == ["c", "b", "a"]


def test_at_one_schedule_the_id_decides_so_that_order_is_total():
    found = order(placed("b", 10, 1, "2026-12-01"), placed("a", 10, 1, "2026-12-01"))
    assert ids(found) == ["a", "b"]
    assert found[0].tied_with == ("b",)


def test_an_unknown_cost_is_not_ranked_never_last_and_never_zero():
    found = order(placed("free"), placed("b", 10), placed("a", 20))
    assert ids(found) == ["b", "a", "free"]
    assert [o.rank for o in found] == [1, 2, None]


def test_a_cost_with_an_open_upper_end_is_unknown():
    open_ = replace(stated(1, money("USD")), high=None)
    found = order(replace(placed("open"), cost=open_), placed("b", 10))
    assert [(o.candidate.id, o.rank) for o in found] == [("b", 1), ("open", None)]


def test_only_retained_candidates_are_ranked():
    """What is only to confirm forms a shortlist with package cost, not a ranking."""
    found = order(
        placed("out", 1, status="excluded"),
        placed("maybe", 2, status="to_confirm"),
        placed("in", 3),
    )
    assert ids(found) == ["in", "maybe", "out"]
    assert [o.rank for o in found] == [1, None, None]


def test_ties_are_banded_from_the_cheapest():
    """100, 102, 104 at 2 %: neighbour to neighbour would make all three equal."""
    three = [placed("a", 100, margin=1), placed("b", 102, margin=2), placed("c", 104, margin=3)]
    from fractions import Fraction

    found = order(*three, tolerance=Fraction(2, 100))
    assert ids(found) == ["b", "a", "c"]
    assert [o.tied_with for o in found] == [("a",), ("b",), ()]
    assert ids(order(*three)) == ["a", "b", "c"]


def test_a_band_starts_anew_at_the_next_cheapest():
    from fractions import Fraction

    four = [
        placed("a", 100, 1),
        placed("b", 101, 2),
        placed("c", 103, 1),
        placed("d", 105, 2),
    ]
    found = order(*four, tolerance=Fraction(2, 100))
    assert ids(found) == ["b", "a", "d", "c"]


def test_different_currencies_are_not_ranked_together():
    found = order(placed("b", 10), placed("a", 1, currency="EUR"))
    assert ids(found) == ["a", "b"]
    assert [o.rank for o in found] == [None, None]
    assert ids(order(placed("a", 1, currency="EUR"), placed("b", 10))) == ["a", "b"]


def test_a_currency_that_is_not_retained_spoils_no_ranking():
    found = order(placed("b", 10), placed("a", 1, currency="EUR", status="excluded"))
    assert [o.rank for o in found] == [1, None]


# --- From the fiche ----------------------------------------------------------------------------


def renting(id, price, **terms):
    return candidate(id, offer=offer(price, id=f"offer-{id}", **terms))


def priced(id, price, **terms):
    """A candidate with its offer, and the quote of it."""
    return renting(id, price, **terms), quote(price, id=f"quote-{id}", offer=f"offer-{id}")


SEEN = [
    piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[run(used(21 * 10**9))]),
    result(),
]


def test_a_row_without_a_quote_is_listed_with_its_cost_and_not_ranked():
    """DESIGN 4: no known cost: listed, not ranked, and said so."""
    quoted, document_ = priced("b", "50 USD")
    made = decision([renting("a", "10 USD"), quoted], [*SEEN, document_], MUSTS)
    a, b = outcome(made, "a"), outcome(made, "b")
    assert (a.status, a.rank, a.cost.low) == ("retained", None, 10)
    assert [c.topic for c in a.cost_conditions] == ["cost"]
    assert (b.rank, b.cost_conditions) == (1, ())


@pytest.mark.parametrize("terms", [{"tax": None}, {"valid_until": None}, {"per": None}])
def test_what_is_open_about_a_cost_keeps_it_out_of_the_ranking(terms):
    on, document_ = priced("a", "10 USD", **terms)
    (found,) = decision([on], [*SEEN, document_], MUSTS).outcomes
    assert (found.status, found.rank) == ("retained", None)
    assert found.cost_conditions


def test_costs_are_ranked_on_one_tax_basis():
    """48 USD and 20 % on top are more than 57 USD with tax in it."""
    net = priced("net", "48 USD", tax="excluded", tax_rate="20 %")
    gross = priced("gross", "57 USD", tax="included", tax_rate="20 %")
    papers = [*SEEN, net[1], gross[1]]
    made = decision([net[0], gross[0]], papers, [*MUSTS, budget("60 USD", "included")])
    assert ids(made.outcomes) == ["gross", "net"]
    made = decision([net[0], gross[0]], papers, MUSTS)
    assert [o.cost.low for o in made.outcomes] == [47.5, 48]


def test_without_a_rate_two_bases_are_not_ranked_together():
    net = priced("net", "48 USD", tax="excluded")
    gross = priced("gross", "57 USD", tax="included")
    made = decision([net[0], gross[0]], [*SEEN, net[1], gross[1]], MUSTS)
    assert [(o.candidate.id, o.rank) for o in made.outcomes] == [("net", 1), ("gross", None)]


@pytest.mark.parametrize(
    ("asked", "told", "expected"),
    [
        ([budget(tax="included")], ["excluded"], "included"),
        ([budget(tax="included", level="want")], ["excluded"], "excluded"),
        ([budget(tax=None)], ["included", "", "included"], "included"),
        ([], ["included", "excluded"], "excluded"),
        ([], [], "excluded"),
        ([budget(id="b", tax="included"), budget(id="a")], ["included"], "excluded"),
    ],
)
def test_the_basis_is_the_mandatory_budget_s_or_the_one_all_share(asked, told, expected):
    assert basis_of(tuple(asked), told) == expected


def test_the_schedule_is_a_documented_date_and_never_the_row_s():
    on, paper = priced("a", "10 USD", delivery__earliest="2026-12-01")
    (found,) = decision([on], [*SEEN, paper], MUSTS).outcomes
    assert found.schedule is None
    told = document("mail", attest("delivery", earliest="2026-12-05"), offer="offer-a")
    again = document("plan", attest("delivery", earliest="2026-12-03"), offer="offer-a")
    (found,) = decision([on], [*SEEN, paper, told, again], MUSTS).outcomes
    assert found.schedule.value == "2026-12-03"


def test_a_tie_tolerance_comes_from_the_policy():
    a, paper_a = priced("a", "47.14 USD")
    b, paper_b = priced("b", "47.15 USD")
    made = decision([a, b], [*SEEN, paper_a, paper_b], MUSTS, policy=policy(tolerance="2 %"))
    assert [o.tied_with for o in made.outcomes] == [("b",), ("a",)]


def test_merging_keeps_the_thresholds_of_every_text():
    made = decision([candidate(machine="")], [SEEN[0]], MUSTS)
    (one,) = [c for c in merged(made.findings) if c.topic == "memory_available"]
    assert one.threshold == f">= {21 * 10**9} B free for this process"
    assert fiche().candidates[0].machine == MACHINE


def test_offers_that_share_a_basis_are_ranked_on_it():
    a = priced("a", "57 USD", tax="included")
    b = priced("b", "48 USD", tax="included")
    made = decision([a[0], b[0], candidate("c")], [*SEEN, a[1], b[1]], MUSTS)
    assert [(o.candidate.id, o.rank) for o in made.outcomes] == [("b", 1), ("a", 2), ("c", None)]


def test_an_offer_without_a_price_has_no_cost_and_no_basis():
    on = candidate("a", offer=offer("1 USD", id="offer-a"))
    bare = replace(on.offer, figures={k: v for k, v in on.offer.figures.items() if k != "price"})
    made = decision([replace(on, offer=bare)], SEEN, MUSTS)
    assert (made.outcomes[0].status, made.outcomes[0].cost) == ("retained", None)


def test_a_package_of_no_cost_is_ranked_by_its_zero():
    """A told zero is a cost; only an untold one is none."""
    found = order(placed("b", 10), placed("a", 0))
    assert [(o.candidate.id, o.rank) for o in found] == [("a", 1), ("b", 2)]
