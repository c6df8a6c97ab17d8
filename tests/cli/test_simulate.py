"""`fiche simulate`: options and limits, what it writes and shows, and that it leaves half of nothing."""

import json
import sys
from types import SimpleNamespace

import pytest
from measure.records_of import GENERATION, fiche_folder
from simulate.children import scripted as scripted_simulation

from fiche.simulate import run

__all__ = ["scripted_simulation"]

GIB = 2**30


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def job(tmp_path):
    """The job that the last child was given."""
    return lambda: json.loads((tmp_path / "job.json").read_text(encoding="utf-8"))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- What it writes and shows ---------------------------------------------------------------------


def test_one_document_and_a_table(fiche, scripted_simulation, here):
    """E2: computed is said once; C3: two counters, two columns; law 8: what is in no figure stands below."""
    scripted_simulation()
    ended = fiche("simulate")
    assert (ended.code, ended.err) == (0, "")
    assert names(here) == ["simulation.json"]
    assert json.loads((here / "simulation.json").read_text())["format"] == "fiche-simulation/1"
    out = ended.out
    assert out.startswith(
        "simulation.json: a small dense network with synthetic inputs, simulated in "
    )
    assert out.count("computed, not observed") == 1
    rows = [line.split() for line in out.splitlines()]
    assert ["model_init", "first", "5.00", "5.00", "aten.mm,", "layers.3,", "m.py:7"] in rows
    assert ["prefill", "first", "8.00", "9.00", "aten.mm,", "layers.3,", "m.py:7"] in rows
    assert ["decode", "first", "7.00", "not", "computed", "aten.mm,", "layers.3,", "m.py:7"] in rows
    assert ["prefill", "first", "5.00", "3.00"] in rows  # parameters and cache
    said = " ".join(out.split())
    assert "The largest allocated peak is 8.00 GiB, in prefill, first pass" in said
    assert "Asked for torch.cuda.mem_get_info: 1 B (assumed)." in said
    assert "In no figure here (--json says why, and whence the bounds): context." in said
    assert "note: decode was shortened" in said
    assert out.endswith("\nnext: fiche import simulation.json --to FICHE\n")


def test_it_fits_a_terminal_of_80_columns(fiche, scripted_simulation, monkeypatch):
    scripted_simulation()
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, fiche("simulate").out.splitlines())) <= 80


def test_json_is_the_document_itself(fiche, scripted_simulation, here):
    scripted_simulation()
    ended = fiche("simulate", "-o", "new/s.json", "--json")
    assert ended.json() == json.loads((here / "new" / "s.json").read_text())


def test_events_are_a_file_of_their_own(fiche, scripted_simulation, here, job):
    scripted_simulation()
    assert fiche("simulate", "--events", "e.csv").code == 0
    assert (here / "e.csv").read_text() == "device,event\n0,0\n"
    assert job()["events"] is True


def test_what_a_function_prints_is_passed_on_and_a_librarys_noise_is_not(
    fiche, scripted_simulation
):
    scripted_simulation(says="epoch 1\n")
    assert fiche("simulate", "-o", "a.json").err == ""
    assert fiche("simulate", "--function", "train:loop", "-o", "b.json").err == "epoch 1\n"


# --- Every other end: exit 2, one sentence, no file -----------------------------------------------


@pytest.mark.parametrize(
    ("script", "words", "said"),
    [
        ({"code": 2, "says": "warning\nthe operator x is called\n"}, (), "F580 the operator x"),
        (
            {"code": 3, "says": "RuntimeError: no (t.py, line 3)\n"},
            (),
            "F582 RuntimeError: no (t.py",
        ),
        (
            {"code": 4},
            ("--memory-limit", "2 GiB"),
            "F581 the simulation itself needs more host memory",
        ),
        ({"hang": True}, ("--time-limit", "1 s"), "F581 the simulation was not done after 1 s"),
        ({"half": True}, ("--time-limit", "1 s"), "F581 the simulation was not done after 1 s"),
        ({"signal": 9}, (), "F582 the process of the simulation was ended by SIGKILL"),
        (
            {"code": 9, "says": "Fatal\n"},
            (),
            "F582 the process of the simulation ended with code 9",
        ),
    ],
)
def test_without_a_simulation_there_is_no_file(
    fiche, scripted_simulation, here, script, words, said
):
    scripted_simulation(**script)
    ended = fiche("simulate", *words, "--events", "e.csv")
    assert (ended.code, ended.out, said in ended.err) == (2, "", True), ended.err
    assert "Traceback" not in ended.err
    assert names(here) == []


def test_the_traceback_of_a_function_of_ones_own_is_shown(fiche, scripted_simulation, here):
    scripted_simulation(code=3, says='  File "t.py", line 3, in loop\nValueError: no\n')
    ended = fiche("simulate", "--function", "t:loop")
    assert (ended.code, ended.err) == (2, '  File "t.py", line 3, in loop\nF582 ValueError: no\n')


@pytest.mark.parametrize("name", ["simulation.json", "e.csv"])
def test_nothing_is_overwritten(fiche, scripted_simulation, here, name, job):
    """C10: F583, before anything runs."""
    scripted_simulation()
    (here / name).write_text("mine", encoding="utf-8")
    ended = fiche("simulate", "--events", "e.csv")
    assert (ended.code, f"F583 {name} exists already" in ended.err) == (2, True)
    assert (here / name).read_text() == "mine"
    assert names(here) == [name]
    with pytest.raises(FileNotFoundError):
        job()


def test_both_files_or_none(fiche, scripted_simulation, here):
    scripted_simulation()
    (here / "file").touch()
    ended = fiche("simulate", "--events", "file/e.csv")
    assert (ended.code, names(here)) == (2, ["file"])


@pytest.mark.torch
def test_without_torch_it_says_so(fiche, monkeypatch, here):
    program = "import sys; sys.modules['torch'] = None; import fiche.simulate.child as c"
    program += "; c.find_spec = lambda name: None; sys.exit(c.main())"
    monkeypatch.setattr(run, "CHILD", (sys.executable, "-c", program))
    ended = fiche("simulate")
    assert (ended.code, "F580 PyTorch is not installed in this Python" in ended.err) == (2, True)
    assert names(here) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--width", "two"), "F521 width: 'two' is no value of it"),
        (("--sequences", 2), "F521 sequences is no option of the workload dense"),
        (("--capacity", "24"), "F201 --capacity: '24' has no unit"),
        (("--capacity", "24 gb"), "F203 --capacity: unknown unit 'gb'"),
        (("--memory-limit", "2G"), "F203 --memory-limit: unknown unit 'G'"),
        (("--time-limit", "10"), "F201 --time-limit: '10' has no unit"),
        (("--capability", "9"), "F584 --capability: '9' is none"),
        (("--allocator", "backend:cudaMallocAsync"), "F584 allocator settings: the backend is"),
        (("--allocator", "rubbish"), "F584 allocator settings: 'rubbish' is no `key:value`"),
        (("--gpu", "H100"), "F540 --gpu: 'H100' is no id"),
        (("--gpu", "nvidia-none"), "F701 unknown card 'nvidia-none'"),
        (("--machine", "a/b"), "F540 --machine: 'a/b' is no id"),
        (("--rank", "0"), "F702 --rank: there is one device"),
        (("--sharding", "fsdp"), "F702 --sharding: there is one device"),
        (("--devices", 2, "--sharding", "zero9"), "F701 unknown sharding 'zero9'"),
        (("--devices", 2, "--rank", "2"), "F584 --rank: '2' is none of 2 devices"),
        (("--devices", 4, "--tensor-parallel", 3), "F584 tensor 3 x"),
        (("--devices", 2, "--placement", "shards=2"), "F584 'shards' is no word of a placement"),
        (("--devices", 2, "--placement", "shards"), "F702 'shards' places nothing"),
        (("--function", "t:f", "--case", "limit"), "F702 --case and --function are two loads"),
        (("--function", "t:f", "--set", "x"), "F702 'x' sets nothing"),
        (("--case", "limit"), "F702 --case: no fiche is named"),
        (("-o", ".."), "F702 --output names no file: '..'"),
        (("-o", "a.json", "--events", "./a.json"), "F702 --events and --output name one file"),
    ],
)
def test_wrong_words_are_refused_before_anything_runs(
    fiche, scripted_simulation, here, words, said
):
    scripted_simulation()
    for more in ((), ("--dry-run",)):
        ended = fiche("simulate", *words, *more)
        assert (ended.code, ended.out, said in ended.err) == (2, "", True), ended.err
    assert names(here) == []


# --- The job --------------------------------------------------------------------------------------


def test_the_usual_limits_and_device(fiche, scripted_simulation, job):
    scripted_simulation()
    fiche("simulate")
    told = job()
    assert told["memory_bytes"] == 24 * GIB
    assert (told["capacity_bytes"], told["capability"], told["capability_by"]) == (
        None,
        "8.0",
        "assumed",
    )
    assert (told["placement"], told["allocator"], told["notes"]) == ({}, "", [])


def test_a_card_tells_its_memory_and_its_capability(fiche, scripted_simulation, job):
    """B1, D4: a capacity that machines print, never the label where there is a print."""
    scripted_simulation()
    fiche("simulate", "--gpu", "nvidia-rtx-3060-12g")
    told = job()
    assert told["gpu"] == "nvidia-rtx-3060-12g"
    assert told["capacity_bytes"] == 12510560256
    assert told["capacity_by"].startswith("the least torch_total_memory that a machine printed")
    assert (told["capability"], told["capability_by"]) == (
        "8.6",
        "the catalog's row of nvidia-rtx-3060-12g",
    )
    fiche("simulate", "--gpu", "nvidia-rtx-3060-12g", "--capacity", "8 GiB", "-o", "b.json")
    assert (job()["capacity_bytes"], job()["capacity_by"]) == (8 * GIB, "--capacity")


def test_limits_can_be_lifted(fiche, scripted_simulation, job):
    scripted_simulation()
    fiche("simulate", "--memory-limit", "none", "--time-limit", "none")
    assert job()["memory_bytes"] is None


def test_a_function_gets_its_options_as_json_or_text(fiche, scripted_simulation, job, here):
    scripted_simulation()
    sets = ("--set", "rate=0.5", "--set", "kind=wide", "--set", "deep=true")
    assert fiche("simulate", "--function", "train:loop", "--batch", 4, *sets).code == 0
    told = job()
    assert told["options"] == {"batch": 4, "rate": 0.5, "kind": "wide", "deep": True}
    assert (told["workload"], told["function"], told["folder"]) == (
        "function",
        "train:loop",
        str(here),
    )


def test_several_devices_are_a_placement(fiche, scripted_simulation, job):
    scripted_simulation()
    words = ("--devices", 8, "--tensor-parallel", 2, "--sharding", "fsdp", "--rank", "3")
    assert fiche("simulate", *words, "--placement", "reshard_after_forward=no").code == 0
    assert job()["placement"] == {
        "devices": 8,
        "tensor_parallel": 2,
        "sharding": "fsdp",
        "reshard_after_forward": "no",
        "rank": "3",
    }
    assert job()["notes"][0].startswith(
        "rank 3 is asked about: the rank that is loaded most stands"
    )


@pytest.fixture
def limit(monkeypatch, tmp_path):
    """The words that take the load from a fiche; what it names is installed."""
    versions = SimpleNamespace(
        version={"transformers": "5.24.0"}.get, PackageNotFoundError=KeyError
    )
    monkeypatch.setattr("importlib.metadata", versions)
    folder = fiche_folder(tmp_path / "fiche", GENERATION)
    return ("--from", folder / "fiche.yaml", "--case", "limit", "--candidate", "own")


def test_a_case_of_a_fiche_is_what_runs(fiche, scripted_simulation, job, limit):
    """A3, A6: dimensions and words are those of the fiche; a candidate's card tells no capacity unasked."""
    scripted_simulation()
    ended = fiche("simulate", *limit)
    assert ended.code == 0, ended.err
    told = job()
    assert (told["workload"], told["case"]) == ("generation", "limit")
    assert (told["gpu"], told["machine"]) == ("nvidia-rtx-4090-24g", "node-7")
    assert (told["options"]["prompt_tokens"], told["options"]["sequences"]) == (48, 2)
    assert (told["capacity_bytes"], told["capability"]) == (None, "8.9")
    assert "placement" not in told["words"]


PLACED = GENERATION.replace(
    "{devices: 1, resident: all}",
    "{devices: 4, resident: all, sharding: fsdp, tensor_parallel: 2, data_parallel: 2, offload: none}",
)


def test_a_fiche_may_lay_its_load_over_several_devices(
    fiche, scripted_simulation, job, tmp_path, limit
):
    """D4: a placement is cut and simulated on one rank; measuring it takes the devices themselves."""
    scripted_simulation()
    folder = fiche_folder(tmp_path / "placed", PLACED)
    words = ("--from", folder / "fiche.yaml", "--case", "limit")
    ended = fiche("simulate", *words)
    assert ended.code == 0, ended.err
    assert job()["placement"] == {
        "devices": 4,
        "sharding": "fsdp",
        "offload": "none",
        "tensor_parallel": 2,
        "data_parallel": 2,
        "rank": "most-loaded",
    }
    assert job()["case"] == "limit"
    measured = fiche("measure", *words, "--dry-run")
    assert "F530 placement.devices is 4, and a ready workload runs on one device" in measured.err


@pytest.mark.parametrize("words", [("--new-tokens", 1), ("--devices", 2), ("--allocator", "")])
def test_what_is_changed_is_no_longer_the_case(fiche, scripted_simulation, job, limit, words):
    """D6: a shorter task does not stand for the announced one."""
    scripted_simulation()
    assert fiche("simulate", *limit, *words).code == 0
    assert job()["case"] == ""


# --- Dry run --------------------------------------------------------------------------------------


def test_a_dry_run_runs_nothing_and_writes_nothing(fiche, monkeypatch, here):
    monkeypatch.setattr(run, "CHILD", ("/nowhere/child",))
    words = ("--batch", 3, "--capacity", "24 GiB", "--time-limit", "2 min")
    ended = fiche("simulate", *words, "--dry-run")
    said = " ".join(ended.out.split())
    assert ended.code == 0, ended.err
    assert "Nothing is simulated. One process would run a small dense network" in said
    assert "within 120 s and 24.00 GiB" in said
    assert "options: batch 3" in said
    assert "memory 24.00 GiB (--capacity), capability 8.0 (assumed)" in said
    told = fiche("simulate", *words, "--dry-run", "--json").json()
    assert (told["format"], told["seconds"]) == ("fiche-simulate-plan/1", 120)
    assert told["job"]["options"] == {"batch": 3}
    assert names(here) == []


def test_the_parent_needs_no_torch(fiche, scripted_simulation, monkeypatch):
    scripted_simulation()
    monkeypatch.setitem(sys.modules, "torch", None)
    assert fiche("simulate").code == 0
