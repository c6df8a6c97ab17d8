"""An index follows its archive: what is added is found, once, whoever else looks."""

import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest
from archive.kept_entries import HeldStore, archive_of, entry, observed

from fiche.archive.entry import Kept, Row
from fiche.archive.identity import id_of
from fiche.archive.index import Index
from fiche.archive.index_asked import Asked, Part
from fiche.archive.index_columns import WORDS
from fiche.archive.index_place import own_file
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import field_names, replace


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.sqlite3")


def counted(index):
    return index.totals()


def test_every_text_of_a_row_is_in_the_index():
    """A new field of a row must become a word, or be one of the two that differ from row to row."""
    assert {*WORDS, "amount", "place"} == set(field_names(Row()))


def test_catching_up_again_changes_nothing(path):
    store = archive_of(30)
    index = Index.opened(path)
    for _ in range(3):
        index.catch_up(store)
        assert counted(index) == (30, sum(len(one.rows) for one in store.held.values()))


def test_what_is_added_later_is_found(path):
    store = HeldStore([entry(1)])
    index = Index.opened(path)
    index.catch_up(store)
    store.put(entry(2, rows=(observed(model="new"),)), {})
    index.catch_up(store)
    assert index.answered(Asked(words=("new",))).num_rows == 1
    assert counted(index) == (2, 1)


@pytest.mark.parametrize("kind", ["missing", "broken"])
def test_a_bag_that_cannot_be_read_is_asked_for_again(path, kind):
    store = HeldStore([entry(1)])
    index = Index.opened(path)
    index.catch_up(store)
    late = entry(2)
    store.put(late, {})
    getattr(store, kind).add(late.id)
    index.catch_up(store)
    assert (counted(index)[0], index.unread()) == (1, 1)
    getattr(store, kind).clear()
    index.catch_up(store)
    assert (counted(index)[0], index.unread()) == (2, 0)


def test_a_rebuild_counts_what_it_could_not_read(path):
    store = archive_of(5)
    store.broken.add(next(iter(store.held)))
    index = Index.opened(path)
    assert index.rebuilt(store) == 4
    assert index.unread() == 1


def test_a_line_that_is_torn_is_no_line_yet(path, tmp_path):
    store = Store.made(str(tmp_path / "archive"))
    first, second = (_put(store, text) for text in (b"1", b"2"))
    lines = tmp_path / "archive" / "additions.jsonl"
    whole = lines.read_bytes()
    for cut in range(len(whole) // 2 + 1, len(whole), 20):
        lines.write_bytes(whole[:cut])
        index = Index.opened(str(tmp_path / f"{cut}.sqlite3"))
        index.catch_up(store)
        lines.write_bytes(whole)
        index.catch_up(store)
        assert [index.id_of(id) for id in (first, second)] == [first, second]
        index.close()


def _put(store, content):
    import hashlib

    kept = Kept(
        path="a.txt",
        num_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        media_type="text/plain",
    )
    one = entry(0, files=(kept,), title=content.decode())
    store.durable = False
    store.put(one, {"a.txt": content})
    return one.id


def test_an_index_of_another_archive_is_made_anew_and_that_is_said(path):
    Index.opened(path).catch_up(HeldStore([entry(1)], id="another"))
    index = Index.opened(path)
    index.catch_up(HeldStore([entry(2), entry(3)]))
    assert counted(index)[0] == 2
    assert index.notes == [f"{path} was of another archive, and was made anew from the bags"]


def test_an_index_of_another_format_is_made_anew_and_that_is_said(path):
    store = HeldStore([entry(1)])
    Index.opened(path).catch_up(store)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE fiche_state SET text = 'older/0' WHERE name = 'format'")
    index = Index.opened(path)
    index.catch_up(store)
    assert counted(index)[0] == 1
    assert index.notes == [
        f"{path} was of another version of fiche, and was made anew from the bags"
    ]


@pytest.mark.parametrize("damage", ["text", "head", "middle", "tables"])
def test_a_damaged_index_is_made_anew_and_that_is_said(path, damage):
    store = archive_of(200)
    index = Index.opened(path)
    index.catch_up(store)
    index.close()
    _damage(path, damage)
    index = Index.opened(path)
    index.catch_up(store)
    for asked in (Asked(limit=0), Asked(words=("llama",), limit=0), Asked(sort="amount", limit=0)):
        index.answered(asked)
    assert counted(index)[0] == 200
    assert any("made anew from the bags" in note for note in index.notes)


def _damage(path, how):
    if how == "tables":
        with sqlite3.connect(path) as connection:
            connection.execute("DROP TABLE fiche_rows")
        return
    with Path(path).open("r+b") as file:
        length = os.fstat(file.fileno()).st_size
        start, end = {"text": (0, 100), "head": (0, 5000), "middle": (5000, length)}[how]
        file.seek(start)
        file.write(b"no database at all. "[:20] * ((end - start) // 20))


def test_a_link_in_the_place_of_an_index_is_refused(tmp_path):
    store = Store.made(str(tmp_path / "archive"))
    (tmp_path / "archive" / "index.sqlite3").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match=r"F950 .*a link"):
        own_file(store)


def test_a_folder_in_the_place_of_an_index_is_one_refusal(tmp_path):
    (tmp_path / "index.sqlite3").mkdir()
    with pytest.raises(Refused, match="F950"):
        Index.opened(str(tmp_path / "index.sqlite3"))


def test_an_id_is_known_by_its_beginning_and_the_shortest_one_is_shown(path):
    store = archive_of(40)
    index = Index.opened(path)
    index.catch_up(store)
    for one in index.listing().entries:
        assert len(one.short) >= 8
        assert index.id_of(one.short) == one.id
        assert sum(id.startswith(one.short) for id in store.held) == 1
    alike = next(id[0] for id in store.held if sum(o[0] == id[0] for o in store.held) > 1)
    with pytest.raises(Refused, match=r"F955 .*may be several entries"):
        index.id_of(alike)
    with pytest.raises(Refused, match="F932"):
        index.id_of("")
    with pytest.raises(Refused, match="F932"):
        index.id_of("ffffffff-ffff-5fff-8fff-ffffffffffff")


def test_ids_that_begin_alike_are_told_apart(path):
    """Two ids of the same first eight signs, as one of 60 000 entries has."""
    alike = ("07bee5a1-2b70-5689-b555-37f3f3813987", "07bee5a1-2b70-5689-b556-37f3f3813987")
    one, other = (replace(entry(n), id=id) for n, id in enumerate(alike))
    index = Index.opened(path)
    index.catch_up(HeldStore([one, other]))
    shorts = [each.short for each in index.listing().entries]
    assert min(map(len, shorts)) > 8
    assert {index.id_of(short) for short in shorts} == {one.id, other.id}
    with pytest.raises(Refused, match="F955") as refused:
        index.id_of(one.id[:8])
    assert one.id in str(refused.value)
    assert other.id in str(refused.value)


def test_an_entry_is_known_by_the_name_that_it_gives_itself(path):
    one = entry(1, own_id="run 17; --")
    index = Index.opened(path)
    index.catch_up(HeldStore([one, entry(2)]))
    assert index.id_of("run 17; --") == one.id


def test_what_replaces_an_entry_is_told_and_a_loose_end_is_none(path):
    old = entry(1)
    new = entry(2, supersedes=(old.id, id_of("record", ()), "no id"))
    index = Index.opened(path)
    index.catch_up(HeldStore([old, new]))
    assert index.superseding(old.id) == (new.id,)
    assert index.superseding(new.id) == ()
    assert [one.superseded for one in index.listing().entries] == [
        one.id == old.id for one in index.listing().entries
    ]


def _add_and_look(where, path, number, barrier, answers):
    store = Store.opened(where)
    barrier.wait()
    for turn in range(5):
        _put(store, f"adder {number} turn {turn}".encode())
        index = Index.opened(path)
        index.catch_up(store)
        answers.put(index.totals()[0])
        index.close()


def test_eight_add_and_search_at_the_same_time(path, tmp_path):
    where = str(tmp_path / "archive")
    Store.made(where)
    spawn = multiprocessing.get_context("fork")
    barrier, answers = spawn.Barrier(8), spawn.Queue()
    each = [
        spawn.Process(target=_add_and_look, args=(where, path, number, barrier, answers))
        for number in range(8)
    ]
    for one in each:
        one.start()
    counts = [answers.get(timeout=100) for _ in range(40)]
    for one in each:
        one.join()
        assert one.exitcode == 0
    assert max(counts) <= 40
    index, store = Index.opened(path), Store.opened(where)
    index.catch_up(store)
    assert counted(index) == (40, 0)
    assert {one.id for one in index.listing().entries} == set(store.ids())
    assert index.answered(Asked(words=("adder 3 turn 4",))).num_entries == 1
    assert index.answered(Asked(texts={"model": (Part(text="x"),)})).num_rows == 0


def test_several_processes_make_the_index_that_one_makes(tmp_path, monkeypatch):
    """Both read the same bags; a bag that cannot be read is told by both."""
    from fiche.archive import index_apart

    store = Store.made(str(tmp_path / "archive"))
    ids = [_put(store, f"adder {number}".encode()) for number in range(12)]
    bag = tmp_path / "archive" / "bags" / ids[5][:2] / ids[5]
    (bag / "fiche-entry.json").write_text("{}")
    answers = []
    for alone in (100, 1):
        monkeypatch.setattr(index_apart, "_ALONE", alone)
        monkeypatch.setattr(os, "cpu_count", lambda: 3)
        index = Index.opened(str(tmp_path / f"{alone}.sqlite3"))
        told = []
        index.told = told.append
        assert index.rebuilt(store) == 11
        assert (index.unread(), told[-1]) == (1, 11)
        answers.append(index.answered(Asked(limit=0)))
    assert answers[0] == answers[1]
    assert index_apart.shares_of(store, 12) == 3


def test_a_process_that_ends_early_leaves_the_index_as_it_was(tmp_path, monkeypatch, path):
    from fiche.archive import index_apart

    store = Store.made(str(tmp_path / "archive"))
    _put(store, b"one")
    index = Index.opened(path)
    index.catch_up(store)
    monkeypatch.setattr(index_apart, "_ALONE", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(index_apart.sys, "executable", "/bin/false")
    with pytest.raises(Refused, match=r"F950 .*ended early"):
        index.rebuilt(store)
    assert counted(index) == (1, 0)
    assert index.answered(Asked(words=("one",))).num_entries == 1


def _somebodys_text(path):
    path.write_bytes(b"A thesis of many pages, which is no database. " * 100)


def _somebodys_database(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (x)")
        connection.execute("INSERT INTO precious VALUES (1)")


def _somebodys_damaged_database(path):
    _somebodys_database(path)
    path.write_bytes(path.read_bytes()[:3000])


@pytest.mark.parametrize(
    "make", [_somebodys_text, _somebodys_database, _somebodys_damaged_database]
)
def test_a_file_of_somebody_that_is_named_as_an_index_stays_as_it_is(tmp_path, make):
    path = tmp_path / "theirs.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(Refused, match=r"F950 .*something else than an index"):
        Index.opened(str(path)).catch_up(HeldStore([entry(1)]))
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["theirs.db"]


@pytest.mark.parametrize("damage", ["middle", "tables"])
def test_an_index_of_another_name_is_known_by_its_head(tmp_path, damage):
    path, store = str(tmp_path / "team.db"), archive_of(200)
    index = Index.opened(path)
    index.catch_up(store)
    index.close()
    _damage(path, damage)
    index = Index.opened(path)
    index.catch_up(store)
    index.answered(Asked(limit=0))
    assert counted(index)[0] == 200


def test_a_pipe_in_the_place_of_an_index_is_one_refusal(tmp_path):
    os.mkfifo(tmp_path / "index.sqlite3")
    with pytest.raises(Refused, match="F950"):
        Index.opened(str(tmp_path / "index.sqlite3"))
