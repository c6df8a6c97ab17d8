"""Scope: strict facts as the policy lists them, by path, by either name, by whole branch (DESIGN 4)."""

import pytest
from evaluate.build import (
    AUTHOR,
    GPU,
    NEUTRAL,
    STRICT,
    candidate,
    case,
    facts_of,
    ground,
    piece,
    pointer,
    run,
    stated,
    used,
    workload,
)

from fiche.criteria._scope import Tally, contradictions, question, scope_of, told_facts
from fiche.kernel.fact import Fact
from fiche.kernel.record import replace
from fiche.kernel.unit import count_of

LORA = case("limit", phases=(), microbatch=2, sequence_tokens=512)


def lora(**changes):
    return workload(
        [LORA],
        operation="adaptation",
        method__kind="lora",
        method__rank=16,
        method__trainable_parameters=6_815_744,
        optimizer__name="adamw",
        formats__cache=None,
        **changes,
    )


def scope(load, facts, *, on=None, policy=NEUTRAL, **typed):
    seen = piece(runs=[run(used(1), load=load, of=load.cases[-1], facts=facts)], **typed)
    ask = question(on or candidate(load=load))
    return scope_of(ask, seen, seen.reading.runs[0], "memory", ground(base=load, policy=policy))


def test_a_branch_of_facts_is_compared_path_by_path():
    """An adaptation's method: what either side tells must be told by both, and agree (B6)."""
    assert scope(lora(), {}).covers
    assert scope(lora(), {"method.rank": "8"}).differs == (
        "method.rank: the question says 16, the piece 8",
    )
    assert scope(lora(), {"method.rank": None}).untold == (
        "method.rank: the piece does not say; the question is 16",
    )
    assert scope(lora(), {"method.dropout": "0.1"}).untold == (
        "method.dropout: the fiche does not say; the piece ran with 0.1",
    )
    assert scope(lora(method__dropout="0.1"), {"method.dropout": None}).untold


def test_a_stated_count_need_not_be_printed_and_must_not_be_contradicted():
    assert scope(lora(), {"method.trainable_parameters": "6815744"}).covers
    assert scope(lora(), {"method.trainable_parameters": "1"}).differs


def test_each_operation_has_strict_facts_of_its_own():
    """A training has no cache format to tell; a generation has no optimizer."""
    assert not scope(lora(), {"optimizer.name": "sgd"}).covers
    assert scope(workload(), {"optimizer.name": "sgd"}).covers
    assert scope(lora(), {"formats.cache": "int8"}).covers


def test_a_split_is_asked_only_where_there_are_several_devices():
    two = workload(placement__devices=2)
    assert scope(workload(), {}).covers
    assert scope(two, {}).untold == ("placement.split: told neither by the fiche nor by the piece",)
    assert scope(workload(placement__devices=2, placement__split="tensor_parallel"), {}).covers


@pytest.mark.parametrize(
    ("fiche", "printed", "covers"),
    [
        ({}, {}, True),
        ({}, {"model.revision": None}, False),
        ({"model__digest": "aa"}, {"model.revision": None, "model.digest": "aa"}, True),
        ({"model__digest": "aa"}, {"model.digest": "bb"}, False),
        ({"model__digest": "aa"}, {"model.revision": "other", "model.digest": "aa"}, False),
        ({"model__revision": None, "model__digest": "aa"}, {"model.digest": None}, False),
        ({"model__revision": None}, {"model.revision": "0e9e39f2"}, False),
    ],
)
def test_of_two_names_one_that_disagrees_counts_against_all(fiche, printed, covers):
    load = workload(**fiche)
    assert scope(load, printed).covers is covers


def test_an_untold_pair_is_named_by_both_its_names():
    load = workload(model__revision=None)
    assert scope(load, {}).untold == (
        "model.revision or model.digest: told neither by the fiche nor by the piece",
    )


def test_words_compare_without_regard_to_capitals():
    assert scope(workload(), {"formats.storage": "BF16"}).covers


# --- Typed facts -------------------------------------------------------------------------------


def test_what_the_file_prints_wins_over_what_is_typed_and_that_over_the_case():
    load = workload()
    seen = piece(
        runs=[run(used(1), facts={"attention": "eager"})],
        case="limit",
        attention="sdpa",
        driver="580",
    )
    told = told_facts(seen, seen.reading.runs[0], ground(base=load))
    assert (told["attention"].value, told["attention"].printed) == ("eager", True)
    assert (told["driver"].value, told["driver"].by) == ("580", AUTHOR)
    bare = replace(seen, typed={"case": seen.typed["case"]}, reading=replace(seen.reading, runs=()))
    told = told_facts(bare, None, ground(base=load))
    assert (told["attention"].value, told["attention"].by) == ("flash", AUTHOR)
    assert told["placement.devices"].value == "1"
    assert "gpu" not in told


def test_only_paths_that_both_say_can_be_contradicted():
    seen = piece(runs=[run(used(1), facts={"driver": "610"})], driver="580", os="linux", gpu=GPU)
    found = contradictions(seen, seen.reading.runs[0])
    assert found == {"driver": "driver: the file prints 610, the scope typed 580"}
    assert contradictions(seen, None) == {}


def test_a_contradicted_fact_that_neither_side_has_right_is_a_difference():
    """Typed 0.27, printed 0.26, asked 0.28: whoever is right, it is another engine."""
    found = scope(workload(), {"engine.version": "0.26"}, engine__version="0.27")
    assert found.differs
    assert not found.disputed
    assert scope(workload(), {"engine.version": "0.26"}, engine__version="0.28.0").disputed
    assert scope(workload(), {}, engine__version="0.26").disputed


def test_a_fact_of_the_whole_file_is_printed_too():
    load = workload()
    seen = piece(runs=[run(used(1), printed={})])
    told = facts_of(load, "run", GPU, {})
    whole = replace(seen, reading=replace(seen.reading, facts=told))
    ask = question(candidate(load=load))
    assert scope_of(ask, whole, whole.reading.runs[0], "memory", ground(base=load)).covers
    assert not scope_of(ask, seen, seen.reading.runs[0], "memory", ground(base=load)).covers


@pytest.mark.parametrize(
    ("by", "policy", "counted"),
    [("C. Ito", NEUTRAL, ["C. Ito"]), ("C. Ito", STRICT, []), ("", NEUTRAL, [])],
)
def test_a_signature_counts_where_there_is_one_and_the_policy_says_so(by, policy, counted):
    found = Tally()
    found.sign("driver", by, ground(policy=policy))
    assert found.by == counted
    assert bool(found.unsigned) is not bool(counted)


def test_the_card_is_the_candidate_s_and_never_the_workload_s():
    on = candidate(gpu="nvidia-l4-24g")
    assert question(on).facts["gpu"] == "nvidia-l4-24g"
    assert not scope(workload(), {}, on=on).covers


def test_a_duration_is_no_scope():
    load = workload()
    ask = question(candidate(load=load), load.cases[0])
    assert "duration" not in ask.facts
    assert set(ask.dimensions) == {"prompt_tokens", "new_tokens", "resident_sequences"}
    figure = stated(1, count_of("requests"))
    waiting = replace(
        load.cases[0], dimensions={**load.cases[0].dimensions, "concurrent_requests": figure}
    )
    assert "concurrent_requests" not in question(candidate(load=load), waiting).dimensions
    assert Fact(value="x", address=pointer("x")).printed
