"""What it costs to obtain a piece, as a fiche states it: nothing untold is free (D9, F8)."""

from fractions import Fraction

from loading import fiche_of, refusals

from fiche.kernel.unit import HOUR, money

LINES = """efforts:
  - {for: need, candidate: a, machine: lab-1, cost: 47.14 USD, time: 3 days, because: the shortest rental}
  - {for: document, time: 2 h}
"""
ON = "candidates: [{id: a, gpu: nvidia-rtx-4090-24g, cards: 1, machine: lab-1}]"


def test_a_cost_and_a_time_keep_their_unit_and_their_reason():
    first, second = fiche_of(LINES, candidates=ON).efforts
    assert (first.topic, first.candidate, first.machine, first.seller) == ("need", "a", "lab-1", "")
    assert (first.cost.low, first.cost.unit) == (Fraction(4714, 100), money("USD"))
    assert (first.hours.low, first.hours.unit) == (72, HOUR)
    assert first.hours.origin.because == "the shortest rental"
    assert (second.cost, second.hours.low) == (None, 2)


def test_a_fiche_without_efforts_has_none():
    assert fiche_of().efforts == ()


def test_an_effort_of_somebody_unknown_or_of_nothing_is_refused():
    wrong = LINES.replace("candidate: a, machine: lab-1", "candidate: b, machine: lab-2")
    wrong = wrong.replace("time: 2 h", "because: nobody knows")
    assert {code for code, *_ in refusals(wrong, candidates=ON)} == {"F307", "F392", "F390"}
