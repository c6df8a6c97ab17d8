"""Series of `fiche measure`: repeated processes, and one variable at a time (C7, D6)."""

import json

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def series(path):
    return json.loads(path.read_text(encoding="utf-8"))["series"]


def started(folder):
    """The records in the order in which their processes ran."""
    told = [(series(path)["plan"]["index"], path.name) for path in folder.iterdir()]
    return [name for _, name in sorted(told)]


def test_repeated_processes_are_numbered_and_of_one_plan(fiche, scripted, here):
    scripted()
    ended = fiche("measure", "--repeat-process", 3, "-o", "m.json")
    assert ended.code == 0, ended.err
    each = [name for n in (1, 2, 3) for name in (f"m.{n}.json", f"m.{n}.whole.json")]
    assert names(here) == sorted(each)
    assert started(here) == each
    plans = [series(here / name)["plan"] for name in each]
    assert {plan["kind"] for plan in plans} == {"repeat_process"}
    assert {plan["of"] for plan in plans} == {6}
    assert len({plan["digest"] for plan in plans}) == 1
    runs = [series(here / name)["run"] for name in each]
    assert [runs[n] == runs[n + 1] for n in (0, 2, 4)] == [True] * 3
    assert len(set(runs)) == 3
    assert len({series(here / name)["process"]["pid"] for name in each}) == 6


def test_one_variable_varies_in_the_order_typed(fiche, scripted, here):
    scripted()
    ended = fiche("measure", "--vary", "batch=4,1,2", "--ordering", "phased", "-o", "m.json")
    assert ended.code == 0, ended.err
    assert started(here) == ["m.batch-4.json", "m.batch-1.json", "m.batch-2.json"]
    for place, value in enumerate("412"):
        one = json.loads((here / f"m.batch-{value}.json").read_text(encoding="utf-8"))
        plan = one["series"]["plan"]
        assert (plan["variable"], plan["value"], plan["index"]) == ("batch", value, place)
        assert one["series"]["order"].startswith("batch 4, 1, 2, as typed; phased")
        assert one["phases"][-1]["executed"]["batch"] == int(value)
    rows = [
        line.split()[:2]
        for line in ended.out.splitlines()
        if "m.batch" in line and "next" not in line
    ]
    assert rows == [["4", "m.batch-4.json"], ["1", "m.batch-1.json"], ["2", "m.batch-2.json"]]


def test_a_shuffled_order_is_the_same_each_time_and_recorded(fiche, scripted, here):
    scripted()
    words = ("--vary", "batch=1,2,3,4,5", "--shuffle", 7, "--ordering", "phased")
    planned = fiche("measure", *words, "-o", "m.json", "--dry-run", "--json").json()["jobs"]
    fiche("measure", *words, "-o", "m.json")
    order = [str(job["options"]["batch"]) for job in planned]
    assert order != ["1", "2", "3", "4", "5"]
    assert sorted(order) == ["1", "2", "3", "4", "5"]
    assert started(here) == [f"m.batch-{value}.json" for value in order]
    told = series(here / "m.batch-1.json")["order"]
    assert told.startswith(f"batch {', '.join(order)}, shuffled with seed 7")


def test_a_variable_may_be_a_word(fiche, scripted, here):
    scripted()
    fiche("measure", "--vary", "dtype=float32,bfloat16", "--ordering", "phased", "-o", "m.json")
    assert names(here) == ["m.dtype-bfloat16.json", "m.dtype-float32.json"]


def test_all_trials_run_also_behind_one_that_failed(fiche, scripted, here):
    scripted(limit={"batch": 1})
    ended = fiche("measure", "--vary", "batch=1,2,3", "--ordering", "phased", "-o", "m.json")
    assert ended.code == 3
    assert names(here) == ["m.batch-1.json", "m.batch-2.json", "m.batch-3.json"]
    table, _, below = ended.out.partition("Peaks are the largest")
    assert table.count("failed in cold_forward") == below.count("failed in cold_forward") == 2
    assert "Tried to allocate" not in table  # a message is no cell
    assert below.count("CUDA out of memory. Tried to allocate 2.00 GiB.") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "batch=1,2", "--vary", "width=64"), "F522 --vary is said twice"),
        (("--vary", "batch="), "F522 'batch=' is no series"),
        (("--vary", "batch=1,1"), "F522 batch is 1 twice"),
        (("--vary", "dtype=a b,a-b"), "F522 two of these values make one file name"),
        (("--vary", "batch=1,x"), "F521 batch: 'x' is no value of it"),
        (("--vary", "depth=1,2"), "F701 unknown variable 'depth'"),
        (
            ("--vary", "batch=1,2", "--repeat-process", 2),
            "F522 --vary and --repeat-process are two",
        ),
        (("--vary", "batch=1,2", "--frontier", "batch=1:2"), "F522 --vary and --frontier are two"),
        (("--shuffle", 1), "F522 --shuffle orders the values of --vary"),
        (("--frontier", "context=1:2", "--frontier", "batch=1:2"), "F522 --frontier is said twice"),
        (("--frontier", "context=1024"), "F522 'context=1024' is no range"),
        (("--frontier", "context=9:9"), "F522 9 to 9 is no range"),
        (("--frontier", "context=0:9"), "F522 0 to 9 is no range"),
        (("--frontier", "dtype=1:9"), "F522 dtype is no number"),
        (("--frontier", "depth=1:9"), "F701 unknown variable 'depth'"),
        (("--frontier", "context=1:9", "--warmup", 1), "F702 --warmup: a frontier has its own"),
    ],
)
def test_what_is_no_plan_is_refused(fiche, scripted, here, words, said):
    scripted()
    ended = fiche("measure", *words, "-o", "m.json")
    assert (ended.code, said in ended.err) == (2, True), ended.err
    assert names(here) == []


def test_an_unknown_variable_lists_the_known_ones(fiche):
    err = fiche("measure", "--vary", "x=1,2").err
    assert "known: batch, context, dtype, seed, width" in err


def test_no_trial_runs_where_one_name_is_taken(fiche, scripted, here):
    scripted()
    (here / "m.batch-2.json").write_text("mine", encoding="utf-8")
    ended = fiche("measure", "--vary", "batch=1,2", "-o", "m.json")
    assert (ended.code, "F523 m.batch-2.json exists already" in ended.err) == (2, True)
    assert names(here) == ["m.batch-2.json"]
