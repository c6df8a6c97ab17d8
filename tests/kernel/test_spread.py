"""How far readings of one thing lie apart: of one counter, load and passage, over several runs."""

from pathlib import Path

from fiche.cli.compile import compile_fiche
from fiche.kernel.readings import observations, observed
from fiche.kernel.spread import spreads

SAMPLES = Path(__file__).parents[2] / "samples"


def test_readings_of_several_runs_are_put_together_with_their_ends():
    made = compile_fiche(SAMPLES / "dense" / "fiche.yaml").decision
    piece = next(each for each in made.fiche.pieces if each.id == "dense-phases")
    told = list(spreads(piece))
    assert told
    runs = {name: run for name, run, _ in observations(piece)}
    values = {name: observed(seen, name) for name, _, seen in observations(piece)}
    for one in told:
        assert len({id(runs[name]) for name in one.readings}) == len(one.readings) > 1
        assert len({runs[name].phases for name in one.readings}) == 1
        assert one.least.low == min(values[name].low for name in one.readings)
        assert one.most.high == max(values[name].high for name in one.readings)
        assert all(values[name].label == one.counter for name in one.readings)


def test_one_run_has_no_spread():
    made = compile_fiche(SAMPLES / "serving" / "fiche.yaml").decision
    piece = next(each for each in made.fiche.pieces if each.id == "run-short")
    assert list(spreads(piece)) == []
