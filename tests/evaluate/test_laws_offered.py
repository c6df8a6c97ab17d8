"""DESIGN's laws for the criteria about performance, commerce and documents, on stories of these alone."""

import os
from collections import Counter

import pytest
from evaluate.build import (
    ADMISSIBLE,
    CRITERIA,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    candidate,
    finding,
    ground,
    offer,
    result,
    workload,
)
from evaluate.generated import mostly, quotes
from evaluate.generated_offered import benches, grants, passes, wanted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiche.evaluate.findings import judged
from fiche.kernel.record import replace

pytestmark = pytest.mark.slow
MOST = int(os.environ.get("FICHE_EXAMPLES", "300"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))
LOAD = workload()
NEAR = {
    "throughput": benches,
    "latency": benches,
    "duration": passes,
    "quality": lambda id, load: st.builds(
        lambda value: result(value, id=id, load=load), st.sampled_from(["0.6", "0.62", "0.58"])
    ),
    "budget_line": grants,
    "quotes": grants,
}


@st.composite
def stories(draw):
    """One requirement, one candidate, a few pieces that mostly answer it."""
    asked = wanted(draw, {"level": mostly(draw, "must", "want"), "id": "r"})
    near = NEAR.get(asked.kind, grants)
    kinds = draw(st.lists(st.sampled_from([near, near, near, grants, quotes, benches]), max_size=5))
    pieces = [draw(kind(f"p{place}", LOAD)) for place, kind in enumerate(kinds)]
    return asked, pieces, candidate("c0", offer=offer(), load=LOAD)


def told(asked, pieces, on, **changes):
    """The finding, with the candidates known as a whole decision knows them; pieces by their ids."""
    seen = ground(sorted(pieces, key=lambda piece: piece.id), on=on, **changes)
    (found,) = judged(CRITERIA[asked.kind], asked, on, replace(seen, candidates=(on,)))
    return found


@EACH
@given(stories(), st.data())
def test_a_missing_document_never_helps(story, data):
    asked, pieces, on = story
    if not pieces:
        return
    gone = data.draw(st.sampled_from(pieces))
    before = told(asked, pieces, on)
    after = told(asked, [piece for piece in pieces if piece is not gone], on)
    assert after.verdict in (before.verdict, TO_CONFIRM) or before.reason == "conflict", (
        f"{asked.kind}: {before.verdict.code} ({before.text}) -> {after.verdict.code} ({after.text})"
    )


@EACH
@given(stories(), st.randoms(use_true_random=False))
def test_the_order_of_what_a_piece_prints_changes_nothing(story, shuffler):
    asked, pieces, on = story

    def mixed(piece):
        results, attests = list(piece.reading.results), list(piece.attested)
        shuffler.shuffle(results)
        shuffler.shuffle(attests)
        reading = replace(piece.reading, results=tuple(results))
        return replace(piece, reading=reading, attested=tuple(attests))

    one, two = told(asked, pieces, on), told(asked, [mixed(piece) for piece in pieces], on)
    assert (one.verdict, one.reason) == (two.verdict, two.reason)


@EACH
@given(stories(), st.integers(1, 20))
def test_more_throughput_and_less_latency_never_worsen(story, percent):
    """D8: what was measured, made faster by a share."""
    asked, pieces, on = story

    def faster(result):
        if result.unit.endswith("/s"):
            return replace(result, low=result.low * (100 + percent) / 100,
                           high=result.high * (100 + percent) / 100)  # fmt: skip
        if result.unit == "s":
            return replace(result, low=result.low * (100 - percent) / 100,
                           high=result.high * (100 - percent) / 100)  # fmt: skip
        return result

    def of(piece):
        runs = tuple(
            run if run.duration_ns is None
            else replace(run, duration_ns=run.duration_ns * (100 - percent) // 100)
            for run in piece.reading.runs
        )  # fmt: skip
        results = tuple(map(faster, piece.reading.results))
        return replace(piece, reading=replace(piece.reading, results=results, runs=runs))

    if asked.kind in ("throughput", "latency", "duration"):
        after = told(asked, [of(piece) for piece in pieces], on)
        assert after.verdict <= told(asked, pieces, on).verdict


@EACH
@given(stories())
def test_what_is_settled_names_pieces_and_people_and_no_word_alone_decides_under_strict(story):
    asked, pieces, on = story
    found = told(asked, pieces, on)
    if found.verdict is not TO_CONFIRM:
        assert found.pieces
        assert set(found.pieces) <= {piece.id for piece in pieces}
        assert all(name and name in found.text for name in found.attested_by)
    strict = told(asked, pieces, on, policy=STRICT)
    assert strict.verdict is TO_CONFIRM or strict.attested_by == ()


@EACH
@given(stories())
def test_without_any_piece_nothing_is_settled_and_the_condition_says_what_is_missing(story):
    """D1, D8: a card's name, a price in a row and a label settle nothing."""
    asked, _, on = story
    found = told(asked, [], on)
    assert found.verdict is TO_CONFIRM
    assert all(one.text and one.supplier and one.topic for one in found.conditions)
    assert finding(asked, [], on).conditions


def test_the_drawn_stories_meet_both_sides_of_each_kind():
    met = Counter()

    @settings(max_examples=1500, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(stories())
    def drawn(story):
        asked, pieces, on = story
        met.update([(asked.kind, told(asked, pieces, on).verdict)])

    drawn()
    kinds = {kind for kind, _ in met}
    assert len(kinds) == 10
    assert {kind for kind, verdict in met if verdict is ADMISSIBLE} == kinds
    # Too few quotes exclude nothing; a baseline of the candidate's own scores is what it has itself.
    never = {"quotes", "quality"}
    assert {kind for kind, verdict in met if verdict is EXCLUDE} == kinds - never
