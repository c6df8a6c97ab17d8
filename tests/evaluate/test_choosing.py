"""What follows from a choice: acceptance conditions, the day of the order, quantities, what it passes over."""

from fractions import Fraction

import pytest
from evaluate.build import (
    GIB,
    MACHINE,
    attest,
    budget,
    candidate,
    capacity,
    choice,
    decision,
    memory,
    money,
    offer,
    piece,
    quality,
    quote,
    result,
    run,
    span,
    stated,
    total,
    typed,
    used,
    workload,
)

from fiche.kernel.choice import (
    AT_DELIVERY,
    BEFORE_ORDER,
    Accept,
    Interest,
    Opinion,
    Ordered,
    Reasonable,
    Signatory,
)
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE

PEAK = 21 * 10**9
MUSTS = [memory(), quality()]


def evidence():
    """A run of the limit case on the candidate's machine, its total, and a result."""
    return [piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[run(used(PEAK))]), result()]


def chosen(name="rent", **changes):
    return replace(choice(name), **changes)


def accepted(made):
    return [(a.condition.topic, a.when, a.by, a.stated) for a in made.choosing.acceptance]


# --- Acceptance (DESIGN 4) ------------------------------------------------------------------------


def test_nothing_follows_where_no_choice_is_recorded():
    assert decision(None, evidence(), MUSTS).choosing is None


def test_a_retained_choice_has_no_condition_of_acceptance():
    made = decision(None, evidence(), MUSTS, choice=chosen())
    assert made.outcomes[0].status == "retained"
    assert made.choosing.acceptance == ()


def test_every_open_condition_of_a_conditional_choice_becomes_one_of_acceptance():
    """None is lost, each keeps its threshold, and the machine's own total is asked for twice."""
    made = decision(None, [result()], MUSTS, choice=chosen())
    assert made.conditional_choice
    open_ = {c.topic for c in (*made.workload_conditions, *made.outcomes[0].conditions)}
    assert {topic for topic, *_ in accepted(made)} == open_ >= {"memory_available", "need"}
    times = [when for topic, when, *_ in accepted(made) if topic == "memory_available"]
    assert times == [BEFORE_ORDER, AT_DELIVERY]
    thresholds = {a.condition.threshold for a in made.choosing.acceptance}
    assert thresholds == {c.threshold for c in made.outcomes[0].conditions}


def test_a_run_is_accepted_at_delivery_and_a_document_before_the_order():
    """D3: what only the machine can show is shown at the latest by the one that is delivered."""
    made = decision(None, [], MUSTS, choice=chosen())
    when = {topic: time for topic, time, *_ in accepted(made) if topic != "memory_available"}
    assert when["need"] == AT_DELIVERY
    priced = candidate(offer=offer(kind="buy", per=None, tax=None))
    made = decision([priced], [], [*MUSTS, budget()], choice=chosen())
    assert ("cost", BEFORE_ORDER, "seller", False) in accepted(made)


def test_the_fiche_may_say_when_who_and_by_which_test():
    told = Accept(topic="need", span=span(), when=BEFORE_ORDER, by="L. Costa", test="a loan card")
    made = decision(None, [result()], MUSTS, choice=chosen(accept=(told,)))
    (need,) = [a for a in made.choosing.acceptance if a.condition.topic == "need"]
    assert (need.when, need.by, need.test, need.stated) == (
        BEFORE_ORDER,
        "L. Costa",
        "a loan card",
        True,
    )


def test_the_person_and_the_test_of_what_is_met_twice_are_those_of_delivery():
    told = Accept(topic="memory_available", span=span(), by="L. Costa", test="print it")
    made = decision(None, [result()], MUSTS, choice=chosen(accept=(told,)))
    twice = [a for a in made.choosing.acceptance if a.condition.topic == "memory_available"]
    assert [(a.by == "L. Costa", a.test) for a in twice] == [(False, ""), (True, "print it")]


def test_an_acceptance_of_what_is_not_open_is_told_as_unused():
    told = Accept(topic="warranty", span=span(), when=BEFORE_ORDER)
    made = decision(None, [result()], MUSTS, choice=chosen(accept=(told,)))
    assert made.choosing.unused == (told,)


def test_no_acceptance_condition_mends_an_excluded_choice():
    """DESIGN 4: what excludes stays, whatever else is supplied."""
    dear = candidate(offer=offer("90 USD"))
    quoted = quote(
        "90 USD", attest("validity", until="2026-12-31"), attest("tax", basis="excluded")
    )
    made = decision([dear], [quoted], [*MUSTS, budget()], choice=chosen())
    assert made.outcomes[0].status == "excluded"
    assert made.conditional_choice
    assert made.choosing.acceptance == ()


# --- The day of the order -------------------------------------------------------------------------


def ordered(day, **counts):
    return Ordered(span=span(), date=day, **counts)


def test_what_runs_out_before_the_day_of_the_order_is_open_on_that_day():
    """D3: retained on the decision's date, and the result that it leans on ends before the order."""
    seen, scored = evidence()
    scored = replace(scored, valid_until="2026-12-05")
    for day, topics in (("2026-12-05", []), ("2026-12-06", ["stale", "quality"])):
        made = decision(None, [seen, scored], MUSTS, choice=chosen(order=ordered(day)))
        assert made.outcomes[0].status == "retained"
        assert [c.topic for c in made.choosing.at_order] == topics
        assert [a.when for a in made.choosing.acceptance] == [BEFORE_ORDER] * len(topics)


def test_an_offer_must_hold_on_the_day_of_the_order_even_where_no_must_asks_what_it_costs():
    bought = candidate(offer=offer(valid_until="2026-12-05"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(order=ordered("2026-12-06")))
    (late,) = made.choosing.at_order
    assert late.topic == "cost"
    assert "2026-12-05" in late.text
    made = decision([bought], evidence(), MUSTS, choice=chosen(order=ordered("2026-12-05")))
    assert made.choosing.at_order == ()


def test_an_order_of_the_decisions_own_day_asks_for_nothing_more():
    made = decision(None, evidence(), MUSTS, choice=chosen(order=ordered("2026-11-29")))
    assert made.choosing.at_order == ()


# --- Quantities -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lots", "cards", "apart"), [(1, 1, []), (2, None, ["lots"]), (2, 3, 2)])
def test_a_quantity_that_the_need_does_not_compute_is_a_contradiction(lots, cards, apart):
    order = ordered(
        "2026-11-30",
        lots=stated(lots, ONE, "order.lots"),
        cards=None if cards is None else stated(cards, ONE, "order.cards"),
    )
    bought = candidate(offer=offer(per="72 h"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(order=order))
    found = [one.what for one in made.choosing.mismatches]
    assert found == (["lots", "cards"] if apart == 2 else apart)


# --- People ---------------------------------------------------------------------------------------


def test_whoever_is_named_without_a_statement_is_listed_once():
    """Catalog 7: a disclosure of interests by each person who took part."""
    told = chosen(
        by="M. Laurent",
        budget_holder="S. Demir",
        opinions=(
            Opinion(by="L. Costa", role="", says="yes", reservation=None, span=span()),
            Opinion(by="M. Laurent", role="", says="yes", reservation=False, span=span()),
        ),
        signatures=(Signatory(name="", role="purchasing", span=span()),),
        interests=(Interest(by="L. Costa", statement="none", span=span()),),
    )
    made = decision(None, evidence(), MUSTS, choice=told)
    assert made.choosing.undisclosed == ("M. Laurent", "S. Demir")


def test_of_a_bare_choice_nobody_is_asked_for_a_statement():
    assert decision(None, evidence(), MUSTS, choice=chosen()).choosing.undisclosed == ()


# --- What it passes over --------------------------------------------------------------------------


def two_priced():
    """Two retained candidates on one machine at 47.14 and 55.71 USD."""
    offers = {
        "rent": offer("55.71 USD", id="dear", extension="lots"),
        "other": offer("47.14 USD", id="cheap", extension="lots"),
    }
    both = [candidate(name, offer=one) for name, one in offers.items()]
    quotes = [
        quote(price, attest("validity", id=name, until="2026-12-31"), id=name)
        for name, price in (("dear", "55.71 USD"), ("cheap", "47.14 USD"))
    ]
    quotes = [replace(q, typed={**q.typed, "offer": typed(q.id)}) for q in quotes]
    return both, quotes


def test_a_cheaper_retained_candidate_is_named_with_the_difference():
    both, quotes = two_priced()
    load = workload()
    made = decision(both, [*evidence(), *quotes], [*MUSTS, budget()], load=load, choice=chosen())
    assert {o.candidate.id: o.status for o in made.outcomes} == dict.fromkeys(
        ("rent", "other"), "retained"
    )
    (cheaper,) = made.choosing.cheaper
    assert cheaper.candidate == "other"
    assert cheaper.difference.low == cheaper.difference.high == Fraction("8.57")
    made = decision(
        both, [*evidence(), *quotes], [*MUSTS, budget()], load=load, choice=chosen("other")
    )
    assert made.choosing.cheaper == ()


def test_an_open_cost_of_the_chosen_one_is_compared_with_none():
    """What is open about it may take as much from the cost as it adds."""
    both, quotes = two_priced()
    load = workload()
    made = decision(both, [*evidence(), *quotes[1:]], [*MUSTS], load=load, choice=chosen())
    mine = next(o for o in made.outcomes if o.candidate.id == "rent")
    assert mine.cost_conditions
    assert made.choosing is None or made.choosing.cheaper == ()


def test_what_excludes_a_candidate_is_listed_with_its_distance():
    """Catalog 7 and DESIGN 4: the failed requirement, threshold, value, distance, source."""
    both = [candidate(), candidate("small", gb=16, machine="")]
    made = decision(both, evidence(), [*MUSTS, capacity(20 * GIB)], choice=chosen())
    rejected = [r for r in made.choosing.rejected if r.requirement == "capacity"]
    assert [r.candidate for r in rejected] == ["small"]
    found = next(f for f in made.findings if f.candidate == "small" and f.requirement == "capacity")
    assert rejected[0].distance is not None
    assert rejected[0].distance.high == found.have.high - found.need.low < 0


def test_the_discount_is_what_the_price_is_below_the_list_price():
    listed = money("60 USD", stated)
    price = Reasonable(ground="list_price", span=span(), piece="list", listed=listed)
    bought = candidate(offer=offer("47.14 USD"))
    made = decision([bought], evidence(), MUSTS, choice=chosen(price=price))
    assert made.choosing.discount.low == Fraction("12.86")
    assert made.choosing.share.low == Fraction("12.86") / 60
    low = replace(price, listed=money("40 USD", stated))
    above = decision([bought], evidence(), MUSTS, choice=chosen(price=low)).choosing
    assert (above.discount.low, above.share) == (Fraction("-7.14"), None)
    euros = replace(price, listed=money("60 EUR", stated))
    made = decision([bought], evidence(), MUSTS, choice=chosen(price=euros))
    assert made.choosing.discount is None
