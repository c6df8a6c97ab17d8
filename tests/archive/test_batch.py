"""Many entries at once: each lands whole, and what cannot land was never added."""

import errno

import pytest
from archive.holdings import stored

from fiche.archive import batch as batch_module
from fiche.archive.batch import Batch
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused


@pytest.fixture
def stores(tmp_path):
    source = Store.made(str(tmp_path / "source"))
    entries = [stored(source, number) for number in range(5)]
    target = Store.made(str(tmp_path / "target"))
    return source, entries, target


def files(source, entry):
    return {one.path: source.content(entry.id, one.path) for one in entry.files}


def put(batch, entries):
    with batch:
        for entry, content in entries:
            batch.put(entry, content)


def test_bags_land_in_groups_and_each_is_listed(stores):
    source, entries, target = stores
    with Batch(target, most=2) as batch:
        told = []
        for entry in entries:
            assert batch.put(entry, files(source, entry))
            told.append(len(list(target.ids())))
    assert told == [0, 2, 2, 4, 4]
    assert sorted(target.entries(), key=lambda e: e.id) == sorted(entries, key=lambda e: e.id)
    assert [one.id for one in target.additions(0)[0]] == [entry.id for entry in entries]
    assert list((target.root / "incoming").iterdir()) == []
    assert target.durable


def test_the_same_twice_is_one(stores):
    source, (entry, *_), target = stores
    with Batch(target) as batch:
        assert batch.put(entry, files(source, entry))
        assert not batch.put(entry, files(source, entry))
    with Batch(target) as batch:
        assert not batch.put(entry, files(source, entry))
    assert len(list(target.ids())) == 1


def test_what_was_waiting_lands_also_after_a_failure(stores):
    source, (one, two, *_), target = stores
    batch = Batch(target)
    with pytest.raises(Refused, match="F934"):
        put(batch, [(one, files(source, one)), (two, {"run.json": b"something else"})])
    assert list(target.ids()) == [one.id]
    assert batch.lost == frozenset()
    assert list((target.root / "incoming").iterdir()) == []


def test_a_full_disk_leaves_what_landed_and_says_what_did_not(stores, monkeypatch):
    source, (one, two, three, *_), target = stores
    full = []

    def land(marker, bag, tags):
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        full.append(bag)
        return landed(marker, bag, tags)

    landed = target.landed
    monkeypatch.setattr(target, "landed", land)
    batch = Batch(target)
    with pytest.raises(Refused, match="F934"):
        put(batch, [(entry, files(source, entry)) for entry in (one, two, three)])
    assert list(target.ids()) == [one.id]
    assert batch.lost == {two.id, three.id}
    assert list((target.root / "incoming").iterdir()) == []


def test_the_disk_is_waited_for_once_a_group(stores, monkeypatch):
    source, entries, target = stores
    waits = []
    monkeypatch.setattr(batch_module.os, "sync", lambda: waits.append(len(list(target.ids()))))
    with Batch(target, most=3) as batch:
        for entry in entries:
            batch.put(entry, files(source, entry))
    assert waits == [0, 3, 3, 5]
