"""`fiche archive import`: what lies below folders is taken, what cannot be is named, and it can be stopped."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archive.holdings import stored

from fiche.archive.store import Store

SAMPLES = Path(__file__).parents[2] / "samples"
SERVING = SAMPLES / "serving"
RUN = SERVING / "evidence" / "run-limit.json"
STOPPED = """
import os, signal, sys
sys.argv = ["fiche", *sys.argv[1:]]
from fiche.cli import archive_imported, process
entry_of, seen = archive_imported.entry_of, []
def ask(path, told):
    seen.append(path)
    if len(seen) == 3:
        os.kill(os.getpid(), signal.{name})
    return entry_of(path, told)
archive_imported.entry_of = ask
process.main()
"""


@pytest.fixture
def folder(tmp_path):
    """Older work: a fiche with its files, loose runs, a report, and what is none of it."""
    old = tmp_path / "old"
    shutil.copytree(SERVING, old / "serving")
    loose = old / "loose"
    loose.mkdir()
    for name in ("run-limit", "run-usual"):
        shutil.copy(SERVING / "evidence" / f"{name}.json", loose / f"mine-{name}.json")
    (old / "packed.zip").write_bytes(b"PK\x03\x04")
    (old / "broken.yaml").write_text("fiche: 1\ntitle: x\ndate: 2026-13-01\n", encoding="utf-8")
    (old / ".git").mkdir()
    (old / ".git" / "config").write_text("x", encoding="utf-8")
    (old / "link.json").symlink_to(RUN)
    return old


def of(where):
    return {entry.id: entry for entry in Store.opened(str(where)).entries()}


def test_what_can_be_taken_is_taken_and_the_rest_is_named(fiche, folder, tmp_path):
    archive, refused = tmp_path / "archive", tmp_path / "refused.jsonl"
    ended = fiche("archive", "import", folder, "--archive", archive, "--refused", refused)
    assert (ended.code, ended.err) == (3, "")
    entries = of(archive).values()
    kinds = sorted(entry.kind for entry in entries)
    assert kinds.count("fiche") == 1
    assert kinds.count("record") == 6  # four of the fiche's own, and two under other names
    assert f"added: {len(kinds)} (" in ended.out
    assert "kept with the fiche or the report that names it: 4" in ended.out
    lines = [json.loads(line) for line in refused.read_text(encoding="utf-8").splitlines()]
    found = {(Path(one["file"]).name, one["code"], one["line"]) for one in lines}
    assert found == {
        ("packed.zip", "F962", None),
        ("link.json", "F963", None),
        ("broken.yaml", "F207", 3),
        ("README.md", "F420", None),
    } | {found_one for found_one in found if found_one[0] == "broken.yaml"}
    assert all(one["message"] and one["hint"] for one in lines)
    for one in lines:
        assert Path(one["file"]).name in ended.out
    assert {entry.source for entry in entries if entry.title.endswith("oom-4080.log")} == {
        str(folder / "serving/evidence/oom-4080.log")
    }


def test_the_same_again_adds_nothing(fiche, folder, tmp_path):
    archive = tmp_path / "archive"
    first = fiche("archive", "import", folder, "--archive", archive, "--json").json()
    second = fiche("archive", "import", folder, "--archive", archive, "--json").json()
    assert first["archive_made"] is True
    assert sum(first["added"].values()) == second["there_already"] > 0
    assert second["added"] == {}
    assert second["refused"] == first["refused"]


def test_all_taken_is_code_zero_and_words_are_kept(fiche, tmp_path):
    args = ("--rights", "CC-BY-4.0", "--label", "team=a", "--confidentiality", "internal")
    ended = fiche("archive", "import", RUN, "--archive", tmp_path / "a", *args)
    assert ended.code == 0, ended.out
    (entry,) = of(tmp_path / "a").values()
    assert (entry.rights, entry.confidentiality) == ("CC-BY-4.0", "internal")
    assert dict(entry.labels) == {"team": "a"}


def test_nothing_is_made_for_what_cannot_be_read(fiche, tmp_path):
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    ended = fiche("archive", "import", tmp_path / "notes.txt", "--archive", tmp_path / "a")
    assert ended.code == 3
    assert "F420" in ended.out
    assert not (tmp_path / "a").exists()


def test_two_archives_become_one_by_ids(fiche, tmp_path):
    one, two = (Store.made(str(tmp_path / name)) for name in ("one", "two"))
    both = stored(one, 1, rights="here")
    stored(two, 1, rights="there")
    only = stored(two, 2, added="2020-01-01T00:00:00Z", labels={"a": "b"}, supersedes=(both.id,))
    ended = fiche("archive", "import", tmp_path / "two", "--archive", tmp_path / "one")
    assert ended.code == 0, ended.out
    assert "there already: 1" in ended.out
    assert "said otherwise in the other archive, kept as here: 1" in ended.out
    merged = of(tmp_path / "one")
    assert merged[both.id].rights == "here"
    assert merged[only.id] == only
    inner = f"bags/{only.id[:2]}/{only.id}"
    for path in (tmp_path / "two" / inner).rglob("*"):
        same = tmp_path / "one" / path.relative_to(tmp_path / "two")
        assert path.is_dir() or same.read_bytes() == path.read_bytes()


def test_a_damaged_bag_of_another_archive_is_refused_and_the_others_are_taken(fiche, tmp_path):
    two = Store.made(str(tmp_path / "two"))
    bad, good = stored(two, 1), stored(two, 2)
    path = two.root / f"bags/{bad.id[:2]}/{bad.id}/data/run.json"
    path.write_bytes(b"{}")
    ended = fiche("archive", "import", tmp_path / "two", "--archive", tmp_path / "one")
    assert ended.code == 3
    assert "F933" in ended.out
    assert set(of(tmp_path / "one")) == {good.id}


def test_an_archive_is_not_imported_into_itself(fiche, tmp_path):
    stored(Store.made(str(tmp_path / "a")), 1)
    ended = fiche("archive", "import", tmp_path / "a", "--archive", tmp_path / "a")
    assert (ended.code, "F964" in ended.out) == (3, True)


def test_a_report_is_one_entry(fiche, tmp_path):
    fiche("report", SERVING / "fiche.yaml", "-o", tmp_path / "old/out", "--formats", "json,md")
    ended = fiche("archive", "import", tmp_path / "old", "--archive", tmp_path / "a")
    assert ended.code == 0, ended.out
    (entry,) = of(tmp_path / "a").values()
    assert entry.kind == "decision"
    assert {one.path for one in entry.files} >= {"decision.json", "report.md"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nothing-there",), 3),
        (("empty",), 2),
        ((RUN, "--refused", "taken.jsonl"), 2),
        ((RUN, "--confidentiality", "secret"), 2),
    ],
)
def test_what_is_refused_at_once(fiche, tmp_path, monkeypatch, arguments, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "taken.jsonl").write_text("mine", encoding="utf-8")
    ended = fiche("archive", "import", *arguments, "--archive", "a")
    assert ended.code == code, ended.err
    assert (tmp_path / "taken.jsonl").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -15)])
def test_stopped_in_the_middle_what_was_added_stays_and_is_said(tmp_path, name, code):
    for number in range(8):
        text = RUN.read_text(encoding="utf-8") + " " * number
        (tmp_path / f"run-{number}.json").write_text(text, encoding="utf-8")
    files = sorted(tmp_path.glob("*.json"))
    command = [sys.executable, "-c", STOPPED.format(name=name), "archive", "import"]
    arguments = [*map(str, files), "--archive", str(tmp_path / "a")]
    ended = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == code, ended.stderr
    assert "added: 3 (record 3)" in ended.stdout
    assert "stopped: 5 not looked at" in ended.stdout
    assert len(of(tmp_path / "a")) == 3
    assert list((tmp_path / "a" / "incoming").iterdir()) == []


def test_no_bar_where_there_is_no_terminal(fiche, tmp_path):
    ended = fiche("archive", "import", RUN, "--archive", tmp_path / "a")
    assert (ended.code, ended.err) == (0, "")
