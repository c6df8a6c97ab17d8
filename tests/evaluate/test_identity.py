"""A1: what is named and pinned; on no identity no candidate is retained."""

import pytest
from evaluate.build import (
    MACHINE,
    candidate,
    decision,
    memory,
    piece,
    quality,
    result,
    run,
    total,
    used,
    workload,
)

from fiche.evaluate.identity import conditions
from fiche.kernel.record import replace

PEAK = 21 * 10**9


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, True),
        ({"model__revision": None}, False),
        ({"model__revision": None, "model__digest": "sha256:aa"}, True),
        ({"model__name": None}, False),
        ({"model__name": None, "code__name": "train.py"}, True),
        ({"model__name": None, "model__revision": None}, False),
        ({"model__name": None, "model__revision": None, "code__name": "train.py"}, False),
        (
            {
                "model__name": None,
                "model__revision": None,
                "code__name": "train.py",
                "code__revision": "1a2b",
            },
            True,
        ),
    ],
)
def test_a_name_and_a_revision_or_digest_make_an_identity(changes, named):
    found = conditions(workload(**changes))
    assert (found == ()) is named
    assert named or found[0].topic == "identity"


def whole(load):
    seen = piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[run(used(PEAK), load=load)])
    return [seen, result(load=load)]


def test_an_unpinned_identity_retains_nothing():
    """`"A 7B model" is no identity`: the arithmetic still runs, no candidate is retained on it."""
    pinned = workload()
    made = decision(None, whole(pinned), [memory(), quality()], load=pinned)
    assert made.outcomes[0].status == "retained"
    assert made.workload_conditions == ()
    load = workload(model__revision=None)
    made = decision(None, whole(load), [memory(), quality()], load=load)
    assert made.outcomes[0].status == "to_confirm"
    assert [c.topic for c in made.workload_conditions] == ["identity"]
    assert "weights" in made.figures


def test_an_unpinned_identity_is_to_confirm_even_where_no_policy_asks_for_it():
    """The fold holds it back, whatever the strict facts are."""

    from evaluate.build import NEUTRAL

    lax = {
        name: tuple(path for path in paths if "revision" not in path)
        for name, paths in NEUTRAL.strict.items()
    }
    load = workload(model__revision=None)
    made = decision(
        None,
        whole(load),
        [memory(), quality()],
        load=load,
        policy=replace(NEUTRAL, strict=lax),
    )
    assert {f.verdict.code for f in made.findings} == {"admissible"}
    assert made.outcomes[0].status == "to_confirm"


def test_an_excluded_candidate_stays_excluded_on_no_identity():
    from evaluate.build import capacity

    load = workload(model__revision=None)
    made = decision([candidate(load=load)], [], [capacity("100 GiB")], load=load)
    assert made.outcomes[0].status == "excluded"
