"""A fiche says what it takes the place of: shown at both ends, and said where it leads nowhere."""

import json
import shutil
from pathlib import Path

import pytest
from jsonschema_rs import validator_for

from fiche.archive.store import Store
from fiche.assets import schema_text

GUIDE = Path(__file__).resolve().parents[2] / "samples" / "guide"
DOI = "doi:10.5281/zenodo.1234567"


@pytest.fixture
def archive(tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.delenv("FICHE_ARCHIVE_INDEX", raising=False)
    return tmp_path / "archive"


def written(tmp_path, name, *keys):
    """The fiche of the guide with further keys, in a folder of its own."""
    folder = tmp_path / name
    shutil.copytree(GUIDE, folder)
    file = folder / "fiche.yaml"
    file.write_text(file.read_text("utf-8") + "".join(f"{key}\n" for key in keys), "utf-8")
    return file


def added(fiche, path):
    ended = fiche("archive", "add", path, "--json")
    assert ended.code == 0, ended.err
    return ended.json()["entries"][0]["id"]


@pytest.fixture
def both(fiche, archive, tmp_path):
    """A fiche and the page of its report, and a fiche that states that it supersedes the first one's id."""
    old = written(tmp_path, "old", f"identifier: {DOI}")
    assert fiche("report", old, "-o", tmp_path / "out", "--formats", "html,json").code == 0
    own = json.loads((tmp_path / "out" / "decision.json").read_bytes())["fiche"]["id"]
    first, page = added(fiche, old), added(fiche, tmp_path / "out" / "report.html")
    new = written(tmp_path, "new", f"supersedes: [{own}, 'urn:isbn:9783161484100']")
    return own, first, page, added(fiche, new)


def valid(told, name):
    validator_for(json.loads(schema_text(name))).validate(told)
    return told


def test_the_bag_says_it_as_the_fiche_does(archive, both):
    own, first, page, new = both
    store = Store.opened(str(archive))
    assert store.entry(new).stated_supersedes == (own, "urn:isbn:9783161484100")
    assert {store.entry(one).own_id for one in (first, page)} == {own}
    assert {store.entry(one).identifier for one in (first, page)} == {DOI}


def test_what_is_replaced_is_shown_at_both_ends(fiche, both):
    own, first, page, new = both
    for one in (first, page):
        told = valid(fiche("archive", "show", one, "--json").json(), "archive-shown.schema.json")
        assert told["superseded_by"] == [new]
        assert new in fiche("archive", "show", one).out
    told = valid(fiche("archive", "show", new, "--json").json(), "archive-shown.schema.json")
    entry_schema = json.loads(schema_text("archive-entry.schema.json"))
    validator_for(entry_schema).validate(told["entry"])
    assert told["supersedes"] == [
        {"told": own, "entries": sorted((first, page))},
        {"told": "urn:isbn:9783161484100", "entries": [], "why": "unknown"},
    ]
    text = " ".join(fiche("archive", "show", new).out.split())
    assert "urn:isbn:9783161484100: nothing in this archive is called so" in text


def test_lists_and_searches_name_it_and_keep_to_their_schemas(fiche, both):
    _, first, page, new = both
    listed = valid(fiche("archive", "list", "--json").json(), "archive-list.schema.json")
    found = valid(fiche("archive", "search", "--json").json(), "archive-search.schema.json")
    entries = (*listed["entries"], *(one["entry"] for one in found["found"]))
    for one in entries:
        assert one.get("superseded_by", []) == ([new] if one["id"] in (first, page) else [])
        assert one["superseded"] == (one["id"] in (first, page))
    current = fiche("archive", "search", "--current", "--ids").out.split()
    assert current == [new]


def test_the_index_says_what_leads_nowhere(fiche, both):
    *_, new = both
    told = valid(fiche("archive", "index", "--json").json(), "archive-indexed.schema.json")
    assert told["leading_nowhere"] == [
        {"id": new, "told": "urn:isbn:9783161484100", "entries": [], "why": "unknown"}
    ]
    text = " ".join(fiche("archive", "index", "--rebuild").out.split())
    assert f"{new} supersedes urn:isbn:9783161484100: nothing in this archive is called so" in text


def test_an_empty_archive_keeps_to_the_schemas_as_well(fiche, archive):
    Store.made(str(archive))
    for command in ("list", "search", "index"):
        told = fiche("archive", command, "--json").json()
        name = {"index": "indexed"}.get(command, command)
        valid(told, f"archive-{name}.schema.json")


def test_several_that_are_called_so_are_all_named(fiche, archive, tmp_path):
    one = added(fiche, written(tmp_path, "one", f"identifier: {DOI}"))
    two = added(fiche, written(tmp_path, "two", f"identifier: {DOI}", "rights: CC0-1.0"))
    new = added(fiche, written(tmp_path, "new", f"supersedes: ['{DOI}']"))
    text = " ".join(fiche("archive", "show", new).out.split())
    assert (
        f"{DOI}: several are called so and none is taken ({', '.join(sorted((one, two)))})" in text
    )
    told = valid(fiche("archive", "show", new, "--json").json(), "archive-shown.schema.json")
    assert told["supersedes"][0]["candidates"] == sorted((one, two))
    assert "[superseded]" not in fiche("archive", "search").out
