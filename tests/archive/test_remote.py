"""Behind a URL: objects written once, a claim first, the addition last; what fsspec says in our words."""

import shutil
import uuid

import fsspec
import pytest
from archive.making import made
from fsspec.registry import known_implementations

from fiche.archive.checking_remote import check_remote
from fiche.archive.identity import bag_path
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace

TODAY = "2026-12-01"


@pytest.fixture
def where():
    return f"memory://{uuid.uuid4()}/archive"


def objects(where):
    system, root = fsspec.core.url_to_fs(where)
    return {path.removeprefix(root): system.cat_file(path) for path in system.find(root)}


def refused_by(call, *arguments):
    with pytest.raises(Refused) as refused:
        call(*arguments)
    return refused.value.diagnostics[0]


def test_a_bag_behind_a_url_is_the_same_bag(where, tmp_path):
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    Store.made(where).put(entry, files)
    Store.made(str(tmp_path / "a")).put(entry, files)
    bag = tmp_path / "a" / bag_path(entry.id)
    there = {p: c for p, c in objects(where).items() if p.startswith("/bags")}
    here = {
        f"/{bag_path(entry.id)}/{path.relative_to(bag)}": path.read_bytes()
        for path in bag.rglob("*")
        if path.is_file()
    }
    assert there == here
    line = (tmp_path / "a" / "additions.jsonl").read_bytes()
    assert objects(where)[f"/additions/{entry.id}.json"] == line


def test_whoever_comes_after_a_crash_finishes_the_bag(where):
    """The writer dies at each of its objects; another one, with other labels, adds the same files."""
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    for step in range(1, 30):
        here = f"{where}/{step}"
        store = Store.made(here)
        dying = Store.opened(here)
        left = [step]
        right = dying._system.pipe_file

        def pipe(path, value, left=left, right=right, **named):
            left[0] -= 1
            if left[0] == 0:
                raise ConnectionError("reset by peer")
            right(path, value, **named)

        dying._system.pipe_file = pipe
        try:
            outcome = put(dying, entry, files)
        finally:
            del dying._system.pipe_file
        if left[0] > 0:
            break
        assert outcome == "F936"
        assert list(store.ids()) in ([], [entry.id])
        later = replace(entry, labels={"who": "second"}, added="2027-01-01T00:00:00Z")
        store.put(later, files)
        found = store.entry(entry.id)
        assert found == (later if step == 1 else entry)
        assert list(store.entries()) == [found]
        assert check_remote(store, (), TODAY, quick=False).findings == ()
        assert [one.id for one in store.additions(0)[0]] == [entry.id]
    assert left[0] > 0
    assert step > 7


def put(store, entry, files):
    try:
        store.put(entry, files)
    except Refused as refused:
        return refused.diagnostics[0].code
    return ""


def test_two_writers_of_the_same_make_one_bag(where):
    """The second one comes between the claim of the first and its payload."""
    entry, files = made(b"{}")
    first, second = Store.made(where), Store.opened(where)
    right = first._write
    came = []

    def write(path, content):
        if not came:
            came.append(second.put(replace(entry, title="second"), files))
        right(path, content)

    first._write = write
    assert first.put(entry, files) in (True, False)
    assert came == [False]  # it was claimed by then
    assert second.entry(entry.id) == entry
    assert check_remote(second, (), TODAY, quick=False).findings == ()


def test_damage_is_named(where):
    store = Store.made(where)
    entries = [made(f"{n}".encode(), keep_until="2026-01-01") for n in range(3)]
    for entry, files in entries:
        store.put(entry, files)
    system, root = fsspec.core.url_to_fs(where)
    ids = sorted(entry.id for entry, _ in entries)
    system.pipe_file(f"{root}/{bag_path(ids[0])}/data/run.json", b"x")
    system.rm(f"{root}/{bag_path(ids[1])}/data/run.json")
    found = check_remote(store, (), TODAY, quick=False)
    assert [(one.code, one.place) for one in found.findings] == [
        ("F933", bag_path(ids[0])),
        ("F933", bag_path(ids[1])),
    ]
    assert found.num_bags == 3
    assert len(found.notes) == 3
    assert check_remote(store, (), TODAY, quick=True).findings == ()


def test_a_folder_that_was_copied_there_is_read(tmp_path):
    folder = tmp_path / "a"
    store = Store.made(str(folder))
    entry, files = made(b"{}")
    store.put(entry, files)
    where = f"memory://{uuid.uuid4()}/a"
    system, root = fsspec.core.url_to_fs(where)
    for path in folder.rglob("*"):
        if path.is_file():
            system.pipe_file(f"{root}/{path.relative_to(folder)}", path.read_bytes())
    found = Store.opened(where)
    assert found.entry(entry.id) == entry
    assert [one.id for one in found.additions(0)[0]] == [entry.id]
    assert not found.put(entry, files) or list(found.ids()) == [entry.id]


@pytest.mark.parametrize(
    ("url", "words"),
    [("away://team/archive", "Install away"), ("nosuch://team/archive", "nosuch")],
)
def test_a_protocol_that_nobody_speaks_here(url, words, monkeypatch):
    away = {"class": "not_there.Away", "err": "Install away\nto reach it"}
    monkeypatch.setitem(known_implementations, "away", away)
    told = refused_by(Store.opened, url)
    assert told.code == "F936"
    assert words in told.message
    assert "\n" not in told.message
    assert refused_by(Store.made, url).code == "F936"


def test_a_url_without_an_archive(where):
    assert refused_by(Store.opened, where).code == "F930"
    system, root = fsspec.core.url_to_fs(where)
    system.pipe_file(f"{root}/thesis.tex", b"x")
    assert refused_by(Store.made, where).code == "F930"


def test_a_claim_that_was_cut_off_is_made_again(where):
    """Where a system writes an object in parts, a killed writer leaves the beginning of one."""
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    store = Store.made(where)
    system, root = fsspec.core.url_to_fs(where)
    place = f"{root}/{bag_path(entry.id)}/fiche-entry.json"
    for begun in (b"", b'{"added":"2026', b"{}"):
        system.pipe_file(place, begun)
        assert list(store.ids()) == []
        store.put(entry, files)
        assert check_remote(store, [], TODAY, quick=False).findings == ()
        assert store.entry(entry.id) == entry
        system.rm(f"{root}/bags", recursive=True)
        system.rm(f"{root}/additions", recursive=True)
    newer = b'{"format":"fiche-archive-entry/2"}'
    system.pipe_file(place, newer)
    assert refused_by(store.put, entry, files).code == "F931"
    assert system.cat_file(place) == newer


def test_an_archive_at_the_root_of_a_packed_file_is_read(tmp_path):
    """Its names begin with no stroke: it was read as an archive without entries."""
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    Store.made(str(tmp_path / "a")).put(entry, files)
    packed = shutil.make_archive(str(tmp_path / "a"), "zip", tmp_path / "a")
    store = Store.opened(f"zip://::file://{packed}")
    assert list(store.ids()) == [entry.id]
    assert store.content(entry.id, entry.main) == files[entry.main]
    assert check_remote(store, [], TODAY, quick=False).num_bags == 1


def test_lines_without_an_end_are_not_held_in_memory(where, monkeypatch):
    store = Store.made(where)
    system, root = fsspec.core.url_to_fs(where)
    system.pipe_file(f"{root}/additions.jsonl", b" " * 200)
    monkeypatch.setattr("fiche.archive.additions.MOST", 100)
    assert refused_by(store.additions, 0).code == "F943"


def test_an_answer_without_an_end_is_one_refusal(where, monkeypatch):
    """A server of the web may send what it likes, whatever part was asked for."""
    entry, files = made({"run.json": b"{}"})
    store = Store.made(where)
    store.put(entry, files)
    system = type(store._system)
    monkeypatch.setattr(system, "cat_file", lambda *_, **__: bytearray(2**33))
    assert refused_by(store.entry, entry.id).code == "F936"
