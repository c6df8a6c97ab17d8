"""A team's PostgreSQL tells an overview the same as the bags do."""

import pytest
from archive import postgres_here
from archive.test_index_each import SCOPE, store

from fiche.archive import index_each
from fiche.archive.index import Index
from fiche.archive.overview import counted, held

pytestmark = pytest.mark.database
__all__ = ["store"]


def test_an_index_in_postgresql_and_the_bags_give_one_overview(store, monkeypatch):
    monkeypatch.setattr(index_each, "_STEP", 7)
    with postgres_here.server() as folder:
        index = Index.opened(postgres_here.made(folder, "overview"))
        index.rebuilt(store)
        assert held(index.each, SCOPE) == held(lambda: map(counted, store.entries()), SCOPE)
        index.close()
