"""A stale piece counts as a dropped one does: no verdict moves but to *to confirm*, or out of a conflict."""

import os

import pytest
from evaluate.build import DOORS, TO_CONFIRM
from evaluate.generated import fiches
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiche.criteria._stale import Left
from fiche.evaluate.decide import decide
from fiche.evaluate.staleness import with_stale
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import replace

pytestmark = pytest.mark.slow
MOST = int(os.environ.get("FICHE_EXAMPLES", "60"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))
CONFLICTS = ("conflict", "below_floor")


def judged(asked):
    """Verdict and reason by place."""
    return {
        (f.requirement, f.level, f.candidate, f.case, f.device): (f.verdict, f.reason, f)
        for f in decide(asked, DOORS, "0").findings
    }


def with_pieces(asked, change):
    """The same fiche, each piece changed or (None) dropped."""
    return replace(asked, pieces=tuple(p for p in map(change, asked.pieces) if p is not None))


@EACH
@given(fiches(), st.data())
def test_a_piece_that_ran_out_leaves_the_verdicts_that_dropping_it_leaves(asked, data):
    if not asked.pieces:
        return
    old = data.draw(st.sampled_from(asked.pieces))
    ran_out = judged(
        with_pieces(asked, lambda p: replace(p, valid_until="2000-01-01") if p is old else p)
    )
    dropped = judged(with_pieces(asked, lambda p: None if p is old else p))
    before = judged(asked)
    for place, (verdict, reason, found) in ran_out.items():
        was = before[place]
        assert verdict is dropped[place][0], place
        assert verdict in (was[0], TO_CONFIRM) or was[1] in CONFLICTS, place
        if verdict is TO_CONFIRM and was[0] is not TO_CONFIRM:
            assert reason in ("stale", *CONFLICTS), place
            assert found.conditions[0].topic == "stale", place
            assert old.id in found.pieces


@EACH
@given(fiches())
def test_a_last_day_that_has_not_come_changes_nothing(asked):
    lasting = with_pieces(asked, lambda p: replace(p, valid_until=asked.date))
    assert [told[:2] for told in judged(lasting).values()] == [
        told[:2] for told in judged(asked).values()
    ]


def test_what_contradicts_itself_without_the_stale_piece_says_so():
    """Else dropping one of two that contradict each other would turn "out of date" into a yes."""
    told = {
        "requirement": "memory",
        "kind": "memory",
        "level": "must",
        "candidate": "a",
        "text": "these contradict each other",
        "need": None,
        "have": None,
    }
    now = Finding(verdict=TO_CONFIRM, reason="conflict", pieces=("run",), **told)
    before = Finding(verdict=Verdict.ADMISSIBLE, reason="within", pieces=("print",), **told)
    found = with_stale(now, before, (Left(piece="print", why=("valid until 2026-01-31",)),))
    assert (found.reason, found.text) == ("conflict", "these contradict each other")
    assert (found.conditions[0].topic, found.pieces) == ("stale", ("run", "print"))
