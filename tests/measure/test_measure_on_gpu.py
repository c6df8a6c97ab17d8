"""The prepared script for a machine with a GPU: it refuses without one; its table is what both sides say."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from measure.children import SIMULATED
from measure.tiny_models import CONFIGS

from fiche.cli.measured_from import job_words

TOOL = Path(__file__).parents[2] / "tools" / "measure_on_gpu.py"
# `fiche` in a process of its own, whose children measure on a simulated device.
COMMAND = f"""
import sys
from fiche.measure import trials
trials.CHILD = (sys.executable, {str(SIMULATED)!r})
from fiche.cli.process import main
main()
"""
SIMULATING = (sys.executable, "-c", COMMAND)


@pytest.fixture
def tool(monkeypatch):
    spec = spec_from_file_location("measure_on_gpu", TOOL)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "measure_on_gpu", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tiny(tool, tmp_path, monkeypatch):
    """The same loads on a tiny model, a few tokens long."""
    model = tmp_path / "models" / "tiny"
    model.mkdir(parents=True)
    (model / "config.json").write_text(json.dumps({**CONFIGS["llama"], "dtype": "bfloat16"}))
    monkeypatch.setattr(tool, "MODELS", tmp_path / "models")
    cases = {"4096": "16", "16384": "16", "2048": "16", "1024": "16", "64": "4"}
    loads = []
    for load in tool.LOADS:
        case = load.case
        for large, small in cases.items():
            case = case.replace(f": {large},", f": {small},")
        loads.append(tool.Load(load.id, "tiny", load.said, case))
    return loads


def test_without_a_gpu_it_says_so_in_one_sentence_and_writes_nothing(tool, tmp_path, capfd):
    """C10."""
    folder = tmp_path / "new"
    assert tool.main([str(folder)], look=lambda device: "there is no GPU here") == 2
    assert capfd.readouterr().err == "there is no GPU here\n"
    assert not folder.exists()


def test_what_was_measured_is_never_overwritten(tool, tmp_path, capfd):
    assert tool.main([str(tmp_path)], look=lambda device: "") == 2
    assert "exists already" in capfd.readouterr().err


def write_fiche(tool, load, mine, monkeypatch):
    """The fiche and the model of a load, as the script writes them; no library is asked its version."""
    with monkeypatch.context() as told:
        told.setattr(tool.metadata, "version", lambda name: "5.24.0")
        tool._command(load, mine.parent, tool._asked([str(mine.parent)]), ["fiche"])


@pytest.mark.parametrize("place", range(12))
def test_each_load_is_one_that_a_ready_workload_runs(tool, tmp_path, monkeypatch, place):
    load = tool.LOADS[place]
    write_fiche(tool, load, tmp_path / load.id, monkeypatch)
    job = job_words(tmp_path / load.id / "fiche.yaml", "limit", versions=lambda name: "5.24.0")
    assert job["options"]["dtype"] == ("fp32" if load.id.endswith("autocast") else "bf16")
    assert job["notes"] == []


def record(path, phases):
    """A record of a few phases with bytes of our own."""
    told = [
        {
            "name": name,
            "outcome": outcome,
            "devices": [{"device": "cuda:0", "peak": {"allocated_bytes": peak}}],
        }
        for name, outcome, peak in phases
    ]
    path.write_text(json.dumps({"phases": told}))


def test_the_table_has_computed_and_observed_bytes(tool, tiny, tmp_path, monkeypatch):
    """E6: the difference is shown, and given to no item."""
    folder = tmp_path / "new"
    mine = folder / "generation-1b"
    write_fiche(tool, tiny[0], mine, monkeypatch)
    low, high = tool._computed(mine / "fiche.yaml")["decode"]
    passes = [("decode", "success", low), ("decode", "success", low + 1000)]
    record(mine / "m.json", [*passes, ("decode", "failure", low + 5000)])
    record(mine / "m.whole.json", [("loop", "success", low + 2000)])
    lines = tool.beside(folder, tiny[:1]).splitlines()
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    most = "open" if high is None else str(high)
    percent = f"{100 * 1000 / low:+.2f} %"
    assert cells == [
        *("generation-1b", "decode", str(low), most, str(low + 1000), "1000", percent, "", "")
    ]
    assert lines[3].startswith("| generation-1b | whole loop |")


def test_the_simulation_stands_beside_each_counter_with_its_error(tool, tmp_path):
    """Errors are shown as they are; what is not simulated has no figure and no error."""
    mine = tmp_path / "generation-1b"
    mine.mkdir()
    record(mine / "m.json", [("decode", "success", 1000), ("prefill", "success", 500)])
    record(mine / "m.whole.json", [("loop", "success", 1024)])
    phases = [
        {"name": "decode", "allocated_bytes": {"peak": 990}, "reserved_bytes": {"peak": 2048}},
        {"name": "decode", "allocated_bytes": {"peak": 980}, "reserved_bytes": None},
    ]
    (mine / "simulation.json").write_text(json.dumps({"phases": phases}))
    lines = tool.simulated(tmp_path, tool.LOADS[:1]).splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows[0] == [*("generation-1b", "decode", "allocated", "990", "1000", "-10", "-1.00 %")]
    assert rows[1] == ["generation-1b", "decode", "reserved", "2048", "", "", ""]
    assert [row[2] for row in rows] == 2 * list(tool.COUNTERS)
    assert rows[4] == [
        *("generation-1b", "whole loop", "allocated", "990", "1024", "-34", "-3.32 %")
    ]


def test_at_least_twelve_loads_of_each_sort_are_prepared(tool):
    ids = [load.id for load in tool.LOADS]
    assert len(ids) == len(set(ids)) >= 12
    assert {each.split("-")[0] for each in ids} == {"generation", "training", "lora"}


@pytest.mark.torch
def test_a_load_is_measured_twice_and_tabled(tool, tiny, tmp_path):
    """On a simulated device, so only what runs, and in which order, means anything."""
    folder, some = tmp_path / "new", tiny[1:3]
    code = tool.main([str(folder)], fiche=SIMULATING, loads=some, look=lambda device: "")
    assert code == 0
    for load in some:
        for name in ("m.json", "m.whole.json"):
            told = json.loads((folder / load.id / name).read_text())
            assert {phase["outcome"] for phase in told["phases"]} == {"success"}
    assert (folder / "dense.whole.json").is_file()
    for name in ("beside.md", "simulated.md"):
        lines = (folder / name).read_text().splitlines()
        assert {line.split("|")[1].strip() for line in lines[2:]} == {load.id for load in some}


@pytest.mark.torch
def test_time_that_is_up_ends_it_and_keeps_what_there_is(tool, tiny, tmp_path, capfd):
    folder = tmp_path / "new"
    told = [str(folder), "--minutes", "0"]
    assert tool.main(told, fiche=SIMULATING, loads=tiny, look=lambda device: "") == 3
    assert "time is up" in capfd.readouterr().err
    assert (folder / "beside.md").is_file()


@pytest.mark.torch
@pytest.mark.parametrize("name", ["llama-3.2-1b-shape", "llama-3.1-8b-shape"])
def test_the_shapes_are_models_that_the_library_builds(tool, name):
    """As many parameters as the public models have: 1 235 814 400 and 8 030 261 248."""
    from fiche.measure.workloads._language import language_model

    found = language_model({"model": str(tool.MODELS / name), "attention": "sdpa"})
    counts = {"llama-3.2-1b-shape": 1_235_814_400, "llama-3.1-8b-shape": 8_030_261_248}
    assert found.parameters == counts[name]
