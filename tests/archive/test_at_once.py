"""Eight writers at once, of the same and of different entries: nothing is lost, nothing is told twice."""

import bagit
from archive.making import made

from fiche.archive.checking import check_archive
from fiche.archive.store import Store

WRITERS, OWN, SHARED = 8, 12, 12


def test_writers_lose_nothing(tmp_path):
    import os

    where = str(tmp_path / "a")

    def write(writer):
        store = Store.made(where)
        new = 0
        for n in range(OWN):
            assert store.put(*made(f"own {writer} {n}".encode()))
            new += store.put(*made(f"shared {n}".encode()))
        os._exit(10 + new)

    children = []
    for writer in range(WRITERS):
        child = os.fork()
        if not child:
            try:
                write(writer)
            finally:
                os._exit(1)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert min(codes) >= 10
    assert sum(code - 10 for code in codes) == SHARED  # each was new to one writer alone
    store = Store.opened(where)
    lines = [one.id for one in store.additions(0)[0]]
    assert len(lines) == len(set(lines)) == WRITERS * OWN + SHARED
    assert set(store.ids()) == set(lines)
    found = check_archive(store, "2026-12-01", quick=False)
    assert (found.findings, found.notes) == ((), ())
    assert list((tmp_path / "a" / "incoming").iterdir()) == []
    assert bagit.Bag(str(tmp_path / "a" / "bags" / lines[0][:2] / lines[0])).is_valid()


def test_a_reader_beside_a_writer_sees_whole_entries(tmp_path):
    where = str(tmp_path / "a")
    Store.made(where)
    import os

    child = os.fork()
    if not child:
        try:
            store = Store.opened(where)
            for n in range(60):
                store.put(*made(f"{n}".encode()))
        finally:
            os._exit(0)
    seen = 0
    store = Store.opened(where)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        entries = list(store.entries())
        assert store.damaged == []
        assert len(entries) >= seen
        seen = len(entries)
    assert len(list(store.entries())) == 60
