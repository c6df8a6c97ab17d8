"""F3's small dense network: its phases, its dimensions, and that it stands for no other model."""

import json

import pytest
from measure.simulated import simulated

import fiche
from fiche.measure.protocol import tool
from fiche.measure.protocol.dense import DenseNetwork
from fiche.measure.protocol.recorder import recorder
from fiche.measure.protocol.turns import Turn, measured, turns

MODEST = {"batch": 1, "context": 16, "width": 64}


def test_turns_are_the_first_then_warmups_then_repeats():
    assert list(turns(1, 2)) == [
        Turn("first", 0),
        Turn("warmup", 0),
        Turn("repeat", 0),
        Turn("repeat", 1),
    ]


@pytest.mark.parametrize(
    "options",
    [{"batch": 0}, {"width": True}, {"context": "16"}, {"dtype": "int4"}, {"depth": 2}],
)
def test_an_option_that_means_nothing_is_refused_in_a_sentence(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        DenseNetwork(options)


def test_the_records_version_is_the_packages():
    assert fiche.__version__ == tool.VERSION


class Scripted:
    """A workload that only names its phases."""

    def __init__(self):
        self.declared = {"batch": 1}
        self.words = {"operation": "forward"}

    def prepare(self, rec, place):
        with rec.phase("model_load"):
            pass

    def turn(self, rec, turn):
        with rec.phase(f"{turn.kind}_forward"):
            pass


def names(path, ordering, policy="never"):
    machine = simulated()
    with recorder(path, device=machine) as rec:
        measured(rec, Scripted(), ordering=ordering, warmups=1, repeats=2, empty_cache=policy)
    phases = json.loads(path.read_text(encoding="utf-8"))["phases"]
    return phases, [method for _, method in machine.calls].count("empty_cache")


def test_phase_by_phase(tmp_path):
    phases, emptied = names(tmp_path / "m.json", "phased")
    found = [phase["name"] for phase in phases]
    assert found == ["model_load", "first_forward", "warmup_forward", *["repeat_forward"] * 2]
    assert emptied == 0


def test_the_whole_loop_is_one_first_pass_and_then_later_ones(tmp_path):
    """C8: loading and the first pass in their real order; each later turn is a loop of its own."""
    phases, _ = names(tmp_path / "m.json", "whole_loop")
    assert [(phase["pass"], phase["covers"]) for phase in phases] == [
        ("first", ["model_load", "first_forward"]),
        ("later", ["warmup_forward"]),
        ("later", ["repeat_forward"]),
        ("later", ["repeat_forward"]),
    ]


def test_the_cache_is_emptied_only_where_the_policy_says_so(tmp_path):
    """C7: between repeats, and nowhere else."""
    assert names(tmp_path / "m.json", "phased", "between_repeats")[1] == 2


@pytest.mark.torch
def test_the_published_check_runs_in_the_order_of_the_original(tmp_path):
    """F3's published check: batch 1, context 16, width 64, float32, one warm-up, two repeats."""
    workload = DenseNetwork({**MODEST, "dtype": "float32"})
    path = tmp_path / "m.json"
    with recorder(path, device=simulated(), workload=workload.words) as rec:
        measured(rec, workload, ordering="phased", warmups=1, repeats=2, empty_cache="never")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert [(phase["name"], phase["pass"]) for phase in record["phases"]] == [
        ("model_load", "first"),
        ("inputs", "first"),
        ("cold_forward", "first"),
        ("warmup", "later"),
        ("warm_forward", "later"),
        ("warm_forward", "later"),
    ]
    assert all(phase["executed"] == MODEST for phase in record["phases"][1:])
    assert record["phases"][2]["output_check"]["passed"] is True
    assert record["phases"][2]["tensors"][0]["shape"] == [1, 16, 64]


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_format_asked_for_is_the_format_that_ran(tmp_path, dtype):
    workload = DenseNetwork({**MODEST, "dtype": dtype})
    path = tmp_path / "m.json"
    with recorder(path, device=simulated()) as rec:
        measured(rec, workload, ordering="phased", warmups=0, repeats=0, empty_cache="never")
    seen = [t for p in json.loads(path.read_text("utf-8"))["phases"] for t in p.get("tensors", ())]
    assert {tensor["dtype"] for tensor in seen} == {dtype}
    assert workload.words["model"]["name"] == "fiche-dense-network"
