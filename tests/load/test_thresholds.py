"""Thresholds of a policy: amounts with the text that names them, none of them law in the code (catalog 7)."""

from fractions import Fraction

import pytest

from fiche.kernel.diagnostic import Refused
from fiche.kernel.procedure import NO_THRESHOLDS
from fiche.load.policy import built_in, built_in_policies, policy

HEAD = "policy: 1\nname: t\nversion: '1'\ntyped_scope: counts\ntie_tolerance: 0 %\nstrict: {}\n"
BAND = "{id: b, name: B, tax: excluded, source: a text, confirm: ask"


def read(text):
    return policy("policy.yaml", f"{HEAD}{text}\n".encode()).policy.thresholds


def codes(text):
    with pytest.raises(Refused) as refused:
        read(text)
    return [found.code for found in refused.value.diagnostics]


@pytest.mark.parametrize("name", built_in_policies())
def test_no_policy_that_comes_with_fiche_states_a_threshold(name):
    assert built_in(name).policy.thresholds == NO_THRESHOLDS


def test_a_band_keeps_its_amounts_its_article_and_its_date():
    band = f"{BAND}, at_least: 1 EUR, below: 60000 EUR, article: R1, date: 2026-04-01, whom: all}}"
    (found,) = read(f"procedures: [{band}]").bands
    assert (found.at_least.low, found.below.low) == (1, 60000)
    assert (found.article, found.date, found.whom, found.source) == (
        "R1",
        "2026-04-01",
        "all",
        "a text",
    )
    assert found.below.origin.because == "a text"
    assert found.below.id == "policy.procedures.b.below"


def test_a_band_may_have_one_end_or_none():
    (found,) = read(f"procedures: [{BAND}}}]").bands
    assert (found.at_least, found.below) == (None, None)


@pytest.mark.parametrize(
    "ends",
    [
        "at_least: 2 EUR, below: 2 EUR",
        "at_least: 3 EUR, below: 2 EUR",
        "at_least: 1 USD, below: 2 EUR",
    ],
)
def test_a_band_that_holds_no_amount_is_refused(ends):
    assert codes(f"procedures: [{BAND}, {ends}}}]") == ["F397"]


@pytest.mark.parametrize("left_out", ["source: a text, ", ", confirm: ask", "tax: excluded, "])
def test_no_amount_stands_without_its_source_its_basis_and_who_confirms_it(left_out):
    assert codes(f"procedures: [{BAND.replace(left_out, '')}, at_least: 1 EUR}}]") == ["F302"]


def test_quotes_and_the_period_have_their_sources():
    found = read(
        "quotes_needed: [{at_least: 1000 EUR, quotes: 3, tax: excluded, source: house rule}]\n"
        "similar_orders_within: {value: 365 days, source: a text}"
    )
    (rule,) = found.quotes
    assert (rule.at_least.low, rule.quotes.low, rule.source) == (Fraction(1000), 3, "house rule")
    assert (found.within.low, found.within_source) == (365 * 24, "a text")
    assert set(codes("similar_orders_within: {value: 12 months, source: a text}")) == {"F305"}


def test_one_name_is_one_band():
    assert codes(f"procedures: [{BAND}}}, {BAND}}}]") == ["F306"]
