"""An archive that somebody handed over: no link, pipe or device in it leads anything out of it, or in."""

import os
import time

import pytest
from archive.making import made

from fiche.archive import additions, checking
from fiche.archive.around import repaired
from fiche.archive.batch import Batch
from fiche.archive.checking import check_archive, check_entries
from fiche.archive.identity import bag_path
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused

TODAY = "2026-12-01"
ENTRY, FILES = made(b"first")
SECOND, ITS_FILES = made(b"second")
AB = bag_path(SECOND.id).rpartition("/")[0]


@pytest.fixture
def store(tmp_path):
    found = Store.made(str(tmp_path / "a"))
    found.put(ENTRY, FILES)
    return found


@pytest.fixture
def elsewhere(tmp_path):
    """A folder of somebody, with a file of last year."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")
    year = time.time() - 365 * 86400
    os.utime(folder / "letter.txt", (year, year))
    return folder


def linked(store, place, elsewhere):
    path = store.root / place
    if path.is_dir():
        path.rename(path.with_name(path.name + ".was"))
    path.symlink_to(elsewhere)


def refusal(call):
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.diagnostics[0]


def codes(store):
    return {(one.code, one.place) for one in check_archive(store, TODAY, quick=False).findings}


def in_a_batch(store):
    with Batch(store) as batch:
        batch.put(SECOND, ITS_FILES)


@pytest.mark.parametrize("place", ["incoming", "bags", AB])
@pytest.mark.parametrize("put", [lambda store: store.put(SECOND, ITS_FILES), in_a_batch])
def test_nothing_is_written_through_a_link(store, elsewhere, place, put):
    linked(store, place, elsewhere)
    told = refusal(lambda: put(store))
    assert told.code == "F934"
    assert f"{place} is a link" in told.message
    assert [each.name for each in elsewhere.iterdir()] == ["letter.txt"]


def test_a_repair_takes_nothing_away_behind_a_link(store, elsewhere):
    linked(store, "incoming", elsewhere)
    assert refusal(lambda: repaired(store)).code == "F934"
    assert (elsewhere / "letter.txt").read_text() == "mine"
    assert ("F937", "incoming") in codes(store)


def pipe(path, _):
    os.mkfifo(path)


def folder(path, _):
    path.mkdir()


def link(path, elsewhere):
    path.symlink_to(elsewhere / "letter.txt")


@pytest.mark.parametrize("thing", [link, pipe, folder])
def test_lines_are_kept_in_a_plain_file_alone(store, elsewhere, thing):
    lines = store.root / additions.NAME
    lines.unlink()
    thing(lines, elsewhere)
    assert store.put(SECOND, ITS_FILES)  # it is added, and `incoming/` tells of it
    assert (elsewhere / "letter.txt").read_text() == "mine"
    assert refusal(lambda: store.additions(0)).code == "F943"
    assert ("F937", additions.NAME) in codes(store)
    assert refusal(lambda: repaired(store)).code == "F934"
    assert (elsewhere / "letter.txt").read_text() == "mine"
    lines.rmdir() if lines.is_dir() else lines.unlink()
    assert repaired(store) == (2, 0)
    assert {one.id for one in store.additions(0)[0]} == {ENTRY.id, SECOND.id}


def test_lines_without_an_end_are_not_held_in_memory(store):
    os.truncate(store.root / additions.NAME, 2**40)
    assert refusal(lambda: store.additions(0)).code == "F943"


@pytest.mark.parametrize("alone", [0, 10**6])
def test_a_bag_that_is_a_link_is_not_followed(store, elsewhere, monkeypatch, alone):
    """Beside a bag in the same folder, and by one process or several."""
    monkeypatch.setattr(checking, "_ALONE", alone)
    place = store.root / bag_path(ENTRY.id)
    other = ENTRY.id[:2] + SECOND.id[2:]
    (place.parent / other).symlink_to(elsewhere)
    found = check_archive(store, TODAY, quick=False)
    assert [one.code for one in found.findings] == ["F949"]
    assert found.num_bags == 1
    (one,) = check_entries(store, [other], TODAY, quick=False).findings
    assert one.code == "F937"
