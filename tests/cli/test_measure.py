"""`fiche measure`: F3 through the command line, its exit codes, and what it leaves on disk (C7 to C11)."""

import json
import os
import pty
import subprocess
import sys
from types import SimpleNamespace

import pytest
from measure.children import SIMULATED, command
from measure.records_of import GENERATION, fiche_folder

from fiche.cli import measured_from
from fiche.importers import fiche_record
from fiche.measure import trials

F3 = ("--device", "cuda:0", "--batch", 2, "--context", 128, "--width", 1024, "--dtype", "float32")
WORDS = {"formats": {"master": "none"}, "model": {"name": "org/tiny"}}
F3 += ("--warmup", 3, "--repeats", 5)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


def phases(path):
    return [phase["name"] for phase in record(path)["phases"]]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- One measurement ------------------------------------------------------------------------------


def test_f3_makes_two_records_of_one_run(fiche, scripted, here):
    """F3, C7, C8: phase by phase, and the whole loop in its real order, each in a process of its own."""
    scripted()
    ended = fiche("measure", *F3, "--output", "m.json")
    assert (ended.code, ended.err) == (0, "")  # no terminal, no line of progress
    assert names(here) == ["m.json", "m.whole.json"]
    phased, whole = record(here / "m.json"), record(here / "m.whole.json")
    warm = ["warmup"] * 3 + ["warm_forward"] * 5
    assert phases(here / "m.json") == ["model_load", "inputs", "cold_forward", *warm]
    assert phases(here / "m.whole.json") == ["loop"] * 9
    assert [p["pass"] for p in whole["phases"]] == ["first"] + ["later"] * 8
    assert whole["phases"][0]["covers"] == ["model_load", "inputs", "cold_forward"]
    assert phased["series"]["run"] == whole["series"]["run"]
    assert phased["series"]["process"]["pid"] != whole["series"]["process"]["pid"]
    for one in (phased, whole):
        told = {key: one["series"][key] for key in ("warmups", "repeats", "empty_cache", "seed")}
        assert told == {"warmups": 3, "repeats": 5, "empty_cache": "never", "seed": 0}
        assert one["series"]["order"] == "phased then whole loop, each in a fresh process"


def test_the_table_never_mixes_allocated_and_reserved(fiche, scripted):
    """C3, E1: four counters with their unit, peak and current, per device."""
    scripted()
    out = fiche("measure", "--warmup", 0, "--repeats", 2, "-o", "m.json").out
    head = " ".join(" ".join(out.split("\n")[2:5]).split())
    for word in ("allocated", "reserved"):
        assert head.count(word) == 2
    assert head.count("current") == head.count("peak") == 2
    assert head.count("(GiB)") == 4
    rows = [line.split() for line in out.splitlines() if " success " in line]
    assert rows[0][:7] == ["model_load", "first", "success", "5.00", "5.00", "6.00", "6.00"]
    assert rows[3][:3] == ["warm_forward", "x", "2"]
    assert out.startswith("m.json: phased on cuda:0, 5 phases\n")
    # Once for both records: what a peak can be read against, in words of the card itself (D8).
    assert out.count("cuda:0 is Scripted GPU, and declares 24.00 GiB (torch_total_memory).") == 1
    assert "next: fiche import m.json m.whole.json --to FICHE" in out


@pytest.mark.parametrize(
    ("option", "typed"), [("--gpu", "H 100"), ("--gpu", "H100"), ("--machine", "a/b")]
)
def test_a_card_or_machine_that_no_record_can_name_is_refused(fiche, scripted, here, option, typed):
    """C10: before anything runs, also where nothing would (law 9)."""
    scripted()
    for more in ((), ("--dry-run",)):
        ended = fiche("measure", option, typed, "-o", "m.json", *more)
        assert (ended.code, ended.err.splitlines()[0]) == (2, f"F540 {option}: {typed!r} is no id")
    assert names(here) == []


def test_the_table_fits_a_terminal_of_80_columns(fiche, scripted, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    scripted(limit={"context": 100}, at="warm_forward")
    out = fiche("measure", "--context", 128, "--repeats", 5, "-o", "m.json").out
    assert "warm_forward" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_records_are_read_back_by_the_importer(fiche, scripted, here):
    scripted()
    assert fiche("measure", "-o", "m.json").code == 0
    reading = fiche_record.read((here / "m.whole.json").read_bytes(), "0" * 64)
    assert [run.whole_loop for run in reading.runs] == [True] * 4
    assert fiche("import", "m.json", "m.whole.json").code == 0


def test_json_has_every_phase_in_bytes(fiche, scripted, here):
    scripted(limit={"context": 100})
    ended = fiche("measure", "--context", 128, "--ordering", "phased", "-o", "m.json", "--json")
    (trial,) = ended.json()["trials"]
    assert (ended.code, trial["outcome"], trial["record"]) == (3, "failed", "m.json")
    assert trial["phases"][0]["allocated_peak"] == 5 * 2**30 + 1024
    assert trial["phases"][-1]["outcome"] == "failure"


@pytest.mark.parametrize(
    ("ordering", "left"),
    [
        ("phased", ["m.json"]),
        ("whole-loop", ["m.json"]),
        ("both", ["m.json", "m.whole.json"]),
    ],
)
def test_orderings(fiche, scripted, here, ordering, left):
    scripted()
    assert fiche("measure", "--ordering", ordering, "-o", "m.json").code == 0
    assert names(here) == left


def test_what_the_series_is_told_is_recorded(fiche, scripted, here):
    """C7: the policy and the seed; A5: where."""
    scripted()
    words = ("--empty-cache", "between-repeats", "--seed", 7, "--machine", "node-7")
    fiche("measure", *words, "--gpu", "nvidia-l4-24g", "-o", "m.json")
    one = record(here / "m.json")
    assert (one["series"]["empty_cache"], one["series"]["seed"]) == ("between_repeats", 7)
    assert (one["machine"], one["gpu"]) == ("node-7", "nvidia-l4-24g")


@pytest.mark.torch
def test_f3_on_the_real_network_keeps_the_order_of_calls(fiche, monkeypatch, here):
    """F3, the published check: batch 1, context 16, width 64, float32, one warm-up, two repeats.

    The devices are simulated: this shows the order of calls and measures nothing.
    """
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-u", str(SIMULATED)))
    words = ("--batch", 1, "--context", 16, "--width", 64, "--dtype", "float32")
    ended = fiche("measure", *words, "--warmup", 1, "--repeats", 2, "-o", "m.json")
    assert ended.code == 0, ended.out + ended.err
    one = record(here / "m.json")
    warm = ["cold_forward", "warmup", "warm_forward", "warm_forward"]
    assert phases(here / "m.json") == ["model_load", "inputs", *warm]
    # C14: a forward's output is looked at, a load's is not.
    told = [phase["output_check"].get("passed") for phase in one["phases"]]
    assert told == [None, None, True, True, True, True]
    assert one["phases"][2]["executed"] == {"batch": 1, "context": 16, "width": 64}
    assert one["workload"]["model"]["name"] == "fiche-dense-network"


def test_the_process_that_starts_them_needs_no_torch(fiche, scripted, monkeypatch):
    scripted()
    monkeypatch.setitem(sys.modules, "torch", None)
    assert fiche("measure", "-o", "m.json").code == 0
    assert fiche("measure", "--dry-run").code == 0


def test_what_a_library_says_does_nothing_to_a_terminal(fiche, scripted, here):
    """Law 7."""
    scripted(other=[128], message="\x1b[2J\x07gone")
    ended = fiche("measure", "--context", 128, "-o", "m.json")
    assert "gone" in ended.out
    assert "\x1b" not in ended.out + ended.err


def test_a_run_around_it_names_the_run(fiche, scripted, here, monkeypatch):
    """A program and what it wrote share an id; so do the ranks of a launcher."""
    scripted()
    monkeypatch.setenv("FICHE_RUN_ID", "outer-7")
    fiche("measure", "-o", "m.json")
    assert record(here / "m.json")["series"]["run"] == "outer-7"
    monkeypatch.delenv("FICHE_RUN_ID")
    for name, value in {
        "WORLD_SIZE": 2,
        "RANK": 1,
        "TORCHELASTIC_RUN_ID": "r",
        "MASTER_PORT": 9,
    }.items():
        monkeypatch.setenv(name, str(value))
    ended = fiche("measure", "-o", "n.json")
    assert ended.code == 0, ended.out
    for name in ("n-rank1.json", "n.whole-rank1.json"):
        assert record(here / name)["series"]["run"] == "n-r-9"
    assert fiche("measure", "-o", "n.json").code == 2


def test_on_a_terminal_each_phase_has_its_line(scripted, here):
    """Read from the journal as it grows; standard output stays as it is."""
    script = scripted(slow=[128])
    ours, theirs = pty.openpty()
    words = command(script, "measure", "--context", 128, "--ordering", "phased", "-o", "m.json")
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=True)
    os.close(theirs)
    told = os.read(ours, 100_000).decode()
    os.close(ours)
    assert told.startswith("[1/1] m.json")
    assert "  model_load (first): success, " in told
    assert b"[1/1]" not in ended.stdout


# --- From a fiche ---------------------------------------------------------------------------------


@pytest.fixture
def limit(monkeypatch, tmp_path):
    """The words that take the load from a fiche; what it names is installed."""
    versions = SimpleNamespace(
        version={"transformers": "5.24.0"}.get, PackageNotFoundError=KeyError
    )
    monkeypatch.setattr("importlib.metadata", versions)
    folder = fiche_folder(tmp_path / "fiche", GENERATION)
    return ("--from", folder / "fiche.yaml", "--case", "limit", "--candidate", "own")


def test_a_case_of_a_fiche_is_what_runs(fiche, scripted, here, limit):
    """A3, A6: dimensions, words, card, machine and seed are those of the fiche, and so is the label."""
    scripted()
    ended = fiche("measure", *limit, "-o", "m.json")
    assert ended.code == 0, ended.err
    one = record(here / "m.whole.json")
    assert one["phases"][0]["executed"] == {"prompt_tokens": 48, "new_tokens": 16, "sequences": 2}
    assert (one["gpu"], one["machine"]) == ("nvidia-rtx-4090-24g", "node-7")
    assert (one["phases"][0]["case"], one["series"]["seed"]) == ("limit", 7)


def test_what_a_record_will_leave_open_is_said(fiche, scripted, here, limit, monkeypatch):
    scripted()
    told = dict(measured_from.job_words(*limit[1::2]), notes=["weights are random"], words=WORDS)
    monkeypatch.setattr(measured_from, "job_words", lambda *named: told)
    ended = fiche("measure", *limit, "-o", "m.json")
    assert "note: weights are random" in ended.out
    workload = record(here / "m.json")["workload"]
    assert workload["formats"] == {"master": "none"}
    assert workload["model"]["name"] == "scripted"  # what runs is not talked over
    assert fiche("measure", *limit, "-o", "n.json", "--json").json()["notes"] == [
        "weights are random"
    ]


@pytest.mark.parametrize("change", [("--new-tokens", 1), ("--vary", "new_tokens=1,2")])
def test_changed_dimensions_are_no_longer_those_of_the_case(fiche, scripted, here, limit, change):
    """D6: a shorter task does not validate the announced one."""
    scripted()
    assert fiche("measure", *limit, *change, "-o", "m.json").code == 0
    for path in here.iterdir():
        assert "case" not in record(path)["phases"][0]
        assert record(path)["phases"][0]["declared"]["prompt_tokens"] == 48


# --- Refused: exit 2, and nothing is left ---------------------------------------------------------


def test_without_torch_one_sentence_and_nothing_is_written(fiche, monkeypatch, here):
    """C10."""
    program = "import sys; sys.modules['torch'] = None\nfrom fiche.measure.child import main\nsys.exit(main())"
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-c", program))
    ended = fiche("measure", *F3, "--output", "new/m.json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "F520 PyTorch is not installed in this Python, so nothing can be measured\n"
    assert names(here) == []


@pytest.mark.torch
def test_without_a_gpu_the_child_as_it_is_refuses(fiche, here):
    """C10: torch's CPU build is no GPU."""
    ended = fiche("measure", *F3, "--output", "new/m.json")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "a CPU is no GPU" in ended.err or "no usable GPU" in ended.err
    assert names(here) == []


@pytest.mark.parametrize("name", ["m.json", "m.whole.json", "m.json.journal"])
def test_an_existing_record_is_refused_before_anything_runs(fiche, scripted, here, name):
    """C10: F523."""
    scripted()
    (here / name).write_text("mine", encoding="utf-8")
    ended = fiche("measure", "-o", "m.json")
    assert (ended.code, ended.out) == (2, "")
    assert f"F523 {name} exists already" in ended.err
    assert names(here) == [name]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--width", "1_024"), "F521 width: '1_024' is no value of it"),
        (("--batch", "two"), "F521 batch: 'two' is no value of it"),
        (("--prompt-tokens", 8), "F521 prompt-tokens is no option of the workload dense"),
        (("--set", "depth=2"), "F521 depth is no option of the workload dense"),
        (("--set", "depth"), "F702 'depth' sets nothing"),
        (("--empty-cache", "always"), "F701 unknown policy 'always'"),
        (("--ordering", "phase"), "F701 unknown ordering 'phase'"),
        (("--operation", "training"), "F702 --operation is that of a model"),
        (("--model", "m", "--operation", "train"), "F701 unknown operation 'train'"),
        (("--case", "limit"), "F702 --case: no fiche is named"),
        (("--from", "f.yaml"), "F702 --from takes one case of the fiche"),
        (("-o", ".."), "F702 --output names no file: '..'"),
        (("--resume",), "F702 --resume: no frontier is searched"),
        (("--step", 4, "--max-trials", 2), "F702 --step, --max-trials: no frontier is searched"),
    ],
)
def test_wrong_words_are_refused_before_anything_runs(fiche, scripted, here, words, said):
    scripted()
    ended = fiche("measure", "-o", "m.json", *words)
    assert (ended.code, ended.out, said in ended.err) == (2, "", True), ended.err
    assert names(here) == []


def test_a_value_that_the_workload_refuses_is_refused(fiche, scripted, here):
    ended = fiche("measure", "--dry-run", "--dtype", "int4")
    assert (ended.code, "F521 dtype 'int4' is none of" in ended.err) == (2, True)


def test_a_disk_that_fills_is_one_sentence_and_keeps_the_journal(fiche, scripted, here):
    scripted(bytes=1500)
    ended = fiche("measure", "-o", "m.json")
    assert (ended.code, "F520" in ended.err, "File too large" in ended.err) == (2, True, True)
    assert names(here) == ["m.json.journal"]


# --- A workload that fails: exit 3, and its record is kept ----------------------------------------


def test_a_failed_workload_is_3_with_both_records(fiche, scripted, here):
    """C11: phase, dimensions, message, last values."""
    scripted(limit={"context": 100})
    ended = fiche("measure", "--context", 128, "-o", "m.json")
    assert ended.code == 3
    told = "m.json: phased on cuda:0, failed in cold_forward (device memory): CUDA out of memory"
    assert told in ended.out
    assert names(here) == ["m.json", "m.whole.json"]
    last = record(here / "m.json")["phases"][-1]
    assert last["declared"]["context"] == 128
    assert last["error"]["message"].startswith("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_a_killed_child_is_3_with_its_journal(fiche, scripted, here):
    scripted(kill=[128])
    ended = fiche("measure", "--context", 128, "-o", "m.json")
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert "killed by SIGKILL during cold_forward" in said
    assert "the journal holds what finished before: 2 phases" in said
    assert names(here) == ["m.json.journal", "m.whole.json.journal"]
    reading = fiche_record.read((here / "m.json.journal").read_bytes(), "0" * 64)
    assert [run.outcome for run in reading.runs] == ["success", "success", "unknown"]


def test_a_child_that_breaks_without_a_record_is_a_defect(fiche, monkeypatch, here):
    """Law 9: 1 is left to a defect of ours, and what the child said is shown."""
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-c", "raise SystemError('ours')"))
    ended = fiche("measure", "-o", "m.json")
    assert (ended.code, "SystemError: ours" in ended.err) == (1, True)
    assert names(here) == []


# --- Dry run --------------------------------------------------------------------------------------


def test_a_dry_run_needs_nothing_and_writes_nothing(fiche, monkeypatch, here):
    monkeypatch.setattr(trials, "CHILD", ("/nowhere/child",))
    ended = fiche("measure", *F3, "--dry-run", "--output", "m.json", "--json")
    assert ended.code == 0, ended.err
    first, second = ended.json()["jobs"]
    assert first["declared"] == {"batch": 2, "context": 128, "width": 1024}
    assert (first["output"], first["ordering"]) == ("m.json", "phased")
    assert (second["output"], second["ordering"]) == ("m.whole.json", "whole_loop")
    text = fiche("measure", "--dry-run").out
    assert "Nothing is measured. 2 fresh processes would run the workload dense." in text
    assert "batch 2, context 128, width 1024" in " ".join(text.split())
    assert names(here) == []
