"""`fiche measure --frontier`: every bound of a search, every trial kept, and going on with it (C11)."""

import hashlib
import json
import signal
import subprocess
import time

import jsonschema_rs
import pytest
from measure.children import command

from fiche.assets import schema_text

SCHEMA = jsonschema_rs.validator_for(json.loads(schema_text("frontier.schema.json")))
SEARCH = ("measure", "--frontier", "context=1024:4096", "--step", 512, "-o", "m.json")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def summary(folder):
    told = json.loads((folder / "m.frontier.json").read_text(encoding="utf-8"))
    SCHEMA.validate(told)
    for trial in told["trials"]:
        content = (folder / trial["record"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == trial["sha256"]
    return told


def bounds(told):
    return told["largest_success"], told["smallest_failure_above"], told["stopped"]


def tried(told):
    return [(trial["value"], trial["outcome"]) for trial in told["trials"]]


def records(folder):
    return {path.name: path.read_bytes() for path in folder.glob("m.context-*")}


# --- Bounds ---------------------------------------------------------------------------------------


def test_a_frontier_is_an_interval_of_trials(fiche, scripted, here):
    scripted(limit={"context": 2000})
    ended = fiche(*SEARCH)
    assert ended.code == 0, ended.err
    told = summary(here)
    assert tried(told) == [
        (1024, "success"),
        (4096, "device_memory"),
        (2560, "device_memory"),
        (1536, "success"),
        (2048, "device_memory"),
    ]
    assert bounds(told) == (1536, 2048, "found")
    assert "Largest success 1536, smallest failure 2048." in ended.out
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["1536", "success", "5.00", "6.00", "m.context-1536.json"] in lines  # two columns (C3)
    assert [
        "2048",
        "no",
        "device",
        "memory",
        "m.context-2048.json",
    ] in lines  # what failed is no need
    assert "step 512 (as asked)" in " ".join(ended.out.split())
    assert "next: fiche import m.context-1024.json" in ended.out


def test_each_trial_is_the_first_pass_of_the_whole_loop_in_a_fresh_process(fiche, scripted, here):
    """C7, C8: what can admit, and nothing that ran before it."""
    scripted(limit={"context": 2000})
    fiche(*SEARCH)
    told = [json.loads(content) for content in records(here).values()]
    assert len(told) == len({one["series"]["process"]["pid"] for one in told}) == 5
    for one in told:
        (phase,) = one["phases"]
        assert (phase["ordering"], phase["pass"]) == ("whole_loop", "first")
        assert one["series"]["plan"]["digest"] == summary(here)["digest"]
        assert one["series"]["plan"]["value"] == str(phase["declared"]["context"])


@pytest.mark.parametrize(
    ("limit", "found", "said"),
    [
        (100, (None, 1024, "low_failed"), "No success was seen, smallest failure 1024."),
        (
            4096,
            (4096, None, "high_succeeded"),
            "Largest success 4096, no failure above it was seen",
        ),
    ],
)
def test_an_end_that_was_not_seen_is_open(fiche, scripted, here, limit, found, said):
    scripted(limit={"context": limit})
    ended = fiche(*SEARCH)
    assert ended.code == 0
    assert bounds(summary(here)) == found
    assert said in " ".join(ended.out.split())


def test_json_is_the_summary(fiche, scripted, here):
    scripted(limit={"context": 2000})
    assert fiche(*SEARCH, "--json").json() == summary(here)


def test_the_default_step_is_stated(fiche, scripted, here):
    scripted(limit={"context": 100})
    out = fiche("measure", "--frontier", "context=1024:131072", "-o", "m.json").out
    assert "step 2032 (1/64 of the range)" in " ".join(out.split())
    assert summary(here)["range"]["step_by"] == "default"


def test_a_dry_run_shows_both_ends_and_writes_nothing(fiche, scripted, here):
    scripted()
    out = fiche(*SEARCH, "--dry-run").out
    assert "The search would try dense in fresh processes at these two ends" in out
    assert "context 1024" in " ".join(out.split())
    assert "context 4096" in " ".join(out.split())
    assert list(here.iterdir()) == []


# --- What bounds nothing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "stopped", "outcome", "record", "said"),
    [
        (
            {"other": [4096]},
            "other_failure",
            "other_failure",
            "m.context-4096.json",
            "illegal memory",
        ),
        (
            {"host": [4096]},
            "other_failure",
            "other_failure",
            "m.context-4096.json",
            "can't allocate",
        ),
        ({"kill": [4096]}, "killed", "cut", "m.context-4096.json.journal", "killed by SIGKILL"),
        ({"broken": [4096]}, "killed", "cut", "m.context-4096.json.journal", "ended with code 9"),
    ],
)
def test_only_want_of_device_memory_narrows(
    fiche, scripted, here, script, stopped, outcome, record, said
):
    """Any other failure stops the search with 3, and says why."""
    scripted(**script)
    ended = fiche(*SEARCH)
    assert ended.code == 3
    told = summary(here)
    assert bounds(told) == (1024, None, stopped)
    assert told["trials"][-1]["outcome"] == outcome
    assert told["trials"][-1]["record"] == record
    assert said in told["because"]
    assert said in " ".join(ended.out.split())
    assert told["notes"]


def test_a_refused_first_trial_is_2_and_leaves_nothing(fiche, scripted, here):
    """C10."""
    scripted(refuse="no GPU here")
    ended = fiche(*SEARCH)
    assert (ended.code, ended.out, ended.err) == (2, "", "F520 no GPU here\n")
    assert list(here.iterdir()) == []


# --- Bounds on trials and time, and going on ------------------------------------------------------


def test_a_search_goes_on_where_it_stopped(fiche, scripted, here):
    scripted(limit={"context": 2000})
    ended = fiche(*SEARCH, "--max-trials", 2)
    assert ended.code == 0
    assert bounds(summary(here)) == (1024, 4096, "max_trials")
    before = records(here)
    ended = fiche(*SEARCH, "--max-trials", 2)
    assert (
        ended.code,
        "F523 m.frontier.json exists already, and 2 more records do" in ended.err,
    ) == (2, True)
    assert "--resume" in ended.err
    assert fiche(*SEARCH, "--resume").code == 0
    told = summary(here)
    assert bounds(told) == (1536, 2048, "found")
    assert [value for value, _ in tried(told)] == [1024, 4096, 2560, 1536, 2048]
    assert [plan_index(here, trial) for trial in told["trials"]] == [0, 1, 2, 3, 4]
    after = records(here)
    assert {name: after[name] for name in before} == before


def plan_index(folder, trial):
    one = json.loads((folder / trial["record"]).read_text(encoding="utf-8"))
    return one["series"]["plan"]["index"]


def test_a_finished_search_is_not_run_again(fiche, scripted, here):
    scripted(limit={"context": 2000})
    fiche(*SEARCH)
    before = records(here)
    scripted(refuse="nothing may run")
    assert fiche(*SEARCH, "--resume").code == 0
    assert records(here) == before


def test_a_wider_search_goes_on_from_the_same_trials(fiche, scripted, here):
    """Range and step are not part of the digest; and what contradicts itself is said, never smoothed."""
    scripted(limit={"context": 2000})
    fiche(*SEARCH)
    scripted()
    wider = ("measure", "--frontier", "context=8192:16384", "-o", "m.json", "--resume")
    ended = fiche(*wider)
    assert ended.code == 0, ended.err
    told = summary(here)
    assert bounds(told) == (1536, 2048, "found")
    (here / "m.context-2048.json").rename(here / "away")
    (here / "m.context-2560.json").rename(here / "away-too")
    (here / "m.context-4096.json").rename(here / "away-as-well")
    scripted(starved=[16384])
    assert fiche(*wider, "--max-trials", 1).code == 0
    assert bounds(summary(here)) == (1536, 16384, "max_trials")


def test_outcomes_that_are_not_monotone_are_said(fiche, scripted, here):
    """A trial from a day on which somebody else held the card: a failure below a success."""
    scripted()
    wider = ("--frontier", "context=4096:8192", "--step", 512)
    assert fiche("measure", *wider, "-o", "m.json").code == 0
    scripted(limit={"context": 2000})
    fiche("measure", *SEARCH[1:-1], "other/m.json")
    (here / "other" / "m.context-2560.json").rename(here / "m.context-2560.json")
    ended = fiche("measure", *wider, "-o", "m.json", "--resume")
    assert ended.code == 0, ended.err
    told = summary(here)
    assert bounds(told) == (8192, None, "high_succeeded")
    assert told["contrary_failures"] == [2560]
    assert (
        "not monotone: 2560 failed for want of device memory although 8192 worked"
        in told["notes"][0]
    )
    assert "not monotone" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    "change", [("--batch", 3), ("--seed", 9), ("--empty-cache", "between-repeats")]
)
def test_trials_of_another_plan_are_refused(fiche, scripted, here, change):
    """C7: series of different conditions are never mixed."""
    scripted(limit={"context": 2000})
    fiche(*SEARCH, "--max-trials", 1)
    before = records(here)
    ended = fiche(*SEARCH, *change, "--resume")
    assert (ended.code, ended.out) == (2, "")
    assert "F524 m.context-1024.json was measured under another plan" in ended.err
    assert "F524 m.frontier.json" in ended.err
    assert records(here) == before


def test_somebody_elses_file_is_no_trial(fiche, scripted, here):
    scripted()
    (here / "m.context-2048.json").write_text("{}", encoding="utf-8")
    ended = fiche(*SEARCH, "--resume")
    assert (ended.code, "F524 m.context-2048.json" in ended.err) == (2, True)


def test_a_changed_environment_is_said(fiche, scripted, here):
    scripted(limit={"context": 2000}, driver="610.62")
    fiche(*SEARCH, "--max-trials", 1)
    scripted(limit={"context": 2000}, driver="620.11")
    fiche(*SEARCH, "--resume")
    (note,) = summary(here)["notes"]
    assert note.startswith("the trials ran in different environments: ")
    assert "610.62" in note
    assert "620.11" in note


def test_a_time_limit_ends_the_running_trial_too(fiche, scripted, here, monkeypatch):
    from fiche.cli import measuring_frontier

    monkeypatch.setattr(measuring_frontier, "_MINUTE", 1.0)
    scripted(hang=[1024])
    ended = fiche(*SEARCH, "--max-minutes", 1)
    assert ended.code == 0
    told = summary(here)
    assert bounds(told) == (None, None, "max_minutes")
    assert tried(told) == [(1024, "cut")]
    scripted(limit={"context": 2000})
    assert fiche(*SEARCH, "--resume").code == 0
    told = summary(here)
    assert bounds(told) == (1536, 2048, "found")
    assert told["trials"][0]["record"] == "m.context-1024.json"
    assert told["trials"][1]["record"] == "m.context-1024.2.json"
    assert "cut before its end, and no bound: the trial at 1024" in told["notes"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_search_that_was_ended_in_the_middle_goes_on(fiche, scripted, here, tmp_path, number):
    """The trial that ran is tried again under a name of its own; the finished ones are taken over."""
    script = scripted(limit={"context": 2000}, hang=[2560])
    running = subprocess.Popen(command(script, *SEARCH), stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not (tmp_path / "hanging").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == (130 if number == signal.SIGINT else -9)
    time.sleep(0.2)
    assert bounds(summary(here)) == (1024, 4096, "unfinished")
    before = records(here)
    scripted(limit={"context": 2000})
    assert fiche(*SEARCH, "--resume").code == 0
    told = summary(here)
    assert bounds(told) == (1536, 2048, "found")
    again = [trial for trial in told["trials"] if trial["value"] == 2560]
    assert [trial["outcome"] for trial in again] == ["cut", "device_memory"]
    assert again[1]["record"] == "m.context-2560.2.json"
    after = records(here)
    assert {name: after[name] for name in before} == before
