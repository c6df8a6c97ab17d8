"""DESIGN's laws for the criteria about machine and software, on stories of these alone (section 4)."""

import os
from collections import Counter
from functools import partial

import pytest
from evaluate.build import (
    ADMISSIBLE,
    DATE,
    STRICT,
    TO_CONFIRM,
    candidate,
    finding,
    of_catalog,
    offer,
    workload,
)
from evaluate.generated import mostly, records
from evaluate.generated_machine import asked, described, prints, sheets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiche.criteria._conditions import FICHE
from fiche.kernel.record import replace

pytestmark = pytest.mark.slow
MOST = int(os.environ.get("FICHE_EXAMPLES", "300"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))
ONE = workload()
TWO = workload(placement__devices=2, placement__split="tensor_parallel")


@st.composite
def stories(draw):
    """One requirement, one candidate, a few pieces."""
    load = draw(st.sampled_from([ONE, TWO, TWO]))
    wanted = asked(draw, {"level": mostly(draw, "must", "want"), "id": "r"})
    near = partial(sheets, near=wanted.kind)
    usual = [near, near, records if wanted.kind == "placement" else prints]
    kinds = draw(st.lists(st.sampled_from([*usual, prints, sheets, records]), max_size=4))
    pieces = [draw(kind(f"p{place}", load)) for place, kind in enumerate(kinds)]
    gpu = candidate().gpu
    on = candidate(
        card=described(draw, gpu),
        cards=draw(st.sampled_from([1, 2, 2])),
        load=load,
        offer=offer(),
        machine=mostly(draw, candidate().machine, ""),
    )
    return wanted, pieces, on


@EACH
@given(stories(), st.data())
def test_a_missing_document_never_helps(story, data):
    wanted, pieces, on = story
    if not pieces:
        return
    gone = data.draw(st.sampled_from(pieces))
    before = finding(wanted, pieces, on)
    after = finding(wanted, [piece for piece in pieces if piece is not gone], on)
    assert after.verdict in (before.verdict, TO_CONFIRM) or before.reason == "conflict", (
        f"{before.verdict.code} ({before.text}) -> {after.verdict.code} ({after.text})"
    )


@EACH
@given(stories(), st.randoms(use_true_random=False))
def test_the_order_of_pieces_changes_no_verdict(story, shuffler):
    wanted, pieces, on = story
    mixed = list(pieces)
    shuffler.shuffle(mixed)
    one, two = finding(wanted, pieces, on), finding(wanted, mixed, on)
    assert (one.verdict, one.reason) == (two.verdict, two.reason)


@EACH
@given(stories())
def test_what_is_settled_names_what_it_rests_on(story):
    """A piece, the catalog's document, or a count of the fiche's own: nothing admits by itself."""
    found = finding(*story)
    assert bool(found.conditions) is (found.verdict is TO_CONFIRM)
    pieces = any(condition.piece_kind != FICHE for condition in found.conditions)
    assert bool(found.expects) is (pieces and found.reason not in ("conflict", "nothing_required"))
    if found.verdict is not TO_CONFIRM and found.kind not in ("placement", "compute_capability"):
        assert found.pieces or found.kind in ("ecc", "form_factor")
    assert all(name in found.text for name in found.attested_by if found.verdict is not TO_CONFIRM)


@EACH
@given(stories())
def test_under_the_strict_policy_no_word_decides(story):
    wanted, pieces, on = story
    found = finding(wanted, [replace(p, date=DATE) for p in pieces], on, policy=STRICT)
    assert found.verdict is TO_CONFIRM or found.attested_by == ()


def test_the_stories_meet_every_kind_with_every_verdict():
    met = Counter()

    @settings(max_examples=1200, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(stories())
    def drawn(story):
        found = finding(*story)
        met[found.kind, found.verdict.code] += 1

    drawn()
    kinds = ("compute_capability", "ecc", "form_factor", "disk", "placement", "service", "software")
    for kind in (*kinds, "interconnect"):
        for verdict in ("admissible", "to_confirm", "exclude"):
            assert met[kind, verdict], (kind, verdict)
    assert met["host_memory", "to_confirm"]


@pytest.mark.parametrize("gpu", ["nvidia-l4-24g", "amd-mi300x-192g"])
def test_the_card_alone_admits_nothing_of_the_server(gpu):
    """D3: only what the maker states of the card is settled by its row."""

    @settings(max_examples=200, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def drawn(data):
        wanted = asked(data.draw, {"level": "must", "id": "r"})
        found = finding(wanted, [], of_catalog(gpu))
        of_card = wanted.kind in ("compute_capability", "form_factor", "placement")
        assert found.verdict is not ADMISSIBLE or of_card

    drawn()
