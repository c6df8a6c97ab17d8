"""`fiche archive add`: a new archive, entries and their options, refusals, and being asked to end."""

import errno
import json
import os
import shutil
import signal
import sys
from pathlib import Path

import bagit
import pytest

from fiche.archive.checking import check_archive
from fiche.archive.local import LocalStore
from fiche.archive.refusals import unwritable
from fiche.archive.store import Store
from fiche.cli import interrupt

ROOT = Path(__file__).resolve().parents[2]
SERVING = ROOT / "samples" / "serving"
RECORD = SERVING / "evidence" / "run-limit.json"


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A folder that is not there yet, named by the variable."""
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    return tmp_path / "archive"


def only(archive):
    (entry,) = Store.opened(str(archive)).entries()
    return entry


def test_the_first_add_makes_the_archive_and_says_so(fiche, archive):
    ended = fiche("archive", "add", RECORD)
    assert (ended.code, ended.err) == (0, "")
    first, second = ended.out.splitlines()
    assert first == f"a new archive: {archive}"
    entry = only(archive)
    assert second == (
        f"{entry.id}  added: record, meta-llama/Llama-3.1-8B-Instruct, generation, nvidia-rtx-4090-24g"
    )
    assert bagit.Bag(str(archive / "bags" / entry.id[:2] / entry.id)).is_valid()
    assert b"BagIt" in (archive / "README.txt").read_bytes()


def test_the_same_again_changes_nothing(fiche, archive):
    fiche("archive", "add", RECORD)
    before = only(archive)
    ended = fiche("archive", "add", RECORD, "--rights", "other")
    assert ended.code == 0
    assert ended.out == f"{before.id}  there already, unchanged: record, {before.title}\n"
    assert only(archive) == before


def test_what_is_said_of_an_entry(fiche, archive):
    told = ["--keep-until", "2036-12-31", "--confidentiality", "internal", "--rights", "CC0-1.0"]
    told += ["--label", "project=docs", "--label", "site = Lyon"]
    assert fiche("archive", "add", RECORD, *told).code == 0
    entry = only(archive)
    assert (entry.keep_until, entry.confidentiality, entry.rights) == (
        "2036-12-31",
        "internal",
        "CC0-1.0",
    )
    assert entry.labels == {"project": "docs", "site": " Lyon"}


@pytest.mark.parametrize(
    ("option", "code"),
    [
        (["--keep-until", "next year"], "F702"),
        (["--keep-until", "2036-13-01"], "F702"),
        (["--confidentiality", "secret"], "F701"),
        (["--label", "docs"], "F702"),
        (["--label", "=docs"], "F702"),
        (["--label", "a=1", "--label", "a=2"], "F702"),
        (["--supersedes", "0" * 36], "F930"),
        (["--kind", "nosuch"], "F423"),
    ],
)
def test_an_option_that_says_nothing_is_refused_before_anything_is_made(
    fiche, archive, option, code
):
    ended = fiche("archive", "add", RECORD, *option)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(code)
    assert not archive.exists()


def test_an_entry_supersedes_one_that_is_there(fiche, archive, tmp_path):
    fiche("archive", "add", RECORD)
    first = only(archive)
    assert (
        "F932"
        in fiche("archive", "add", SERVING / "fiche.yaml", "--supersedes", first.id[::-1]).err
    )
    assert "F702" in fiche("archive", "add", RECORD, RECORD, "--supersedes", first.id).err
    assert fiche("archive", "add", SERVING / "fiche.yaml", "--supersedes", first.id).code == 0
    later = [entry for entry in Store.opened(str(archive)).entries() if entry.id != first.id]
    assert [entry.supersedes for entry in later] == [(first.id,)]


def test_several_paths_and_what_is_wrong_with_one(fiche, archive, tmp_path):
    (tmp_path / "odd.txt").write_text("nothing that anybody reads\n")
    paths = [
        SERVING / "evidence" / "run-short.json",
        tmp_path / "odd.txt",
        tmp_path / "absent",
        RECORD,
    ]
    ended = fiche("archive", "add", *paths, "--json")
    assert ended.code == 2
    told = ended.json()
    assert told["format"] == "fiche-archive-added/1"
    assert told["archive_made"] is True
    assert [one["path"] for one in told["entries"]] == [str(paths[0]), str(RECORD)]
    assert all(one["added"] and one["rows"] > 10 for one in told["entries"])
    assert [one["code"] for one in told["refused"]] == ["F420", "F318"]
    assert "F420" in ended.err
    for one in told["entries"]:
        assert (archive / one["bag"] / "fiche-entry.json").is_file()


def test_nothing_is_made_for_what_cannot_be_read(fiche, archive, tmp_path):
    assert fiche("archive", "add", tmp_path / "absent").code == 2
    assert not archive.exists()


def test_no_archive_is_named(fiche, monkeypatch):
    monkeypatch.delenv("FICHE_ARCHIVE", raising=False)
    ended = fiche("archive", "add", RECORD)
    assert ended.code == 2
    assert ended.err.startswith("F930 no archive is named")
    assert "--archive" in ended.err


def test_a_folder_of_something_else_is_left_alone(fiche, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text.tex").touch()
    ended = fiche("archive", "add", RECORD, "--archive", tmp_path / "thesis")
    assert ended.err.startswith("F930")
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["text.tex"]


def test_a_report_in_every_form_is_a_decision(fiche, archive, tmp_path):
    folder = tmp_path / "out"
    assert fiche("report", SERVING / "fiche.yaml", "-o", folder, "--formats", "html,json").code == 0
    ended = fiche(
        "archive", "add", folder, folder / "report.html", folder / "decision.json", "--json"
    )
    assert ended.code == 0
    assert [one["kind"] for one in ended.json()["entries"]] == ["decision"] * 3
    own = {entry.own_id for entry in Store.opened(str(archive)).entries()}
    assert own == {json.loads((folder / "decision.json").read_text())["fiche"]["id"]}
    rows = {one["rows"] for one in ended.json()["entries"]}
    assert len(rows) == 1
    by_main = {entry.main: entry for entry in Store.opened(str(archive)).entries()}
    carried = {one.path: one.sha256 for one in by_main["report.html"].files}
    alone = by_main["decision.json"].files
    assert carried["attachments/decision.json"] in {one.sha256 for one in alone}


def test_a_page_that_is_no_report_is_a_document(fiche, archive, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html><title>x</title><p>nothing")
    assert fiche("archive", "add", tmp_path / "page.html").code == 0
    assert (only(archive).kind, only(archive).format) == ("piece", "document")


def test_behind_a_url(fiche):
    where = "memory://add-to-it/archive"
    ended = fiche("archive", "add", RECORD, "--archive", where)
    assert ended.code == 0
    assert ended.out.startswith(f"a new archive: {where}\n")
    assert len(list(Store.opened(where).ids())) == 1
    assert fiche("archive", "add", RECORD, "--archive", "nosuch://x/y").err.startswith("F936")


_STEPS = {"open", "os.mkdir", "os.rename", "os.rmdir"}


def asked_to_end_at(step, archive):
    """Run the command in a child that asks itself to end at one of its steps on the disk; its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        left = [step]

        def hook(event, arguments):
            if event in _STEPS and any(str(archive) in str(each) for each in arguments[:2]):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGINT)

        from fiche.cli import main

        interrupt.end_when_asked()
        sys.argv = ["fiche", "archive", "add", str(RECORD), "--archive", str(archive)]
        sys.addaudithook(hook)
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the child ends
        main.run()
    except SystemExit as ended:
        os._exit(ended.code)
    finally:
        os._exit(99)


def test_asked_to_end_at_any_step_nothing_half_written_stays(tmp_path):
    states = set()
    for step in range(1, 200):
        archive = tmp_path / str(step)
        Store.made(str(archive))
        code = asked_to_end_at(step, archive)
        store = Store.opened(str(archive))
        found = check_archive(store, "2026-12-01", quick=False)
        assert (found.findings, found.notes) == ((), ())
        assert list((archive / "incoming").iterdir()) == []
        states.add((code, found.num_bags))
        shutil.rmtree(archive)
        if code == 0:
            break
    assert states == {(130, 0), (130, 1), (0, 1)}
    assert step > 10


def test_what_was_added_before_the_disk_was_full_is_told(fiche, archive, monkeypatch):
    put, taken = LocalStore.put, []

    def put_one(store, entry, files):
        if taken:
            raise unwritable(store.where, OSError(errno.ENOSPC, "No space left on device"))
        taken.append(entry.id)
        return put(store, entry, files)

    monkeypatch.setattr(LocalStore, "put", put_one)
    paths = (RECORD, SERVING / "evidence" / "oom-4080.log", SERVING / "evidence" / "run-short.json")
    ended = fiche("archive", "add", *paths)
    assert (ended.code, ended.err.count("F934")) == (2, 1)
    assert f"{only(archive).id}  added: record" in ended.out
    assert "nothing was added" not in ended.err
