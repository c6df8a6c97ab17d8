"""`fiche archive list`, `show` and `index`: what is there, everything about one entry, an index that may go."""

import hashlib
import json
import os
import pty
import re
import shutil
import sys
from pathlib import Path

import pytest

SERVING = Path(__file__).resolve().parents[2] / "samples" / "serving"
RECORD = SERVING / "evidence" / "run-limit.json"


@pytest.fixture
def archive(tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.delenv("FICHE_ARCHIVE_INDEX", raising=False)
    return tmp_path / "archive"


@pytest.fixture
def two(fiche, archive):
    """A record, and the fiche that names it among its pieces and supersedes the record."""
    record = fiche("archive", "add", RECORD, "--rights", "CC BY 4.0", "--json").json()
    first = record["entries"][0]["id"]
    second = fiche(
        *(
            "archive",
            "add",
            SERVING / "fiche.yaml",
            "--supersedes",
            first,
            "--label",
            "project=docs",
        ),
        *("--keep-until", "2036-12-31", "--confidentiality", "internal", "--json"),
    ).json()
    return first, second["entries"][0]["id"]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_list_is_one_line_an_entry_the_newest_first(fiche, two, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    lines = fiche("archive", "list").out.splitlines()
    assert [re.split(" {2,}", line)[:3] for line in lines[2:4]] == [
        [two[1][:8], "2026-11-29", "fiche"],
        [two[0][:8], "2026-11-19", "record"],
    ]
    assert max(map(len, lines[:4])) <= int(columns)
    assert lines[3].endswith("superseded")
    assert " ".join(lines[4:]).strip().startswith("2 entries in")
    assert "1 fiche, 1 record" in " ".join(lines)


@pytest.mark.parametrize("columns", ["60", "80", "132"])
def test_a_long_title_is_cut_and_takes_no_second_line(fiche, two, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    lines = fiche("archive", "list").out.splitlines()
    header = lines[0]
    ends = header.index("rows")
    for line in lines[2:4]:
        title = line[header.index("title") : ends].rstrip()
        assert len(title) >= 20
        assert len(title) < 30 or columns != "60"
    assert lines[4] == "" or lines[4].startswith("2 entries")


def test_a_list_is_narrowed_by_kind_and_cut_by_a_limit(fiche, two):
    told = fiche("archive", "list", "--kind", "record", "--json").json()
    assert (told["format"], told["num_entries"], told["kinds"]) == (
        *("fiche-archive-list/1", 1, {"record": 1}),
    )
    assert [one["id"] for one in told["entries"]] == [two[0]]
    cut = fiche("archive", "list", "--limit", 1).out
    assert "Shown: the newest 1; --limit 0 shows all" in cut.replace("\n", " ")
    assert two[0][:8] not in cut
    assert fiche("archive", "list", "--kind", "run").err.startswith("F701")
    assert fiche("archive", "list", "--limit", "x").err.startswith("F954")


def test_an_empty_archive_says_that_it_is(fiche, archive):
    from fiche.archive.store import Store

    Store.made(str(archive))
    assert "0 entries in" in fiche("archive", "list").out
    assert fiche("archive", "search").out.startswith("nothing found: looked through 0 entries")


def test_everything_about_an_entry(fiche, two, archive):
    text = fiche("archive", "show", two[0][:6]).out
    digest = hashlib.sha256(RECORD.read_bytes()).hexdigest()
    for told in (two[0], two[1], "CC BY 4.0", f"sha256 {digest}", "max_memory_reserved.peak",
                 str(archive / "bags" / two[0][:2] / two[0]), "observed"):  # fmt: skip
        assert told in text
    assert re.search(r"superseded by +" + two[1], text)
    other = fiche("archive", "show", two[1]).out
    for told in (r"supersedes +" + two[0], "keep until +2036-12-31", "project=docs", "internal"):
        assert re.search(told, other)


def test_json_has_the_entry_as_its_bag_has_it(fiche, two, archive):
    told = fiche("archive", "show", two[0], "--json").json()
    bag = archive / "bags" / two[0][:2] / two[0]
    assert told["entry"] == json.loads((bag / "fiche-entry.json").read_bytes())
    assert told["place"] == str(bag)
    assert told["superseded_by"] == [two[1]]


def test_a_file_is_written_byte_for_byte(fiche, two, tmp_path):
    target = tmp_path / "out" / "run.json"
    ended = fiche("archive", "show", two[0], "--file", "run-limit.json", "-o", target)
    assert (ended.code, ended.out, target.read_bytes()) == (0, "", RECORD.read_bytes())
    again = fiche("archive", "show", two[0], "--file", "run-limit.json", "-o", target)
    assert (again.code, again.err[:4]) == (2, "F610")
    printed = fiche("archive", "show", two[0], "--file", "run-limit.json").out
    assert printed.encode() == RECORD.read_bytes()


def test_a_line_to_cite_it_gives_a_piece_that_a_fiche_takes(fiche, two, tmp_path):
    text = fiche("archive", "show", two[0]).out
    command = next(line for line in text.splitlines() if "--file" in line).split()
    target = tmp_path / "evidence" / "run-limit.json"
    assert fiche(*command[1:-1], target).code == 0
    piece = next(line for line in text.splitlines() if line.strip().startswith("- {id:"))
    assert hashlib.sha256(target.read_bytes()).hexdigest() in piece
    assert "evidence/run-limit.json" in piece


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["ffffffff"], "F932"),
        (["no id"], "F932"),
        ([""], "F932"),
        (["{0}", "--file", "other"], "F956"),
        (["{0}", "-o", "x"], "F702"),
    ],
)
def test_what_is_not_there_is_one_refusal(fiche, two, asked, code):
    ended = fiche("archive", "show", *(each.format(*two) for each in asked))
    assert (ended.code, ended.err[:4], ended.out) == (2, code, "")
    assert len([line for line in ended.err.splitlines() if line.startswith("F")]) == 1


def test_a_file_that_has_changed_since_is_not_written(fiche, two, archive, tmp_path):
    bag = archive / "bags" / two[0][:2] / two[0]
    path = bag / "data" / "run-limit.json"
    path.write_bytes(path.read_bytes().replace(b"2", b"3", 1))
    ended = fiche("archive", "show", two[0], "--file", "run-limit.json", "-o", tmp_path / "x")
    assert (ended.code, ended.err[:4]) == (2, "F933")
    assert not (tmp_path / "x").exists()


def test_an_index_may_be_deleted_and_comes_again(fiche, two, archive):
    before = fiche("archive", "search", "--json").json()
    (archive / "index.sqlite3").unlink()
    assert fiche("archive", "search", "--json").json() == before


def test_an_index_is_made_anew_by_a_command(fiche, two, archive):
    shutil.rmtree(archive / "bags" / two[0][:2] / two[0])
    told = fiche("archive", "index", "--rebuild", "--json").json()
    assert (told["format"], told["entries"]) == ("fiche-archive-indexed/1", 1)
    assert told["index"] == str(archive / "index.sqlite3")
    told = " ".join(fiche("archive", "index", "--rebuild").out.split())
    assert "made anew, 1 entry with 3 rows" in told


def test_a_bag_that_is_damaged_is_left_out_and_that_is_said(fiche, two, archive):
    bag = archive / "bags" / two[0][:2] / two[0]
    (bag / "fiche-entry.json").write_text("{}")
    ended = fiche("archive", "index", "--rebuild", "--json")
    assert (ended.json()["entries"], ended.json()["unread"]) == (1, 1)
    assert "1 bag is missing or damaged, and left out" in ended.err


def test_where_nothing_can_be_written_the_index_lies_in_a_cache(
    two, archive, monkeypatch, tmp_path
):
    from fiche.archive.index_place import own_file
    from fiche.archive.store import Store

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    store = Store.opened(str(archive))
    assert own_file(store) == tmp_path / "cache" / "fiche" / "archives" / store.id / "index.sqlite3"


def test_progress_is_shown_on_a_terminal_alone(two):
    """Lines of progress would be a mess in a file."""
    read = []
    program = [sys.executable, "-m", "fiche", "archive", "index", "--rebuild"]

    def keep(stream):
        read.append(os.read(stream, 4096))
        return read[-1]

    assert pty.spawn(program, keep) == 0
    assert b"made anew" in b"".join(read)
