"""The sample of buying against renting: its figures by hand, each of them walked back (law 1, catalog 6)."""

import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.cli.explained import explained
from fiche.kernel.ledger import ledger

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "buy-or-rent"
README = (SAMPLE / "README.md").read_text(encoding="utf-8")
DOCS = (SAMPLE.parents[1] / "docs" / "buy-or-rent.md").read_text(encoding="utf-8")


@cache
def compiled():
    return compile_fiche(SAMPLE / "fiche.yaml")


def plan():
    (told,) = compiled().decision.ownerships
    return told


def test_the_signs_differ_to_the_cent():
    """By integers and fractions alone: nothing of fiche's own arithmetic is used here.

    Watt hours of a card: 350 x 5256 + 35 x 3504 = 1 839 600 + 122 640 = 1 962 240.
    """
    energy = Fraction(1_962_240 * 4 * 14 * 21, 10 * 1000 * 100)
    running = energy + 2400 + 1800 + 3000 + Fraction(5, 100) * 44_000
    ends = [Fraction(100, 108) ** year for year in (1, 2, 3, 4)]
    own = 44_000 - 4_000 + 4 * running
    own_later = 44_000 - 4_000 * ends[3] + running * sum(ends)
    for name, yearly in (
        ("hourly", Fraction(5256 * 4 * 109, 100)),
        ("monthly", Fraction(8 * 2950)),
    ):
        rent = next(each for each in plan().rentals if each.candidate == name)
        assert rent.more.low == 4 * yearly - own > 0
        assert rent.more_discounted.low == yearly * sum(ends) - own_later < 0
    assert [f"{float(sum_):.2f}" for sum_ in (own, own_later)] == ["86830.38", "79836.92"]


@pytest.mark.parametrize("text", [README, DOCS], ids=["README", "docs"])
def test_the_amounts_of_the_pages_are_those_of_the_decision(text):
    """Each amount with two decimals and its thousands apart stands in the ledger, or is a told input."""
    book = {f"{abs(float(node.low)):.2f}" for node in ledger(compiled().decision).figures.values()}
    # Two sums of the table by hand are no figures: running costs beside energy, and four years of them.
    by_hand = {"9400.00", "46830.38", "38777.04", "41059.88", "10000.00", "40000.00"}
    told = {each.replace(" ", "") for each in re.findall(r"\d{1,3}(?: \d{3})+\.\d\d\b", text)}
    assert told
    assert told - book - by_hand == set()


def test_every_figure_of_the_plan_is_walked_to_a_line_or_a_reason():
    """Law 1: nothing on the way back is a number from nowhere."""
    names = [name for name in ledger(compiled().decision).figures if name.startswith("ownership.")]
    assert len(names) > 100
    for name in names:
        told = explained(compiled(), name, as_json=True)
        leaves = [figure for figure in told["figures"] if "formula" not in figure]
        assert leaves, name
        for leaf in leaves:
            assert leaf.get("at") or leaf.get("because"), (name, leaf)


def test_what_is_assumed_and_what_is_left_out_is_said():
    assert plan().omitted == ("host_power", "egress")
    assert plan().owned.untold == ()
    assumed = {
        n for n, figure in plan().plan.figures.items() if type(figure.origin).__name__ == "Assumed"
    }
    assert assumed == {"utilisation", "idle", "staff", "spares"}


def test_the_comparison_admits_nothing():
    """D1: no run, so every candidate is to confirm, whatever it costs."""
    assert {outcome.status for outcome in compiled().decision.outcomes} == {"to_confirm"}
