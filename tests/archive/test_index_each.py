"""An index tells an overview the same as the bags do, whatever database it lies in."""

from datetime import date

import pytest
from archive.holdings import many, stored

from fiche.archive import index_each
from fiche.archive.entry import Row
from fiche.archive.index import Index
from fiche.archive.overview import Scope, counted, held
from fiche.archive.store import Store

SCOPE = Scope(archive="6f0e", day=date(2026, 12, 1), kept_back=frozenset())


@pytest.fixture
def store(tmp_path):
    made = Store.made(str(tmp_path / "archive"))
    made.durable = False
    first = None
    for number, one in enumerate(many(40)):
        rows = (*one.rows, Row(quantity="wall", amount="1.5", unit="s", origin="observed"))
        supersedes = (first.id,) if number == 9 and first is not None else ()
        entry = stored(
            made,
            number,
            kind=one.kind,
            rows=rows,
            supersedes=supersedes,
            keep_until=one.keep_until,
            confidentiality=one.confidentiality,
        )
        first = first or entry
    return made


@pytest.mark.parametrize("step", [3, 5_000])
def test_an_index_and_the_bags_give_one_overview(store, tmp_path, monkeypatch, step):
    monkeypatch.setattr(index_each, "_STEP", step)
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(store)
    told = held(index.each, SCOPE)
    assert told == held(lambda: map(counted, store.entries()), SCOPE)
    assert (told.superseded, told.entries) == (1, 40)
    assert sum(len(one.ranges) for one in told.meetings) > 5
    index.close()


def test_an_empty_index_has_none(tmp_path):
    empty = Store.made(str(tmp_path / "empty"))
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(empty)
    assert list(index.each()) == []
    index.close()
