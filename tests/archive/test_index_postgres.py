"""The same index in a team's PostgreSQL: the same answers, also while eight write and look at once."""

import multiprocessing
import threading
import time

import pytest
from archive import postgres_here
from archive.kept_entries import HOSTILE, HeldStore, archive_of, entry, observed
from archive.questions import questions
from archive.test_index import _put
from archive.test_index_search import agrees
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.archive.index import Index
from fiche.archive.index_asked import Asked, Part
from fiche.archive.index_texts import folded
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused

pytestmark = pytest.mark.database
ARCHIVES = [archive_of(60, seed) for seed in range(3)]


@pytest.fixture(scope="module")
def server():
    with postgres_here.server() as folder:
        yield folder


@pytest.fixture(scope="module")
def indexes(server):
    """An index of each made-up archive."""
    made = []
    for number, store in enumerate(ARCHIVES):
        index = Index.opened(postgres_here.made(server, f"made_{number}"))
        index.rebuilt(store)
        made.append(index)
    return made


@pytest.fixture
def url(server, request):
    return postgres_here.made(server, request.node.name[:60])


@settings(max_examples=80)
@given(st.integers(0, len(ARCHIVES) - 1), questions())
def test_it_finds_what_a_loop_over_the_entries_finds(indexes, number, question):
    agrees(indexes[number], ARCHIVES[number], *question)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_text_is_found_as_it_is_and_does_nothing(url, number):
    text = HOSTILE[number]
    index, store = Index.opened(url), HeldStore([entry(1, rows=(observed(model=text),))])
    index.rebuilt(store)
    store.put(entry(2, title=text, author=text, labels={text: text}, supersedes=(text,)), {})
    index.catch_up(store)
    assert index.answered(Asked(words=(folded(text),))).num_entries == 2
    whole = Asked(texts={"model": (Part(text=folded(text), where="whole"),)})
    assert index.answered(whole).num_rows == 1
    assert index.totals() == (2, 1)
    with pytest.raises(Refused, match="F932"):
        index.id_of(text)


def test_a_database_without_an_index_is_left_alone_until_somebody_says(url):
    store = HeldStore([entry(1)])
    index = Index.opened(url)
    with pytest.raises(Refused, match="F951") as refused:
        index.catch_up(store)
    hint = refused.value.diagnostics[0].hint
    assert "fiche archive index --rebuild --archive held --index" in hint
    assert index.rebuilt(store) == 1
    index.catch_up(store)


def test_an_index_of_another_archive_is_left_alone(url):
    theirs = HeldStore([entry(1), entry(2)], id="another")
    Index.opened(url).rebuilt(theirs)
    with pytest.raises(Refused, match=r"F951 .*of another archive, another"):
        Index.opened(url).catch_up(HeldStore([entry(3)]))
    index = Index.opened(url)
    index.catch_up(theirs)
    assert index.totals()[0] == 2


def test_a_server_that_is_gone_is_one_refusal(tmp_path):
    with pytest.raises(Refused, match="F952 postgresql"):
        Index.opened(postgres_here.url(tmp_path))


def test_a_password_in_the_address_is_refused_and_not_repeated():
    for address in ("postgresql://me:hunter2@host/db", "postgresql:///db?password=hunter2"):
        with pytest.raises(Refused, match="F953") as refused:
            Index.opened(address)
        assert "hunter2" not in str(refused.value)


def _add_and_look(where, url, number, barrier, answers):
    store = Store.opened(where)
    barrier.wait()
    for turn in range(5):
        _put(store, f"adder {number} turn {turn}".encode())
        index = Index.opened(url)
        index.catch_up(store)
        answers.put(index.answered(Asked(words=(f"adder {number} turn {turn}",))).num_entries)
        index.close()


def test_eight_add_and_search_at_the_same_time(url, tmp_path):
    where = str(tmp_path / "archive")
    store = Store.made(where)
    Index.opened(url).rebuilt(store)
    many = multiprocessing.get_context("fork")
    barrier, answers = many.Barrier(8), many.Queue()
    each = [
        many.Process(target=_add_and_look, args=(where, url, number, barrier, answers))
        for number in range(8)
    ]
    for one in each:
        one.start()
    # Whoever has added an entry and caught up finds it.
    assert [answers.get(timeout=100) for _ in range(40)] == [1] * 40
    for one in each:
        one.join()
        assert one.exitcode == 0
    index = Index.opened(url)
    index.catch_up(store)
    assert index.totals() == (40, 0)


def _waits(url):
    """True where somebody waits for a lock on a table of an index."""
    import psycopg
    from sqlalchemy import make_url

    read = make_url(url)
    told = f"host={read.query['host']} user=fiche dbname={read.database}"
    with psycopg.connect(told, autocommit=True) as connection:
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
        return connection.execute(waiting).fetchone()[0] > 0


def test_who_reads_while_the_index_is_made_anew_waits_and_sees_all_of_it(url):
    store = HeldStore([entry(number) for number in range(20)])
    Index.opened(url).rebuilt(store)
    reading, making = Index.opened(url), Index.opened(url)
    reading.catch_up(store)
    held, seen, asks = store.ids, [], []

    def asked_meanwhile():
        asks.append(threading.Thread(target=lambda: seen.append(reading.answered(Asked(limit=0)))))
        asks[0].start()
        while not _waits(url):
            time.sleep(0.01)
        return held()

    store.ids = asked_meanwhile
    making.rebuilt(store)
    asks[0].join()
    assert seen[0].all_entries == 20
