"""`fiche archive import`: what lies below folders is taken, what cannot be is named, and it can be stopped."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archive.holdings import stored
from archive.making import made

from fiche.archive.bag import tag_files
from fiche.archive.entry import Kept
from fiche.archive.identity import bag_path, id_of
from fiche.archive.store import Store
from fiche.kernel.record import replace

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
    assert "README.md: F420 the format of this file" in ended.out, "a name is told once"
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


def _leading_out(root, path, content):
    """A bag by somebody else's program: everything in it agrees, and its one file is to lie elsewhere."""
    kept = Kept(
        path=path,
        num_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        media_type="application/json",
    )
    entry = replace(made(content)[0], id=id_of("record", [kept]), files=(kept,), main=path)
    bag = root / bag_path(entry.id)
    (bag / "data").mkdir(parents=True)
    for name, tag in tag_files(entry).items():
        (bag / name).write_bytes(tag)
    there = bag / f"data/{path}"
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_bytes(content)


def test_what_another_archive_keeps_is_written_nowhere_but_in_a_bag(fiche, tmp_path):
    theirs, victim = tmp_path / "theirs", tmp_path / "victim.json"
    Store.made(str(theirs))
    _leading_out(theirs, str(victim), b"1")
    _leading_out(theirs, "../../../../x.json", b"2")
    (tmp_path / "x.json").write_text("mine")
    ended = fiche("archive", "import", theirs, "--archive", tmp_path / "mine" / "archive")
    assert (ended.code, ended.out.count("F941")) == (3, 3)
    out = tmp_path / "into" / "export"
    out.parent.mkdir()
    exported = fiche("archive", "export", "-o", out, "--archive", theirs)
    assert (exported.code, exported.err[:4]) == (2, "F941")
    assert not victim.exists()
    assert not out.exists()
    assert (tmp_path / "x.json").read_text() == "mine"
    assert list((tmp_path / "mine").rglob("x.json")) == []
