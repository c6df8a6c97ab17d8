"""`fiche archive check`: what it says, in which form, and with which exit code."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fiche.archive.identity import bag_path
from fiche.archive.store import Store
from fiche.kernel.record import replace

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "samples" / "serving" / "evidence" / "run-limit.json"
SHORT = RECORD.with_name("run-short.json")


@pytest.fixture
def archive(tmp_path, monkeypatch, fiche):
    """An archive of two records."""
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    assert fiche("archive", "add", RECORD, SHORT).code == 0
    return tmp_path / "archive"


def ids(archive):
    return sorted(Store.opened(str(archive)).ids())


def test_all_is_well(fiche, archive):
    ended = fiche("archive", "check")
    assert (ended.code, ended.err) == (0, "")
    read = sum(path.stat().st_size for path in (archive / "bags").rglob("*") if path.is_file())
    told = f"{read:,}".replace(",", " ")
    assert (
        ended.out
        == f"{archive}: 2 entries, 14 files, {told} bytes read: all as they were written\n"
    )


def test_what_is_wrong_is_named_with_its_place(fiche, archive):
    first, second = ids(archive)
    damaged = archive / bag_path(first) / "data"
    next(damaged.iterdir()).write_bytes(b"{}")
    ended = fiche("archive", "check")
    assert ended.code == 3
    assert ended.out.startswith(f"F933 {bag_path(first)}: 'data/run-")
    assert ended.out.endswith(": 1 wrong\n")
    assert fiche("archive", "check", second).code == 0
    assert fiche("archive", "check", first, second).code == 3
    assert fiche("archive", "check", "nobody").err.startswith("F932")


def test_json(fiche, archive):
    first, _ = ids(archive)
    (archive / bag_path(first) / "data" / "more").touch()
    (archive / "incoming" / "old").mkdir()
    ended = fiche("archive", "check", "--json")
    assert ended.code == 3
    told = ended.json()
    assert told["format"] == "fiche-archive-checked/1"
    assert told["archive_id"] == Store.opened(str(archive)).id
    assert (told["entries"], told["files"], told["quick"], told["untold"]) == (2, 14, False, 0)
    (finding,) = told["findings"]
    assert (finding["code"], finding["place"]) == ("F938", bag_path(first))
    (note,) = told["notes"]
    assert (note["code"], note["place"]) == ("F944", "incoming/old")


def test_quick_reads_no_payload(fiche, archive):
    first, _ = ids(archive)
    path = next((archive / bag_path(first) / "data").iterdir())
    path.write_bytes(path.read_bytes().replace(b"cuda", b"hips"))
    ended = fiche("archive", "check", "--quick")
    assert ended.code == 0
    assert "names and lengths alone" in ended.out
    assert fiche("archive", "check").code == 3


def test_repair_brings_the_lines_in_order(fiche, archive):
    (archive / "additions.jsonl").write_bytes(b'{"torn')
    (archive / "incoming" / "old").mkdir()
    os.utime(archive / "incoming" / "old", (time.time() - 3 * 86400,) * 2)
    ended = fiche("archive", "check")
    assert ended.code == 3
    assert ended.out.count("F943") == 3
    assert "F944 incoming/old: left by a writer 3 days ago" in ended.out
    ended = fiche("archive", "check", "--repair")
    assert ended.code == 0
    assert "mended: 3 lines of additions.jsonl, 1 leftover\n" in ended.out
    assert len(Store.opened(str(archive)).additions(0)[0]) == 2
    first, _ = ids(archive)
    assert fiche("archive", "check", first, "--repair").err.startswith("F702")


def test_a_day_that_is_past_is_a_note(fiche, archive, tmp_path):
    late = RECORD.with_name("run-usual.json")
    assert fiche("archive", "add", late, "--keep-until", "2020-01-01").code == 0
    ended = fiche("archive", "check")
    assert ended.code == 0
    assert "note: F946 bags/" in ended.out
    assert "until 2020-01-01" in ended.out
    assert len(ids(archive)) == 3


def test_hostile_names_do_not_reach_the_terminal(fiche, archive):
    first, _ = ids(archive)
    (archive / bag_path(first) / "data" / "a\x1b[31mred\n").touch()
    ended = fiche("archive", "check")
    assert ended.code == 3
    assert "\x1b" not in ended.out
    assert "'data/a?[31mred?'" in ended.out


def test_behind_a_url(fiche):
    where = "memory://check-it/archive"
    assert fiche("archive", "add", RECORD, "--archive", where).code == 0
    ended = fiche("archive", "check", "--archive", where)
    assert ended.code == 0
    assert ended.out.startswith(f"{where}: 1 entry, 1 file,")
    assert fiche("archive", "check", "--archive", where, "--repair").err.startswith("F702")


def test_there_is_no_archive(fiche, tmp_path):
    ended = fiche("archive", "check", "--archive", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("F930")


def test_a_check_that_is_interrupted_ends_with_its_processes(archive):
    """The processes beside it get the same signal, from the terminal, and say nothing."""
    program = (
        "import os, sys\n"
        "from fiche.archive import checking, fixity\n"
        "from fiche.cli import interrupt, main\n"
        "checking._ALONE, os.cpu_count = 0, lambda: 2\n"
        "def came(total, told):\n"
        "    os.killpg(0, 2)\n"
        "interrupt.end_when_asked()\n"
        f"sys.argv = ['fiche', 'archive', 'check', '--archive', {str(archive)!r}]\n"
        "checking._Sum.take = came\n"
        "main.run()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 130
    assert (ended.stdout, ended.stderr) == ("", "interrupted\n")


def test_what_an_entry_says_of_others_acts_on_no_terminal(fiche, archive, tmp_path):
    """Its words are anybody's, where the archive is of somebody else."""
    id = ids(archive)[0]
    store = Store.opened(str(archive))
    entry = store.entry(id)
    files = {one.path: store.content(id, one.path) for one in entry.files}
    told = replace(entry, supersedes=("\x1b[2Jgone\nF999 x: a line",), keep_until="\x1b]0;\n")
    other = tmp_path / "other"
    Store.made(str(other)).put(told, files)
    ended = fiche("archive", "check", "--archive", other)
    assert ended.code == 3
    assert not {"\x1b", "\r"} & set(ended.out)
    assert [line[:4] for line in ended.out.splitlines()] == ["F945", "note", str(other)[:4]]


def test_what_cannot_be_read_is_named_by_whatever_reads_it(fiche, archive, tmp_path):
    id = ids(archive)[0]
    (archive / bag_path(id) / "fiche-entry.json").write_bytes(b"{}")
    tags = archive / bag_path(id) / "tagmanifest-sha256.txt"
    lines = [line for line in tags.read_text().splitlines() if "fiche-entry" not in line]
    digest = hashlib.sha256(b"{}").hexdigest()
    tags.write_text("\n".join([*lines, f"{digest}  fiche-entry.json"]) + "\n")
    ended = fiche("archive", "export", "-o", tmp_path / "out", id)
    assert (ended.code, ended.err.partition(":")[0]) == (2, f"F941 {bag_path(id)}")
