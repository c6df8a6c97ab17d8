"""`fiche campaign`: its folder is its state; a done job never runs again (F5, C10, C11)."""

import csv
import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import time

import pytest
from campaigns import STAND_IN, stand_in, without_submitit

from fiche.cli import campaign_run
from fiche.cli.campaign_rows import rows, table_csv
from fiche.cli.skeleton import COLUMNS
from fiche.kernel.campaign import Campaign
from fiche.measure.campaign import cards
from fiche.measure.campaign.drive import Standing
from fiche.measure.campaign.files import locked
from fiche.measure.campaign.folder import Try
from fiche.measure.campaign.plan import jobs

HEAD = "campaign: 1\nid: widths\n"
ONE = HEAD + "measure: {width: 64}\n"
FOUR = ONE + (
    "variants:\n"
    "  - {id: wide, change: {width: 128}}\n"
    "  - {id: fails, change: {width: 13}}\n"
    "  - {id: refused, change: {width: 99}}\n"
)


@pytest.fixture
def campaign(tmp_path, fiche, monkeypatch):
    """Write a campaign file and run the command on it: `campaign(text, "--json")`."""
    stand_in(monkeypatch)
    file = tmp_path / "campaign.yaml"

    def run(text, *options):
        file.write_text(text, encoding="utf-8")
        return fiche("campaign", file, *options)

    return run


@pytest.fixture
def processes(monkeypatch):
    return without_submitit(monkeypatch)


def states(document):
    return {job["id"].rpartition("-")[0]: job["state"] for job in document["jobs"]}


def table(folder):
    return list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))


def bytes_of(folder):
    """Every file of the jobs' folders, by name."""
    found = {p: p.read_bytes() for p in (folder / "jobs").rglob("*") if p.is_file()}
    return {p.relative_to(folder): content for p, content in found.items()}


def test_each_job_is_a_process_with_a_record_and_failures_are_kept(campaign, processes, tmp_path):
    """C11: what fails is an observation; the exit code says that a gate was not met (law 9)."""
    ended = campaign(FOUR, "--json")
    assert ended.code == 3
    assert states(ended.json()) == {
        "base": "done",
        "wide": "done",
        "fails": "failed",
        "refused": "refused",
    }
    rows_ = table(tmp_path / "widths")
    assert list(rows_[0]) == list(COLUMNS)
    base = [row for row in rows_ if not row["changed_variable"]]
    assert [row["phase"] for row in base] == ["model_load", "prefill"]
    assert base[1]["executed_prompt_tokens"] == "128"
    assert base[0]["executed_prompt_tokens"] == ""
    assert base[1]["allocated_peak_bytes"] == str(66 * 2**20)
    assert base[1]["device_index"] == "0"
    failed = [row for row in rows_ if row["changed_variable"] == "width=13"]
    assert [row["outcome"] for row in failed] == ["success", "failure"]
    assert "out of memory, says the stand-in" in failed[1]["notes"]
    (refused,) = [row for row in rows_ if row["outcome"] == "refused"]
    assert refused["allocated_peak_bytes"] == refused["duration_s"] == refused["phase"] == ""
    assert "no usable GPU was found" in refused["notes"]


def test_every_record_is_listed_with_its_digest_and_the_file_with_its_own(
    campaign, processes, tmp_path
):
    told = campaign(FOUR, "--json").json()
    assert told["format"] == "fiche-campaign/1"
    assert told == json.loads((tmp_path / "widths" / "campaign.json").read_text())
    text = (tmp_path / "campaign.yaml").read_bytes()
    assert told["file"]["sha256"] == hashlib.sha256(text).hexdigest()
    listed = [each for job in told["jobs"] for one in job["tries"] for each in one["records"]]
    assert len(listed) == 3
    for each in listed:
        content = (tmp_path / "widths" / each["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == each["sha256"]


def test_the_record_says_which_job_of_the_campaign_it_is(campaign, processes, tmp_path):
    told = campaign(FOUR, "--json").json()
    (job,) = [each for each in told["jobs"] if each["variant"] == "wide"]
    path = tmp_path / "widths" / job["tries"][0]["records"][0]["file"]
    series = json.loads(path.read_text())["series"]
    assert series["plan"]["digest"] == job["digest"]
    assert (series["plan"]["variable"], series["plan"]["value"]) == ("width", "128")
    assert series["run"] == f"widths.{job['id']}.t1"


def test_again_nothing_runs_and_nothing_changes(campaign, processes, tmp_path):
    campaign(FOUR)
    before = bytes_of(tmp_path / "widths")
    started = len(processes.started)
    ended = campaign(FOUR)
    assert ended.code == 3
    assert len(processes.started) == started == 4
    assert bytes_of(tmp_path / "widths") == before


def test_failed_jobs_are_tried_again_only_when_asked_beside_their_records(
    campaign, processes, tmp_path
):
    campaign(FOUR)
    before = bytes_of(tmp_path / "widths")
    told = campaign(FOUR, "--retry-failed", "--json").json()
    tries = {job["variant"]: len(job["tries"]) for job in told["jobs"]}
    assert tries == {"": 1, "wide": 1, "fails": 2, "refused": 2}
    after = bytes_of(tmp_path / "widths")
    assert {name: after[name] for name in before} == before
    assert any("try-2" in str(name) for name in after)


def test_a_changed_campaign_keeps_what_was_measured_and_runs_the_rest(
    campaign, processes, tmp_path
):
    campaign(ONE)
    before = bytes_of(tmp_path / "widths")
    told = campaign(ONE.replace("64", "96"), "--json").json()
    assert states(told) == {"base": "done"}
    assert len(processes.started) == 2
    after = bytes_of(tmp_path / "widths")
    assert {name: after[name] for name in before} == before
    assert len(list((tmp_path / "widths" / "plans").iterdir())) == 2
    assert [name.rpartition("-")[0] for name in told["jobs_of_other_plans"]] == ["base"]
    shown = campaign(ONE.replace("64", "96"), "--status").out
    assert "1 further jobs of earlier plans are kept" in shown


def test_a_job_whose_record_is_gone_is_measured_again(campaign, processes, tmp_path):
    campaign(ONE)
    (record,) = (tmp_path / "widths").rglob("m.json")
    record.unlink()
    told = campaign(ONE, "--json").json()
    assert [one["state"] for one in told["jobs"][0]["tries"]] == ["interrupted", "done"]


def test_a_job_that_writes_no_record_has_failed(campaign, processes, tmp_path):
    """C2: ending well without a record is no measurement."""
    ended = campaign(HEAD + "measure: {width: 88}\n", "--json")
    assert ended.code == 3
    assert ended.json()["jobs"][0]["message"] == "it ended well and wrote no record"


def test_a_job_that_crashes_leaves_a_row_without_readings(campaign, processes, tmp_path):
    assert campaign(HEAD + "measure: {width: 77}\n").code == 3
    (row,) = table(tmp_path / "widths")
    assert row["outcome"] == "failure"
    assert "RuntimeError: the stand-in crashes" in row["notes"]
    assert row["allocated_peak_bytes"] == row["reserved_peak_bytes"] == ""


def test_a_program_of_ones_own_is_run_with_its_variables(campaign, processes, tmp_path):
    text = (
        HEAD
        + f'run:\n  command: [{STAND_IN}, --width, "{{width}}", --output, "{{folder}}/own.json"]\n'
        "  variables: {width: 32}\nvariants: [{id: wide, change: {width: 48}}]\n"
    )
    ended = campaign(text, "--json")
    assert ended.code == 0, ended.err
    names = [each["tries"][0]["records"][0]["file"] for each in ended.json()["jobs"]]
    assert all(name.endswith("try-1/own.json") for name in names)
    assert [row["allocated_peak_bytes"] for row in table(tmp_path / "widths")][::2] == [
        str(32 * 2**20),
        str(48 * 2**20),
    ]


def test_jobs_that_are_done_need_no_card_and_no_cards_are_asked(campaign, processes, monkeypatch):
    campaign(ONE)
    monkeypatch.setattr(cards, "PROBE", (sys.executable, "-c", "raise SystemExit(2)"))
    assert campaign(ONE).code == 0


# --- Nothing is written -----------------------------------------------------------------------


def test_without_a_card_nothing_is_written_and_one_sentence_says_why(
    campaign, processes, monkeypatch, tmp_path
):
    """C10: no GPU, no measurement."""
    say = "import sys; print('no GPU was found', file=sys.stderr); sys.exit(2)"
    monkeypatch.setattr(cards, "PROBE", (sys.executable, "-c", say))
    ended = campaign(ONE)
    assert (ended.code, ended.out, ended.err) == (2, "", "F566 no GPU was found\n")
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_this_machines_own_probe_refuses_in_one_sentence(
    campaign, processes, monkeypatch, tmp_path
):
    """C10: with the probe that users have, on a machine without a GPU or without PyTorch."""
    probe = (sys.executable, "-P", "-m", "fiche.measure.campaign.cards")
    monkeypatch.setattr(cards, "PROBE", probe)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    ended = campaign(ONE)
    assert ended.code == 2
    assert re.fullmatch(r"F566 [^\n]+\n", ended.err)
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_the_python_of_the_command_is_asked_for_a_card_not_ours(campaign, processes, tmp_path):
    """C10: fiche may be installed without PyTorch where the program has it, and the other way round."""
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho 'this Python sees no GPU' >&2\nexit 2\n")
    python.chmod(0o755)
    text = HEAD + f"run: {{command: [{python}, train.py]}}\n"
    ended = campaign(text)
    assert (ended.code, ended.err) == (2, "F566 this Python sees no GPU\n")
    assert not (tmp_path / "widths").exists()


def test_fewer_cards_than_a_job_is_to_get_are_refused(campaign, processes, tmp_path):
    ended = campaign(ONE + "gpus: 3\n")
    assert ended.code == 2
    assert ended.err == "F566 each job is to get 3 cards, and this machine has 2\n"
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_without_submitit_it_says_what_to_install(campaign, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "submitit", None)
    ended = campaign(ONE)
    assert ended.code == 2
    assert "F561 a campaign needs submitit, which is not installed" in ended.err
    assert "pip install 'fiche[cluster]'" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_without_slurm_a_campaign_for_it_is_refused(campaign, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = campaign(ONE + "executor: slurm\n")
    assert ended.code == 2
    assert "F562 Slurm is asked for, and this machine has no sbatch" in ended.err


def test_this_machine_has_no_queue_to_leave_jobs_to(campaign, tmp_path):
    ended = campaign(ONE, "--no-wait")
    assert ended.code == 2
    assert "F702 --no-wait leaves jobs to a queue" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_a_dry_run_lists_the_jobs_and_writes_nothing(campaign, monkeypatch, tmp_path):
    monkeypatch.setattr(cards, "PROBE", (sys.executable, "-c", "raise SystemExit(2)"))
    ended = campaign(FOUR, "--dry-run")
    assert ended.code == 0
    assert "measure --width 128 --output" in ended.out
    assert "4 jobs; nothing was run" in ended.out
    told = campaign(FOUR, "--dry-run", "--json").json()
    assert [job["changed"] for job in told["jobs"]][1] == {"width": "128"}
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]


def test_status_tells_and_writes_nothing(campaign, processes, tmp_path):
    told = campaign(FOUR, "--status", "--json").json()
    assert set(states(told).values()) == {"waiting"}
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.yaml"]
    campaign(FOUR)
    before = bytes_of(tmp_path / "widths")
    ended = campaign(FOUR, "--status")
    assert ended.code == 0
    assert "2 done, 1 failed, 1 refused" in ended.out
    table, _, below = ended.out.partition("\n\n")
    assert "stand-in" not in table  # a message is no cell
    assert below.count("no usable GPU was found: this is a stand-in") == 1
    assert "The peaks of a failed job are what it reached before, and no need." in below
    assert bytes_of(tmp_path / "widths") == before


def test_a_folder_of_something_else_is_left_alone(campaign, processes, tmp_path):
    (tmp_path / "widths").mkdir()
    (tmp_path / "widths" / "mine.txt").write_text("mine")
    ended = campaign(ONE)
    assert ended.code == 2
    assert "F560" in ended.err
    assert [path.name for path in (tmp_path / "widths").iterdir()] == ["mine.txt"]


def test_another_campaigns_folder_is_left_alone(campaign, processes, tmp_path):
    campaign(ONE)
    ended = campaign(ONE.replace("id: widths", "id: other\noutput: widths"), "--status")
    assert ended.code == 2
    assert "holds something else than the campaign 'other'" in ended.err


def test_two_processes_do_not_work_on_one_campaign(campaign, processes, tmp_path):
    campaign(ONE)
    with locked(tmp_path / "widths" / "lock"):
        ended = campaign(ONE)
    assert ended.code == 2
    assert "F564 another process works on the campaign" in ended.err


def test_an_option_that_measure_has_not_is_refused_before_anything_runs(
    campaign, monkeypatch, tmp_path
):
    monkeypatch.setattr(campaign_run, "_options_of", lambda _: frozenset(("width",)))
    ended = campaign(HEAD + "measure: {widht: 64}\n")
    assert ended.code == 2
    assert "campaign.yaml:3:11: F563 fiche measure has no option --widht" in ended.err
    assert "did you mean width?" in ended.err


def test_the_options_of_measure_are_those_of_the_command():
    known = campaign_run._options_of("measure")
    assert {"width", "prompt_tokens", "empty_cache", "from", "output"} <= known


@pytest.mark.parametrize("place", ["fiche.measure.campaign.drive.write_new", "os.fsync"])
def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(
    campaign, processes, monkeypatch, tmp_path, place
):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "widths"))

    monkeypatch.setattr(place, full)
    ended = campaign(ONE)
    assert ended.code == 2
    assert "No space left on device" in ended.err
    assert "Traceback" not in ended.err
    assert not list(tmp_path.rglob("*.partial"))
    assert all(each.done() for each in processes.started)


# --- Edited by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        '{"exit": 0, "records": "abc"}',
        '{"exit": 0, "records": [1, {}]}',
        '{"exit": 0, "records": {"file": 1}}',
        '{"exit": 0, "records": [{"file": "../../job.json", "sha256": "0"}]}',
        '{"exit": 1, "seconds": NaN, "how": [], "message": {}}',
        '{"exit": 1, "seconds": 1e999}',
    ],
)
def test_whatever_ended_json_holds_there_is_an_answer(campaign, processes, tmp_path, text):
    """C10: nothing that cannot be read is taken for a record, and none of it is a traceback."""
    assert campaign(ONE).code == 0
    (ended,) = (tmp_path / "widths").glob("jobs/*/try-1/ended.json")
    ended.write_text(text)
    told = campaign(ONE, "--status", "--json")
    assert (told.code, told.err) == (0, "")
    assert states(told.json())["base"] in ("interrupted", "failed")


def test_strange_things_in_a_try_are_no_records(campaign, processes, tmp_path):
    assert campaign(ONE).code == 0
    (tried,) = (tmp_path / "widths").glob("jobs/*/try-1")
    os.mkfifo(tried / "pipe.json")
    (tried / "loop.json").symlink_to("loop.json")
    (tried / "folder.json").mkdir()
    (tried.parent / "try-²").mkdir()
    (tried.parent / "try-0").mkdir()
    record = (tried / "m.json").read_bytes()
    (tried / os.fsdecode(b"\xff.json")).write_bytes(record)
    assert campaign(ONE).code == 0
    pieces = {row["piece"].rpartition("/")[2] for row in table(tmp_path / "widths")}
    assert pieces == {"m.json", "\\udcff.json"}


def test_a_record_that_was_edited_is_told_in_its_rows(campaign, processes, tmp_path):
    """C2: a row states what a job observed, or says that somebody wrote in it since."""
    assert campaign(ONE).code == 0
    (left,) = (tmp_path / "widths").glob("jobs/*/try-1/m.json")
    left.write_text(left.read_text().replace("69206016", "1048576"))
    assert campaign(ONE).code == 0
    notes = {row["notes"].partition(";")[0] for row in table(tmp_path / "widths")}
    assert notes == {"this record was changed after the job noted it"}


def test_secrets_of_a_command_stand_only_where_it_is_run_from(campaign, processes, tmp_path):
    """Law 7: what is handed around holds none; `submit.json` has to."""
    text = HEAD + 'run: {command: ["-c", "pass", --token, abc123xyz789, "--password=hunter2"]}\n'
    campaign(text, "--json")
    campaign(text, "--dry-run")
    written = [p for p in (tmp_path / "widths").rglob("*") if p.is_file()]
    holding = [p.name for p in written if re.search(rb"abc123xyz|hunter2", p.read_bytes())]
    assert holding == ["submit.json"]
    assert "hunter2" not in campaign(text, "--dry-run").out


# --- Rows -------------------------------------------------------------------------------------


def test_ten_thousand_rows_are_read_in_seconds(tmp_path):
    """F5 on a large campaign: 1000 records of ten phases."""
    (job,) = jobs(Campaign(id="c", sha256="0", output="c"))
    tries = []
    environment = {**os.environ, "FICHE_PLAN": json.dumps(job.plan())}
    first = tmp_path / "m.json"
    subprocess.run([sys.executable, STAND_IN, "--output", first], env=environment, check=True)
    told = json.loads(first.read_text())
    told["phases"] = [{**told["phases"][1], "index": i} for i in range(10)]
    for number in range(1000):
        folder = tmp_path / f"try-{number}"
        folder.mkdir()
        told["series"]["id"] = f"m-{number}"
        (folder / "m.json").write_text(json.dumps(told))
        tries.append(Try(number=number, folder=folder, state="done"))
    stand = [Standing(job=job, tries=tuple(tries))]
    began = time.process_time()
    found = list(rows(Campaign(id="c", sha256="0", output="c"), stand, tmp_path))
    text = table_csv(found)
    assert time.process_time() - began < 10
    assert text.count("\n") == 10_001


def test_a_record_that_cannot_be_read_has_a_row_that_says_so(tmp_path):
    (job,) = jobs(Campaign(id="c", sha256="0", output="c"))
    (tmp_path / "m.json").write_text('{"format": "fiche-measurement/1", "phases": 3}')
    stand = [Standing(job=job, tries=(Try(number=1, folder=tmp_path, state="done"),))]
    (row,) = rows(Campaign(id="c", sha256="0", output="c"), stand, tmp_path)
    assert "this record cannot be read" in row.cells["notes"]
    assert row.cells["piece"] == "m.json"
