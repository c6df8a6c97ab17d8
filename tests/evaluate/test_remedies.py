"""D7's table applied to the failures at hand: where, what takes most there, and what may be changed."""

from fractions import Fraction

import pytest
from evaluate.build import (
    GIB,
    GPU,
    MACHINE,
    assumed,
    candidate,
    case,
    decision,
    failing,
    failure,
    memory,
    oom_log,
    piece,
    run,
    typed,
    used,
    workload,
)

from fiche.kernel.ledger import ledger

WEIGHTS = 8030261248 * 2
CACHE = 2 * 32 * 8 * 128 * 8192 * 2 * 4


def failed(*, phase="", load=None, candidates=None, **changes):
    load = load or workload()
    why = failure(phase=phase)
    log = piece("oom", runs=[failing(why, load=load, **changes)], machine=MACHINE)
    people = candidates or [candidate(load=load)]
    return decision(people, [log], (memory(),), load=load)


def changed(name, path, load=None):
    return candidate(name, load=load or workload(), baseline="rent", change=(path, "a", "b"))


def names(remedy):
    return [lever.name for lever in remedy.levers]


def test_no_failure_no_remedy():
    seen = piece(runs=[run(used(20 * 10**9))], machine=MACHINE)
    assert decision([candidate()], [seen]).remedies == ()


def test_while_generating_the_item_that_takes_most_then_context_and_concurrency():
    (remedy,) = failed(phase="decode").remedies
    assert (remedy.piece, remedy.failure, remedy.proven) == ("oom", "oom/failure.1", True)
    assert (remedy.stage, remedy.phase, remedy.phase_told) == ("generating", "decode", True)
    assert remedy.dominant == "weights"
    assert names(remedy) == ["format", "context", "concurrency", "cache"]


def test_the_share_is_of_what_is_exactly_known_there():
    made = failed(phase="decode", load=workload(reserve=[assumed(6 * GIB)]))
    (remedy,) = made.remedies
    assert remedy.known.low == WEIGHTS + CACHE
    assert remedy.share.low == Fraction(WEIGHTS, WEIGHTS + CACHE)
    assert set(remedy.open_items) == {"reserve", "workspace"}
    assert {remedy.share.id, remedy.known.id} <= set(ledger(made).figures)


def test_a_format_recovers_its_quality_and_a_batch_measures_its_duration():
    """D7: each lever with what it has to keep."""
    (remedy,) = failed(phase="decode").remedies
    keeps = {lever.name: lever.keeps for lever in remedy.levers}
    assert keeps["format"] == ("quality",)
    assert keeps["concurrency"] == ("duration",)
    assert keeps["context"] == ("need",)


def test_candidates_that_try_a_lever_are_named():
    people = [
        candidate(),
        changed("fewer", "cases.limit.resident_sequences"),
        changed("other-case", "cases.usual.resident_sequences"),
        changed("int8", "formats.storage"),
        changed("fp8-cache", "formats.cache"),
    ]
    (remedy,) = failed(phase="decode", candidates=people).remedies
    tried = {lever.name: lever.candidates for lever in remedy.levers}
    assert tried == {
        "format": ("int8",),
        "context": (),
        "concurrency": ("fewer",),
        "cache": ("fp8-cache",),
    }


def trained(phases=("forward", "backward", "evaluation")):
    facts = {"operation": "training", "optimizer__name": "adamw"}
    one = case("limit", phases=phases, microbatch=2, sequence_tokens=1024)
    return workload([one], **facts)


def test_in_evaluation_a_smaller_training_batch_mends_nothing():
    """D7: reducing only the training batch does not mend a failing evaluation."""
    load = trained()
    people = [candidate(load=load), changed("microbatch-1", "cases.limit.microbatch", load)]
    (remedy,) = failed(phase="evaluation", load=load, candidates=people).remedies
    assert remedy.stage == "evaluation"
    assert names(remedy) == ["evaluation"]
    assert remedy.useless == ("microbatch-1",)


def test_in_the_backward_pass_the_microbatch_or_checkpointing():
    load = trained(("forward", "backward"))
    people = [candidate(load=load), changed("microbatch-1", "cases.limit.microbatch", load)]
    (remedy,) = failed(phase="backward", load=load, candidates=people).remedies
    tried = {lever.name: lever.candidates for lever in remedy.levers}
    assert tried["microbatch"] == ("microbatch-1",)
    assert "checkpointing" in tried
    assert remedy.useless == ()


def test_a_phase_that_nobody_tells_is_not_made_up():
    log = oom_log(gpu=GPU, case="limit", machine=MACHINE)
    (remedy,) = decision([candidate()], [log], (memory(),)).remedies
    assert not remedy.phase_told
    assert remedy.stage == ""
    assert remedy.phase == "decode"


def test_a_failure_of_another_question_has_no_remedy_here():
    load = workload()
    facts = {"engine.version": typed("0.1.0", "").value}
    log = piece("oom", runs=[failing(load=load, facts=facts)], machine=MACHINE)
    assert decision([candidate()], [log], (memory(),)).remedies == ()


@pytest.mark.parametrize("known", [True, False])
def test_without_dimensions_nothing_dominates(known):
    load = workload() if known else workload(model__parameters=None, model__layers=None)
    (remedy,) = failed(phase="decode", load=load).remedies
    assert bool(remedy.dominant) is known
    assert "context" in names(remedy)
