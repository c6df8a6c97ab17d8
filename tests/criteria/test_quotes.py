"""Quotes: sellers whose priced quotes hold on the decision's date; an internal rule, never law (catalog 7)."""

from evaluate.build import (
    ADMISSIBLE,
    AUTHOR,
    DATE,
    NEUTRAL,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    declared,
    document,
    finding,
    ground,
    money,
    offer,
    requirement,
    says,
    span,
    stated,
    topics,
    verdict,
)

from fiche.criteria.quotes import MEMBER
from fiche.evaluate.rule import judge
from fiche.kernel.procedure import QuotesRule, Thresholds
from fiche.kernel.record import replace
from fiche.kernel.unit import count_of

TWO = requirement("quotes", at_least=stated(2, count_of("quotes")))


def quoted(id, seller, until="2026-12-31", kind="quote", quoted=True, **scope):
    told = [attest("price", id=id, amount=money("50 USD", declared), quoted=quoted)]
    told += [attest("seller", id=id, name=seller)] if seller else []
    told += [attest("validity", id=id, until=until)] if until else []
    return document(id, *told, kind=kind, **scope)


def test_sellers_are_counted_and_not_papers():
    one, same, other = quoted("a", "Fjord"), quoted("b", "fjord"), quoted("c", "Alp")
    assert verdict(TWO, [one, same]) is TO_CONFIRM
    found = finding(TWO, [one, same, other])
    assert (found.verdict, found.have.low, found.pieces) == (ADMISSIBLE, 2, ("c", "a"))


def test_too_few_quotes_exclude_nothing_and_say_whom_not_to_ask():
    found = finding(TWO, [quoted("a", "Fjord")])
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"quotes"})
    assert found.conditions[0].threshold == ">= 2 sellers"
    assert says(found, "1 more written quote.*Fjord")


def test_what_keeps_a_quote_from_counting_is_named():
    pieces = [
        quoted("a", ""),
        quoted("b", "Alp", until=None),
        quoted("c", "Bay", kind="datasheet"),
    ]
    found = finding(TWO, pieces)
    assert says(found, "a: it does not say whose it is")
    assert says(found, "b: it does not say until when it holds")
    assert found.have.low == 0


def test_a_quote_that_ran_out_is_left_aside():
    late = finding(TWO, [quoted("a", "Fjord"), quoted("b", "Alp", until="2026-11-28")])
    assert late.verdict is TO_CONFIRM
    last_day = finding(TWO, [quoted("a", "Fjord"), quoted("b", "Alp", until=DATE)])
    assert last_day.verdict is ADMISSIBLE


def test_the_seller_of_an_offer_is_the_one_of_its_own_document():
    on = candidate(offer=offer(quote="a"))
    pieces = (quoted("a", ""), quoted("b", "Alp", offer="elsewhere"))
    seen = replace(ground(pieces, on=on), candidates=(on,))
    (found,) = MEMBER.compare(TWO, on, seen)
    assert judge(found).verdict is ADMISSIBLE


def test_the_policy_s_number_stands_where_the_fiche_has_none():
    rule = QuotesRule(
        at_least=money("40 USD"), quotes=stated(3, count_of("quotes")), tax="excluded",
        source="internal rule 4", span=span(),
    )  # fmt: skip
    policy = replace(NEUTRAL, thresholds=Thresholds(quotes=(rule,)))
    on = candidate(offer=offer())
    asked = requirement("quotes")
    found = finding(asked, [quoted("a", "Fjord")], on, policy=policy)
    assert (found.verdict, found.need.low) == (TO_CONFIRM, 3)
    cheap = replace(rule, at_least=money("4000 USD"))
    below = replace(NEUTRAL, thresholds=Thresholds(quotes=(cheap,)))
    assert finding(asked, [], on, policy=below).reason == "nothing_required"
    assert finding(asked, []).reason == "nothing_required"


def test_a_price_on_somebody_s_word_needs_the_neutral_policy():
    pieces = [quoted("a", "Fjord"), quoted("b", "Alp", quoted=False)]
    assert finding(TWO, pieces).attested_by == (AUTHOR,)
    assert verdict(TWO, pieces, policy=STRICT) is TO_CONFIRM


def test_a_policy_that_asks_for_none_here_is_not_said_to_be_silent():
    """A rule for dearer packages is a rule: the author is asked another question than where there is none."""
    rule = QuotesRule(
        quotes=stated(3, count_of("quotes")),
        at_least=money("10000 USD", stated),
        tax="excluded",
        source="rule of a house",
        span=span(),
    )
    told = candidate(offer=offer())
    without, beside = (
        ground(),
        ground(policy=replace(NEUTRAL, thresholds=Thresholds(quotes=(rule,)))),
    )
    (first,), (second,) = (
        MEMBER.compare(requirement("quotes"), told, where) for where in (without, beside)
    )
    assert first.conditions[0].text.endswith("at_least here, or quotes_needed in the policy")
    assert second.conditions[0].text.endswith("asks for none at the cost of this package alone")
