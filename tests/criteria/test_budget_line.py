"""Budget line: the package's cost against what a document says that the line holds (D2)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
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
    quote,
    requirement,
    says,
    topics,
    typed,
    verdict,
)

from fiche.criteria.budget_line import MEMBER
from fiche.evaluate.rule import judge
from fiche.kernel.purchase import Purchase
from fiche.kernel.record import replace

LINE = requirement("budget_line", line="CAP-7", tax="excluded")


def holds(amount, id="letter", line="CAP-7", **changes):
    told = attest("budget", id=id, name=line, amount=money(amount, declared), **changes)
    return document(id, told, kind="document")


def on():
    return candidate(offer=offer())


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("47.14 USD", ADMISSIBLE), ("60 USD", ADMISSIBLE), ("47.13 USD", EXCLUDE)],
)
def test_the_cost_of_the_package_is_within_the_line_or_not(amount, expected):
    found = finding(LINE, [quote(), holds(amount)], on())
    assert found.verdict is expected
    assert set(found.pieces) >= {"quote", "letter"}


def test_a_line_that_nobody_attests_is_asked_for_from_its_holder():
    found = finding(LINE, [quote(), holds("60 USD", line="CAP-8")], on())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"budget_line"})
    assert found.conditions[0].supplier == "budget holder"
    assert says(found, "CAP-7")


def test_without_a_quote_the_cost_is_open_and_the_line_admits_nothing():
    assert verdict(LINE, [holds("60 USD")], on()) is TO_CONFIRM


def test_two_amounts_are_a_conflict_and_another_tax_basis_is_another_amount():
    pieces = [quote(), holds("60 USD"), holds("61 USD", "mail")]
    assert finding(LINE, pieces, on()).reason == "conflict"
    with_tax = [quote(), holds("60 USD", tax="included")]
    assert verdict(LINE, with_tax, on()) is TO_CONFIRM


def test_the_buyer_s_line_stands_where_the_requirement_names_none():
    asked = requirement("budget_line", tax="excluded")
    seen = ground((quote(), holds("60 USD")), on=on())
    (unnamed,) = MEMBER.compare(asked, on(), seen)
    assert judge(unnamed).reason == "nothing_required"
    buyer = Purchase(facts={"budget_line": typed("CAP-7", "")})
    (found,) = MEMBER.compare(asked, on(), replace(seen, purchase=buyer))
    assert judge(found).verdict is ADMISSIBLE


def test_on_somebody_s_word_it_needs_the_neutral_policy():
    word = holds("60 USD", quoted=False, by="C. Ito")
    assert finding(LINE, [quote(), word], on()).attested_by == ("C. Ito",)
    assert verdict(LINE, [quote(), word], on(), policy=STRICT) is TO_CONFIRM


@pytest.mark.parametrize("kind", ["quote", "datasheet"])
def test_who_sells_says_nothing_of_the_buyer_s_money(kind):
    """D3: a quote attests what is offered."""
    letter = replace(holds("60 USD"), kind=kind)
    found = finding(LINE, [quote(), letter], on())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"budget_line"})
