"""`fiche import archive:ID --to FICHE`: an archived observation is a piece that says where it comes from."""

import hashlib
import json
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
from archive.holdings import stored

from fiche.archive.store import Store
from fiche.assets import schema_dir

SERVING = Path(__file__).parents[2] / "samples" / "serving"
RUN = SERVING / "evidence" / "run-limit.json"
FACTS = ("--rights", "CC-BY-4.0", "--confidentiality", "internal", "--keep-until", "2036-12-31")


@pytest.fixture
def folder(fiche, tmp_path, monkeypatch):
    """A fiche whose run lies in an archive and nowhere else."""
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.chdir(tmp_path)
    assert fiche("new", "chat").code == 0
    return tmp_path / "chat"


def added(fiche, *args):
    told = fiche("archive", "add", *args, "--json").json()
    return told["entries"][0]["id"]


def test_the_piece_is_a_copy_and_says_where_it_is_from(fiche, folder, tmp_path):
    id = added(fiche, RUN, *FACTS)
    ended = fiche("import", f"archive:{id[:9]}", "--to", folder / "fiche.yaml", "--json")
    assert ended.code == 0, ended.err
    (piece,) = ended.json()["attached"]["pieces"]
    copy = folder / piece["file"]
    assert copy.read_bytes() == RUN.read_bytes()
    assert piece["sha256"] == hashlib.sha256(RUN.read_bytes()).hexdigest()
    fiche("report", folder / "fiche.yaml", "-o", "out", "--formats", "json,md,html")
    decision = json.loads((tmp_path / "out" / "decision.json").read_bytes())
    schema = json.loads((schema_dir() / "decision.schema.json").read_text(encoding="utf-8"))
    jsonschema_rs.validator_for(schema).validate(decision)
    (one,) = decision["pieces"]
    archive = Store.opened(str(tmp_path / "archive")).id
    assert one["cites"] == {
        "archive": archive,
        "entry": f"urn:uuid:{id}",
        "file": "run-limit.json",
    }
    assert (one["rights"], one["confidentiality"], one["keep_until"]) == FACTS[1::2]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"urn:uuid:{id}" in page
    assert "from archive entry" in page


def test_explain_walks_back_to_the_entry(fiche, folder):
    id = added(fiche, RUN)
    fiche("import", f"archive:{id}", "--to", folder / "fiche.yaml")
    listed = fiche("explain", folder / "fiche.yaml", "--json").json()
    name = next(
        one for one in listed["figures"] + listed["readings"] if one.startswith("run-limit")
    )
    told = fiche("explain", folder / "fiche.yaml", name)
    assert told.code == 0, told.err
    assert f"from archive entry urn:uuid:{id}, run-limit.json" in " ".join(told.out.split())


def test_explain_says_the_entry_to_programs_too(fiche, folder, tmp_path):
    id = added(fiche, RUN)
    fiche("import", f"archive:{id}", "--to", folder / "fiche.yaml")
    cites = {
        "archive": Store.opened(str(tmp_path / "archive")).id,
        "entry": f"urn:uuid:{id}",
        "file": "run-limit.json",
    }
    assert fiche("explain", folder / "fiche.yaml", "run-limit", "--json").json()["cites"] == cites
    listed = fiche("explain", folder / "fiche.yaml", "--json").json()
    name = next(
        one for one in listed["figures"] + listed["readings"] if one.startswith("run-limit")
    )
    told = fiche("explain", folder / "fiche.yaml", name, "--json").json()
    read = [told.get("read"), *(one.get("read") for one in told["figures"])]
    assert [one["cites"] for one in read if one and one["file"].endswith("run-limit.json")]
    assert all(one["cites"] == cites for one in read if one and "cites" in one)


def test_explain_says_no_entry_of_a_file_that_is_from_none(fiche, folder):
    fiche("import", RUN, "--to", folder / "fiche.yaml")
    told = fiche("explain", folder / "fiche.yaml", "run-limit", "--json").json()
    assert told["readings"]
    assert "cites" not in told


def test_a_file_of_an_archived_fiche_is_named(fiche, folder, tmp_path):
    id = added(fiche, SERVING / "fiche.yaml")
    ended = fiche("import", f"archive:{id}", "--to", folder / "fiche.yaml")
    assert (ended.code, "F967" in ended.err) == (2, True)
    before = (folder / "fiche.yaml").read_bytes()
    one = f"archive:{id}/evidence/run-usual.json"
    assert fiche("import", one, "--to", folder / "fiche.yaml").code == 0
    assert (folder / "fiche.yaml").read_bytes() != before
    assert "file: evidence/run-usual.json}" in (folder / "fiche.yaml").read_text(encoding="utf-8")


def test_a_superseded_entry_is_cited_with_a_warning(fiche, folder, tmp_path):
    id = added(fiche, RUN)
    newer = added(fiche, SERVING / "evidence" / "run-usual.json", "--supersedes", id)
    ended = fiche("import", f"archive:{id}", "--to", folder / "fiche.yaml")
    assert ended.code == 0
    assert f"warning: superseded: {newer}" in ended.out
    assert f"urn:uuid:{id}" in (folder / "fiche.yaml").read_text(encoding="utf-8")


def test_files_and_entries_go_together_and_the_same_bytes_once(fiche, folder):
    id = added(fiche, RUN)
    other = SERVING / "evidence" / "run-usual.json"
    ended = fiche("import", f"archive:{id}", other, "--to", folder / "fiche.yaml", "--json")
    assert [one["added"] for one in ended.json()["attached"]["pieces"]] == [True, True]
    again = fiche("import", f"archive:{id}", "--to", folder / "fiche.yaml", "--json")
    assert [one["added"] for one in again.json()["attached"]["pieces"]] == [False]


@pytest.mark.parametrize(
    ("name", "more", "code"),
    [
        ("archive:ffffffff", (), "F932"),
        ("archive:", (), "F932"),
        ("archive:{id}/../fiche-entry.json", (), "F967"),
        ("archive:{id}/missing.json", (), "F967"),
        ("archive:{id}", ("--archive", "nowhere"), "F930"),
    ],
)
def test_what_is_refused(fiche, folder, name, more, code):
    id = added(fiche, RUN)
    before = (folder / "fiche.yaml").read_bytes()
    ended = fiche("import", name.format(id=id), "--to", folder / "fiche.yaml", *more)
    assert (ended.code, code in ended.err) == (2, True), ended.err
    assert (folder / "fiche.yaml").read_bytes() == before
    assert not (folder / "pieces").exists()


def test_a_changed_bag_is_not_cited(fiche, folder, tmp_path):
    store = Store.made(str(tmp_path / "archive"))
    entry = stored(store, 1, content=RUN.read_bytes())
    path = store.root / f"bags/{entry.id[:2]}/{entry.id}/data/run.json"
    path.write_bytes(RUN.read_bytes() + b" ")
    ended = fiche("import", f"archive:{entry.id}", "--to", folder / "fiche.yaml")
    assert (ended.code, "F933" in ended.err) == (2, True)
    assert not (folder / "pieces").exists()


@pytest.mark.parametrize(
    "cites",
    [
        "{archive: a, entry: not-a-urn, file: x}",
        "{archive: a, entry: 'urn:uuid:0c150111-35f9-5b9d-8e49-a41eee4600a3'}",
        "{archive: a, entry: 'urn:uuid:0c150111-35f9-5b9d-8e49-a41eee4600a3', file: x, more: y}",
    ],
)
def test_a_citation_that_names_no_entry_is_refused(fiche, folder, cites):
    shutil.copy(RUN, folder / "run.json")
    with (folder / "fiche.yaml").open("a", encoding="utf-8") as file:
        file.write(f"\npieces:\n  - {{id: run, file: run.json, cites: {cites}}}\n")
    ended = fiche("check", folder / "fiche.yaml")
    assert ended.code == 2
    assert "F3" in ended.err


def test_without_a_fiche_it_is_said_that_one_is_missing(fiche):
    ended = fiche("import", "archive:e949a30c")
    assert (ended.code, ended.err[:4]) == (2, "F702")
    assert "--to fiche.yaml" in ended.err
    assert "fiche archive show e949a30c" in ended.err
