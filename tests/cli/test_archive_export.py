"""`fiche archive export`: which entries, into a folder that is there whole or not at all."""

import errno
import io
import json
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from archive.holdings import stored

from fiche.archive import export
from fiche.archive.entry import Row
from fiche.archive.store import Store


@pytest.fixture
def archive(tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.chdir(tmp_path)
    store = Store.made(str(tmp_path / "archive"))
    rows = (Row(model="org/small", card="nvidia-l4-24g", outcome="passed"),)
    first = stored(store, 1, rows=rows)
    second = stored(store, 2, supersedes=(first.id,), rows=rows, labels={"team": "a"})
    secret = stored(store, 3, confidentiality="confidential", title="the plan")
    return first, second, secret


def exported(folder):
    graph = json.loads((folder / "ro-crate-metadata.json").read_bytes())["@graph"]
    found = {one["identifier"] for one in graph if one["@type"] == "Dataset"}
    return {id.removeprefix("urn:uuid:") for id in found}


def test_all_but_what_is_confidential_which_is_listed(fiche, archive, tmp_path):
    first, second, secret = archive
    ended = fiche("archive", "export", "-o", "out")
    assert (ended.code, ended.err) == (0, "")
    assert {first.id, second.id} == exported(tmp_path / "out") & {e.id for e in archive}
    assert "left out: 1 confidential entry\n" in ended.out
    assert f"{secret.id}  confidential: record, the plan" in ended.out
    written = "".join(
        path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*") if path.is_file()
    )
    assert secret.id not in written
    for name in ("README.txt", "ro-crate-metadata.json", "tables/datapackage.json"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "Left out: 1 confidential entry." in text, name


def test_confidential_entries_are_exported_when_that_is_said(fiche, archive, tmp_path):
    ended = fiche("archive", "export", "-o", "out", "--with-confidential", "--json")
    assert ended.json()["left_out"] == []
    told = "1 confidential entry is in out: give it to nobody who may not see them"
    assert " ".join(ended.err.split()) == told
    assert "Left out" not in (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert {one.id for one in archive} <= exported(tmp_path / "out")


@pytest.mark.parametrize(
    ("args", "places"),
    [
        (("--current",), (1,)),
        (("--model", "SMALL"), (0, 1)),
        (("--model", "small", "--current", "--outcome", "passed"), (1,)),
        (("--label", "team=a"), (1,)),
        (("--card", "l4"), (0, 1)),
    ],
)
def test_what_a_search_finds(fiche, archive, tmp_path, args, places):
    ended = fiche("archive", "export", "-o", "out", *args)
    assert ended.code == 0, ended.err
    assert exported(tmp_path / "out") & {e.id for e in archive} == {archive[n].id for n in places}


def test_by_id_by_its_beginning_and_from_standard_input(fiche, archive, tmp_path, monkeypatch):
    first, second, _ = archive
    assert fiche("archive", "export", "-o", "one", first.id, second.id[:9]).code == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{first.id}\n\n{second.id}\n"))
    assert fiche("archive", "export", "-o", "two", "-").code == 0
    assert exported(tmp_path / "one") == exported(tmp_path / "two") > {first.id, second.id}


def test_json_says_what_was_written(fiche, archive, tmp_path):
    told = fiche("archive", "export", "-o", "out", "--formats", "parquet,csv,bags", "--json").json()
    assert told["format"] == "fiche-archive-exported/1"
    assert told["formats"] == ["parquet", "csv", "bags"]
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "parquet" / "rows.parquet")
    assert (told["entries"], told["rows"], told["files"]) == (2, rows.num_rows, 2)
    assert [one["id"] for one in told["left_out"]] == [archive[2].id]


def test_a_full_disk_leaves_nothing(fiche, archive, tmp_path, monkeypatch):
    def full(path, content):
        path.parent.mkdir(parents=True)
        path.write_bytes(content[:3])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(export, "_put", full)
    before = sorted(tmp_path.iterdir())
    ended = fiche("archive", "export", "-o", "out", "--formats", "crate,csv,parquet")
    assert (ended.code, "F611" in ended.err, "No space left" in ended.err) == (2, True, True)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("-o", "there"), "F610"),
        (("-o", "new", "--formats", "xlsx"), "F701"),
        (("-o", "new", "00000000-0000-5000-8000-000000000000"), "F932"),
        (("-o", "new", "ffff", "--model", "small"), "F702"),
        (("-o", "new", "--kind", "recrod"), "F701"),
        (("-o", "new", "--model", "nothing"), "F960"),
        (("-o", "new", "--archive", "none"), "F930"),
    ],
)
def test_what_is_refused(fiche, archive, tmp_path, args, code):
    (tmp_path / "there").mkdir()
    ended = fiche("archive", "export", *args)
    assert (ended.code, code in ended.err) == (2, True), ended.err
    assert not (tmp_path / "new").exists()
    assert list((tmp_path / "there").iterdir()) == []
    assert "--force" not in ended.err, "it has no such option"


def test_all_that_is_chosen_is_confidential(fiche, archive, tmp_path):
    ended = fiche("archive", "export", "-o", "out", archive[2].id)
    assert (ended.code, "F960" in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_internal_entries_go_out_and_that_is_said_or_stay_when_asked(fiche, archive, tmp_path):
    inner = stored(Store.opened("archive"), 4, confidentiality="internal")
    ended = fiche("archive", "export", "-o", "out")
    assert " ".join(ended.err.split()) == (
        "1 internal entry is in out: --without internal leaves them out"
    )
    assert inner.id in exported(tmp_path / "out")
    formats = ("--formats", "parquet,csv")
    ended = fiche("archive", "export", "-o", "two", *formats, "--without", "internal", "--json")
    assert (ended.code, ended.err) == (0, "")
    left = {one["id"]: one["confidentiality"] for one in ended.json()["left_out"]}
    assert left == {inner.id: "internal", archive[2].id: "confidential"}
    told = pyarrow.parquet.read_table(tmp_path / "two" / "parquet" / "rows.parquet").schema.metadata
    assert told[b"fiche.left_out"] == b"Left out: 1 confidential entry and 1 internal entry."
    for path in (tmp_path / "two").rglob("*"):
        assert path.is_dir() or inner.id.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--without", "public"), "F701"),
        (("--without", ""), "F701"),
        (("--without", "internal", "--with-confidential"), "F702"),
        (("--without", "confidential", "--with-confidential"), "F702"),
    ],
)
@pytest.mark.parametrize("command", ["export", "report"])
def test_levels_that_make_no_sense_are_refused(fiche, archive, tmp_path, command, args, code):
    ended = fiche("archive", command, "-o", "out", *args)
    assert (ended.code, ended.err[:4]) == (2, code)
    assert not (tmp_path / "out").exists()


SERVING = Path(__file__).resolve().parents[2] / "samples" / "serving"


@pytest.mark.parametrize(
    ("fiche_says", "record_says", "left"),
    [
        ("confidential", (), {"fiche", "record"}),
        ("confidential", ("--confidentiality", "public"), {"fiche"}),
        ("", ("--confidentiality", "confidential"), {"fiche", "record"}),
        ("public", ("--confidentiality", "confidential"), {"fiche", "record"}),
        ("internal", (), set()),
        ("", (), set()),
    ],
)
def test_what_shares_a_file_with_what_may_not_go_out_stays(
    fiche, tmp_path, monkeypatch, fiche_says, record_says, left
):
    """No byte of a confidential file leaves by another entry that holds it."""
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "shared"))
    record = SERVING / "evidence" / "run-limit.json"
    said = ("--confidentiality", fiche_says) if fiche_says else ()
    added = {}
    for kind, path, more in (
        ("record", record, record_says),
        ("fiche", SERVING / "fiche.yaml", said),
    ):
        told = fiche("archive", "add", path, *more, "--json").json()
        added[kind] = told["entries"][0]["id"]
    other = fiche("archive", "add", SERVING.parent / "incident" / "evidence" / "server.log")
    assert other.code == 0
    out = tmp_path / "out"
    ended = fiche("archive", "export", "-o", out, "--formats", "bags,csv", "--json")
    assert {one["id"] for one in ended.json()["left_out"]} == {added[kind] for kind in left}
    copies = [path for path in out.rglob("*.json") if path.read_bytes() == record.read_bytes()]
    assert bool(copies) == (not left or record_says == ("--confidentiality", "public"))
