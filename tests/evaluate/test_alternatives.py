"""Alternatives as one change of a baseline: what differs, what still holds, what to measure anew (D10)."""

from fractions import Fraction
from pathlib import Path

import pytest
from evaluate.build import (
    GIB,
    candidate,
    case,
    decision,
    memory,
    offer,
    quality,
    stated,
    typed,
    workload,
)

from fiche.cli.compile import compile_fiche
from fiche.evaluate.anew import altered
from fiche.evaluate.shifts import shift
from fiche.kernel.alternative import Anew
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown
from fiche.kernel.finding import Verdict
from fiche.kernel.ledger import ledger
from fiche.kernel.origin import Stated
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, count_of, money
from fiche.report import numbers

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def made():
    return compile_fiche(SAMPLES / "one-change" / "fiche.yaml").decision


@pytest.fixture(scope="module")
def found(made):
    return {one.candidate: one for one in made.alternatives}


def bounds(shift):
    return shift.difference.low, shift.difference.high


def test_every_candidate_with_a_baseline_and_no_other(found):
    assert list(found) == ["larger-card", "four-at-once", "smaller-cache", "smaller-weights"]
    assert {one.baseline for one in found.values()} == {"as-it-is"}
    assert decision([candidate()]).alternatives == ()


def test_half_the_sequences_hold_half_the_cache(found):
    """B5 by hand: 2 x 32 x 8 x 128 x 6144 x 2 B is 0.75 GiB a sequence; four fewer are 3 GiB less."""
    one = found["four-at-once"]
    assert (one.path, one.before, one.after) == ("cases.limit.resident_sequences", "8", "4")
    (cache,) = one.items
    assert (cache.name, cache.case) == ("kv_cache", "limit")
    assert bounds(cache) == (-3 * GIB, -3 * GIB)
    (decode,) = [each for each in one.phases if each.phase == "decode"]
    assert bounds(decode) == (-3 * GIB, -3 * GIB)


def test_half_the_bits_hold_half_the_weights_in_every_phase(found):
    """B2: 8 030 261 248 parameters, one byte less each; the guessed reserve is on both sides and cancels."""
    one = found["smaller-weights"]
    assert {each.name for each in one.items} == {"weights"}
    assert {bounds(each) for each in (*one.items, *one.phases)} == {(-8030261248, -8030261248)}
    assert len(one.phases) == 6


def test_another_card_changes_no_load(found):
    assert found["larger-card"].items == ()
    assert found["larger-card"].phases == ()


def test_verdicts_that_turn_say_from_and_to(found):
    one = found["four-at-once"]
    (turned,) = one.turned
    assert (turned.requirement, turned.case) == ("memory", "limit")
    assert (turned.before, turned.after) == (Verdict.EXCLUDE, Verdict.ADMISSIBLE)
    assert turned.reason == "within_capacity"
    assert one.status == ("excluded", "retained")
    assert one.kept == 3


def test_verdicts_turned_and_kept_are_all_of_them(made, found):
    for one in found.values():
        outcome = next(o for o in made.outcomes if o.candidate.id == one.candidate)
        assert len(one.turned) + one.kept == len(outcome.findings)


def test_pieces_say_what_they_settle_still_and_no_longer(found):
    """A run with another cache still shows that the software runs, and no longer what it needs."""
    one = found["smaller-cache"]
    assert [(c.piece, c.requirements) for c in one.covering] == [("run-four", ("compatibility",))]
    assert {c.piece: c.requirements for c in one.not_covering} == {
        "run-four": ("memory",),
        "oom-eight": ("memory",),
        "quality-bf16": ("quality",),
    }


def test_a_changed_format_must_recover_the_minimum_quality(found):
    """A7, D7: the quality is measured anew, and is not done by the baseline's result."""
    assert Anew(what="quality", done=False, asked="quality") in found["smaller-weights"].anew
    assert "quality" not in {each.what for each in found["four-at-once"].anew}


def test_what_is_measured_already_is_said(found):
    assert Anew(what="memory", done=True, asked="memory") in found["four-at-once"].anew
    assert Anew(what="duration", done=False) in found["four-at-once"].anew


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("formats.cache", ("memory", "quality")),
        ("training.checkpointing", ("memory", "duration", "result")),
        ("cases.limit.microbatch", ("memory", "duration", "result")),
        ("cases.limit.resident_sequences", ("memory", "duration")),
        ("gpu", ("memory", "software", "duration")),
        ("driver", ("memory", "duration")),
    ],
)
def test_what_a_change_may_alter(path, what):
    """D7: checkpointing is paid in time and its results are checked; a format in quality."""
    assert altered(path) == what


def test_the_useful_margin_has_both_sides(found):
    margin = found["four-at-once"].useful_margin
    assert margin.before is None
    assert margin.after.low == 25250758656 - 22772973568
    assert margin.difference is None


def test_every_number_of_it_is_listed(made, found):
    names = ledger(made).figures
    for one in found.values():
        for each in (*one.items, *one.phases):
            assert each.difference.id in names
    assert "four-at-once/difference.limit.kv_cache" in names


# --- Costs and signs ----------------------------------------------------------------------------


def bought(before, after):
    base = candidate("base", offer=before)
    other = candidate("other", offer=after, baseline="base", change=("gpu", "a", "b"))
    (one,) = decision([base, other], requirements=(memory(), quality())).alternatives
    return one


def test_a_dearer_package_costs_more_by_the_difference():
    one = bought(offer("47.14 USD", id="o1"), offer("55.71 USD", id="o2"))
    assert one.cost.difference.low == one.cost.after.low - one.cost.before.low > 0
    assert one.cost.difference.unit == money("USD")
    assert numbers.difference(one.cost.difference) == "+8.57 USD"


def test_the_same_cost_is_no_difference_and_two_currencies_have_none():
    assert bought(offer(id="o1"), offer(id="o2")).cost is None
    assert bought(offer(id="o1"), offer("47.14 EUR", id="o2")).cost.difference is None


def test_the_totals_of_both_bills_are_compared_where_they_are_known():
    """Before tax 47.14 and 55.71 USD; at 20 % the second total is 1.2 times the first, and so is their gap."""
    taxed = {"tax_rate": "20 %", "quote": None}
    one = bought(offer("47.14 USD", id="o1", **taxed), offer("55.71 USD", id="o2", **taxed))
    totals = {each.name: each.difference.low for each in one.totals}
    assert totals["before_tax"] == Fraction("8.57")
    assert totals.get("after_tax", Fraction("10.284")) == Fraction("10.284")


def figure(low, high, unit=BYTE):
    return Figure(low=low, high=high, unit=unit, origin=Stated(span=None))


def test_an_open_end_leaves_nothing_to_subtract_from():
    """An unknown is never zero: what has no upper end has no difference (C2)."""
    unknown = Unknown(condition=Condition(topic="need", text="measure it"), unit=BYTE)
    assert shift("x", unknown, figure(1, 1), "c").difference is None
    assert shift("x", figure(5, 7), unknown, "c").difference.high is None
    told = shift("x", figure(5, 7), figure(4, 4), "c").difference
    assert (told.low, told.high) == (-3, -1)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (GIB, GIB, "+1.00 GiB"),
        (-3 * GIB, -3 * GIB, "-3.00 GiB"),
        (-GIB, GIB, "-1.00 to +1.00 GiB"),
        (0, 0, "0.00 GiB"),
    ],
)
def test_a_difference_bears_its_sign(low, high, text):
    assert numbers.difference(figure(low, high)) == text


def test_the_whole_load_and_one_device_are_two_definitions():
    """B1: only quantities of one definition are compared."""
    load = workload()
    two = replace(
        load, figures={**load.figures, "placement.devices": stated(2, count_of("devices"))}
    )
    two = replace(two, facts={**two.facts, "placement.split": typed("tensor_parallel", "")})
    base = candidate("base", load=load)
    other = candidate("other", cards=2, load=two, baseline="base", change=("cards", "1", "2"))
    (one,) = decision([base, other], load=load).alternatives
    for each in one.items:
        assert each.difference is None or each.difference.low < 0


def test_a_baseline_that_is_an_alternative_itself():
    load = workload([case(prompt_tokens=1000, new_tokens=24, resident_sequences=4)])
    half = workload([case(prompt_tokens=1000, new_tokens=24, resident_sequences=2)])
    people = [
        candidate("all", load=load),
        candidate("half", load=half, baseline="all", change=("cases.limit.x", "4", "2")),
        candidate(
            "half-l4", load=half, gpu="nvidia-l4-24g", baseline="half", change=("gpu", "a", "b")
        ),
    ]
    first, second = decision(people, load=load).alternatives
    (cache,) = first.items
    assert bounds(cache) == (-(2 * 32 * 8 * 128 * 1024 * 2 * 2),) * 2
    assert second.items == ()
    assert second.phases == ()
