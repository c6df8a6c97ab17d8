"""One face: a folder, a file URL, and an object store behave alike."""

import json
import uuid
from pathlib import Path

import pytest
from archive.making import made

from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace


@pytest.fixture(params=["folder", "file", "memory"])
def where(request, tmp_path):
    """An archive that is not there yet, of each sort."""
    folder = tmp_path / "archive"
    urls = {
        "folder": str(folder),
        "file": f"file://{folder}",
        "memory": f"memory://{uuid.uuid4()}/a",
    }
    return urls[request.param]


def code_of(call, *arguments):
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.diagnostics[0].code


def test_what_is_put_is_read_again(where):
    store = Store.made(where)
    entry, files = made({"run.json": b"{}", "logs/a b.txt": b"x" * 5000, "é.txt": b""})
    assert store.put(entry, files)
    again = Store.opened(where)
    assert again.id == store.id
    assert again.entry(entry.id) == entry
    assert list(again.entries()) == [entry]
    assert again.damaged == []
    assert {path: again.content(entry.id, path) for path in files} == files


def test_the_same_twice_changes_nothing(where):
    store = Store.made(where)
    entry, files = made(b"{}")
    assert store.put(entry, files)
    assert not store.put(replace(entry, rights="other", added="2027-01-01T00:00:00Z"), files)
    assert store.entry(entry.id) == entry
    assert [one.id for one in store.additions(0)[0]] == [entry.id]


def test_a_store_is_made_once(where):
    assert Store.made(where).id == Store.made(where).id


def test_there_is_no_archive_yet(where):
    assert code_of(Store.opened, where) == "F930"


def test_an_unknown_id_is_told(where):
    store = Store.made(where)
    entry, files = made(b"{}")
    for id in (entry.id, "../../etc/passwd", "x", entry.id[:8]):
        assert code_of(store.entry, id) == "F932"
    store.put(entry, files)
    assert code_of(store.content, entry.id, "../fiche-entry.json") == "F932"


def test_what_is_new_is_told_from_an_offset_on(where):
    store = Store.made(where)
    first, files = made(b"1")
    store.put(first, files)
    found, offset = store.additions(0)
    assert [one.id for one in found] == [first.id]
    second, files = made(b"2")
    store.put(second, files)
    found, later = store.additions(offset)
    assert second.id in [one.id for one in found]
    assert later > offset
    assert {one.path for one in found} <= {f"bags/{i[:2]}/{i}" for i in (first.id, second.id)}


def test_a_folder_with_something_else_is_never_made_an_archive(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    assert code_of(Store.made, str(tmp_path)) == "F930"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert code_of(Store.made, str(tmp_path / "thesis.tex")) == "F930"


def test_a_newer_archive_is_refused(tmp_path):
    Store.made(str(tmp_path / "a"))
    marker = tmp_path / "a" / "fiche-archive.json"
    marker.write_text(json.dumps({"format": "fiche-archive/2", "id": "x"}))
    assert code_of(Store.opened, str(tmp_path / "a")) == "F931"
    marker.write_text("[" * 100_000)
    assert code_of(Store.opened, str(tmp_path / "a")) == "F930"


def test_a_folder_that_nobody_may_read_is_not_called_empty(tmp_path, monkeypatch):
    store = Store.made(str(tmp_path / "a"))

    def closed(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("fiche.archive.local.plain_bytes", closed)
    with pytest.raises(Refused) as refused:
        Store.opened(store.where)
    told = refused.value.diagnostics[0]
    assert (told.code, "Permission denied" in told.message) == ("F930", True)


def test_a_marker_that_is_a_pipe_is_no_archive(tmp_path):
    import os

    os.mkfifo(tmp_path / "fiche-archive.json")
    assert code_of(Store.opened, str(tmp_path)) == "F930"


def test_a_damaged_bag_is_told_and_passed_over(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    entries = [made(bytes([65 + n])) for n in range(3)]
    for entry, files in entries:
        store.put(entry, files)
    ids = sorted(entry.id for entry, _ in entries)
    bag = tmp_path / "a" / "bags" / ids[0][:2] / ids[0]
    (bag / "fiche-entry.json").write_text("{")
    (tmp_path / "a" / "bags" / ids[1][:2] / ids[1] / "data" / "run.json").write_bytes(b"Z")
    assert sorted(one.id for one in store.entries()) == ids[1:]
    assert [one.code for one in store.damaged] == ["F941"]
    assert code_of(store.entry, ids[0]) == "F933"
    assert code_of(store.content, ids[1], "run.json") == "F933"


def test_a_link_in_a_bag_leads_nowhere(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    entry, files = made(b"secret")
    store.put(entry, files)
    (tmp_path / "elsewhere").write_bytes(b"secret")
    path = tmp_path / "a" / "bags" / entry.id[:2] / entry.id / "data" / "run.json"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert code_of(store.content, entry.id, "run.json") == "F933"
    bag = path.parents[1]
    bag.rename(tmp_path / "moved")
    bag.symlink_to(tmp_path / "moved")
    assert code_of(store.entry, entry.id) == "F933"


def test_a_file_that_changes_while_it_is_added_is_refused(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    entry, _ = made(b"one")
    changed = tmp_path / "run.json"
    changed.write_bytes(b"two")
    assert code_of(store.put, entry, {"run.json": changed}) == "F934"
    assert list(Path(tmp_path / "a" / "incoming").iterdir()) == []
    changed.write_bytes(b"one")
    assert store.put(entry, {"run.json": changed})


def test_a_torn_line_is_passed_over_and_the_next_one_begins_anew(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    lines = tmp_path / "a" / "additions.jsonl"
    lines.write_bytes(b'{"id":"torn')
    entry, files = made(b"1")
    store.put(entry, files)
    assert [one.id for one in store.additions(0)[0]] == [entry.id]
    assert (
        store.additions(10**9)[0] == store.additions(0)[0]
    )  # the file was put back: from the start


def test_a_long_file_of_another_archive_is_copied_and_never_held(tmp_path, monkeypatch):
    monkeypatch.setattr("fiche.archive.local._LONG", 10)
    entry, files = made({"run.json": b"{}", "long.log": b"x" * 100})
    store = Store.made(str(tmp_path / "a"))
    store.put(entry, files)
    assert store.source(entry.id, "run.json") == b"{}"
    place = store.source(entry.id, "long.log")
    assert place.read_bytes() == files["long.log"]
    other = Store.made(str(tmp_path / "b"))
    assert other.put(entry, {one.path: store.source(entry.id, one.path) for one in entry.files})
    assert other.content(entry.id, "long.log") == files["long.log"]
    place.write_bytes(b"y" * 100)
    assert code_of(store.source, entry.id, "long.log") == "F933"
    place.unlink()
    place.symlink_to("/dev/zero")
    assert code_of(store.source, entry.id, "long.log") == "F933"
    assert code_of(store.source, entry.id, "another") == "F932"
    monkeypatch.setattr("fiche.archive.local._MOST_HELD", 10)
    assert code_of(store.content, entry.id, "long.log") == "F319"
