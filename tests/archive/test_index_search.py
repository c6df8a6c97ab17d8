"""What an index finds is what a loop over the entries finds, whatever is in them and whatever is asked."""

import pytest
from archive import plain_search
from archive.kept_entries import HOSTILE, HeldStore, archive_of, entry, observed
from archive.questions import questions
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.archive.index import Index
from fiche.archive.index_asked import Asked, Label, Part
from fiche.archive.index_texts import folded
from fiche.kernel.record import replace

ARCHIVES = [archive_of(60, seed) for seed in range(4)]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """An index of each made-up archive."""
    made = []
    for number, store in enumerate(ARCHIVES):
        index = Index.opened(str(tmp_path_factory.mktemp("index") / f"{number}.sqlite3"))
        index.catch_up(store)
        made.append(index)
    return made


def places(answer, store):
    """`(entry, place)` of what was found, each row told by what it says."""
    left = {id: dict(enumerate(one.rows)) for id, one in store.held.items()}
    return [(one.entry.id, None if one.row is None else _place(one, left)) for one in answer.found]


def _place(one, left):
    rows = left[one.entry.id]
    place = next(n for n, row in rows.items() if _as_kept(row) == one.row)
    del rows[place]
    return place


def _as_kept(row):
    from fiche.archive.index_texts import kept

    return replace(row, **{name: kept(getattr(row, name)) for name in row.__fields__})


def agrees(index, store, asked, amounts):
    """Every row of the plain answer is found, and none besides; a limit cuts it and changes no count."""
    expected = plain_search.found(store, asked, amounts)
    answer = index.answered(asked)
    everything = index.answered(replace(asked, limit=0))
    got = places(everything, store)
    assert sorted(map(str, got)) == sorted(map(str, expected))
    assert answer.num_rows == sum(place is not None for _, place in expected)
    assert answer.num_entries == len({id for id, _ in expected})
    assert answer.all_entries == len(store.held)
    shown = [(one.entry.id, one.row) for one in answer.found]
    assert shown == [(one.entry.id, one.row) for one in everything.found][: asked.limit or None]
    assert bool(answer.looked) == (not expected and asked != Asked())


@settings(max_examples=200)
@given(st.integers(0, len(ARCHIVES) - 1), questions())
def test_an_index_finds_what_a_loop_over_the_entries_finds(indexes, number, question):
    agrees(indexes[number], ARCHIVES[number], *question)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_found_as_it_is_and_does_nothing(tmp_path, text):
    store = HeldStore([entry(1, rows=(observed(model=text, case=text),)), entry(2)])
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(store)
    for question in (
        Asked(words=(folded(text),)),
        Asked(texts={"model": (Part(text=folded(text), where="whole"),)}),
        Asked(texts={"case": (Part(text=folded(text)),)}),
    ):
        (found,) = index.answered(question).found
        assert found.row.model == _as_kept(store.held[found.entry.id].rows[0]).model
    nothing = Asked(labels=(Label(name=folded(text), text=Part(text=folded(text))),))
    assert index.answered(nothing).found == ()
    assert index.totals() == (2, 1)


def test_rows_are_sorted_by_amount_within_their_unit(tmp_path):
    amounts = ("9", "10", "0.5", "100000000000000000001", "100000000000000000000")
    rows = [observed(amount=each) for each in amounts] + [observed(amount="3", unit="s")]
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(HeldStore([entry(1, rows=(*rows, observed(amount="", unit="")))]))
    ordered = [one.row.amount for one in index.answered(Asked(sort="amount", limit=0)).found]
    assert ordered == ["0.5", "9", "10", amounts[4], amounts[3], "3", ""]


def test_the_newest_come_first_and_an_undated_entry_stands_where_it_was_added(tmp_path):
    store = HeldStore(
        [
            entry(1, date="2026-01-01"),
            entry(2, date="2026-03-01"),
            entry(3, added="2026-02-01T00:00:00Z"),
        ]
    )
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(store)
    assert [one.title for one in index.listing().entries] == ["Run 2", "Run 3", "Run 1"]
    dated = index.answered(Asked(since="2026-01-15"))
    assert [one.entry.title for one in dated.found] == ["Run 2"]
    assert dated.undated == 1


def test_where_nothing_is_found_each_thing_asked_for_is_counted_alone(tmp_path):
    rows = (observed(model="Llama-3.1-8B", card="nvidia-l4-24g"),)
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(HeldStore([entry(1, rows=rows), entry(2, rows=rows)]))
    texts = {"model": (Part(text="lama-3.1-8bb"),), "card": (Part(text="l4"),)}
    answer = index.answered(Asked(texts=texts))
    told = [(one.asked, one.entries, one.near) for one in answer.looked]
    assert told == [("model 'lama-3.1-8bb'", 0, ("Llama-3.1-8B",)), ("card 'l4'", 2, ())]


def test_another_name_of_a_card_finds_it(tmp_path):
    names = {"NVIDIA GeForce RTX 4090": ("nvidia-rtx-4090-24g", "GeForce RTX 4090")}
    index = Index.opened(str(tmp_path / "index.sqlite3"), lambda kind, text: names.get(text, ()))
    rows = (observed(card="NVIDIA GeForce RTX 4090"), observed(card="nvidia-rtx-4090-24g"))
    index.catch_up(HeldStore([entry(1, rows=rows)]))
    for where, text in (("within", "rtx-4090"), ("whole", "nvidia-rtx-4090-24g")):
        asked = Asked(texts={"card": (Part(text=text, where=where),)})
        assert index.answered(asked).num_rows == 2
    part_of_a_name = Asked(texts={"card": (Part(text="nvidia-rtx-4090", where="whole"),)})
    assert index.answered(part_of_a_name).num_rows == 0


def test_a_version_is_found_by_its_beginning_alone(tmp_path):
    rows = (observed(engine_version="0.28.0"), observed(engine_version="10.28.1"))
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(HeldStore([entry(1, rows=rows)]))
    asked = Asked(texts={"engine_version": (Part(text="0.28", where="first"),)})
    assert [one.row.engine_version for one in index.answered(asked).found] == ["0.28.0"]
