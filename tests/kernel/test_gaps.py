"""The estimate made before, beside what was observed (E6)."""

import pytest
from render import decisions
from render.pages import decision

from fiche.kernel.gaps import case_of, gaps
from fiche.kernel.record import replace
from fiche.kernel.unit import count_of

GIB = 2**30


def with_run(**changed):
    """The rich decision, its whole-loop run changed."""
    made = decision("rich")
    piece = made.fiche.pieces[0]
    runs = tuple(replace(r, **changed) if r.id == "whole-loop" else r for r in piece.reading.runs)
    odd = replace(piece, reading=replace(piece.reading, runs=runs))
    return replace(made, fiche=replace(made.fiche, pieces=(odd, *made.fiche.pieces[1:])))


def sizes(**tokens):
    return {n: decisions.stated(v, count_of("tokens"), "", 1) for n, v in tokens.items()}


def test_allocated_and_reserved_peaks_stand_beside_the_estimate_of_their_case():
    found = list(gaps(decision("rich")))
    assert [(g.case, g.counter) for g in found] == [
        ("limit", "max_memory_allocated"),
        ("limit", "max_memory_reserved"),
    ]
    assert found[0].estimate.low == 20892360704
    assert found[0].gap.low == int(19.86 * GIB) - 20892360704
    assert found[1].gap.low == int(20.41 * GIB) - 20892360704
    assert "uses outside the process" in found[0].estimate.left_out


@pytest.mark.parametrize(
    "changed",
    [
        {"outcome": "failure"},
        {"whole_loop": False},
        {"executed": sizes(prompt_tokens=100)},
        {"executed": {}},
        {"observations": ()},
    ],
)
def test_only_whole_loops_that_succeeded_and_reached_the_case_count(changed):
    """C11, C8, D6: a failure, a phased run and a smaller one stand beside no estimate."""
    assert list(gaps(with_run(**changed))) == []


def test_a_load_spread_over_devices_has_no_gap_on_one_of_them():
    """D4: the estimate is of the whole load, a peak is of one device."""
    made = decision("rich")
    load = made.fiche.workload
    two = decisions.stated(2, count_of("devices"), "placement.devices", 18)
    spread = replace(load, figures={**load.figures, "placement.devices": two})
    people = tuple(replace(c, workload=spread) for c in made.fiche.candidates)
    assert list(gaps(replace(made, fiche=replace(made.fiche, candidates=people)))) == []


def test_an_open_estimate_has_no_gap():
    """C2: the difference to something unknown is unknown."""
    made = decision("rich")
    envelope = made.figures["limit.envelope"]
    opened = replace(envelope, high=None)
    assert list(gaps(replace(made, figures={**made.figures, "limit.envelope": opened}))) == []


def test_a_run_stands_for_the_most_demanding_case_that_it_reached():
    load = decision("rich").fiche.workload
    run = decision("rich").fiche.pieces[0].reading.runs[1]
    assert case_of(run, load).id == "limit"
    resident = decisions.stated(4, count_of("sequences"), "", 1)
    usual = replace(
        run, executed={**sizes(prompt_tokens=1200, new_tokens=300), "resident_sequences": resident}
    )
    assert case_of(usual, load).id == "usual"
    assert case_of(replace(run, executed=sizes(prompt_tokens=9999)), load) is None


def two_loads(path, value, told=None):
    """The rich decision with a second candidate whose workload has one fact changed (D10)."""
    made = decision("rich")
    name = made.fiche.pieces[0].id
    seen = next(f for f in made.findings if name in f.pieces and f.case == "limit")
    first = next(c for c in made.fiche.candidates if c.id == seen.candidate)
    fact = decisions.fact(value, 1)
    load = replace(first.workload, facts={**first.workload.facts, path: fact})
    other = replace(first, id="other", workload=load)
    piece = made.fiche.pieces[0]
    runs = tuple(
        replace(r, facts={**r.facts, **({path: told} if told else {})}) for r in piece.reading.runs
    )
    odd = replace(piece, reading=replace(piece.reading, runs=runs))
    own = replace(made.figures["limit.envelope"], id="other/limit.envelope")
    return replace(
        made,
        fiche=replace(made.fiche, candidates=(first, other), pieces=(odd, *made.fiche.pieces[1:])),
        findings=(seen, replace(seen, candidate="other")),
        figures={**made.figures, "other/limit.envelope": own},
    )


def test_a_run_stands_beside_no_estimate_of_a_load_that_it_did_not_have():
    """D10: what a candidate changed, a run must be told to have had."""
    for path in ("formats.cache", "seed"):
        assert {g.of for g in gaps(two_loads(path, "other"))} == {"limit"}
        had = decisions.fact("other", 1)
        assert "other/limit" in {g.of for g in gaps(two_loads(path, "other", told=had))}


def test_two_estimates_of_one_case_have_gaps_of_two_names():
    had = decisions.fact("7", 1)
    names = [g.gap.id for g in gaps(two_loads("seed", "7", told=had))]
    assert len(names) == len(set(names)) == 4
