"""What entries say that they supersede leads to the entries that are called so: to those, and to no others."""

import itertools

import pytest
from archive.kept_entries import HeldStore, entry, kept

from fiche.archive.index import Index
from fiche.archive.index_asked import Asked
from fiche.archive.index_lines import as_named

FICHE = "0f8b4c1e-52a7-5e0b-9a51-3f6a0c6c1d2e"
OTHER = "7c1d2e0f-8b4c-5e52-a751-e0b9a513f6a0"
DOI = "doi:10.5281/zenodo.1234567"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.sqlite3")


def report(number, own_id=FICHE, **told):
    """A decision as page or as PDF: its decision.json is the same in both."""
    files = (kept(number, "report.html"), kept(77, "attachments/decision.json"))
    return entry(number, kind="decision", files=files, own_id=own_id, **told)


def fiche(number, own_id=FICHE, **told):
    return entry(number, kind="fiche", files=(kept(number, "fiche.yaml"),), own_id=own_id, **told)


def later(number, *named, **told):
    told.setdefault("own_id", f"{number:08d}-0000-5000-8000-000000000000")
    return fiche(number, stated_supersedes=named, **told)


def linked(path, *entries):
    """Ids that are superseded, each with those that say so, as the index has it."""
    index = Index.opened(path)
    index.catch_up(HeldStore(entries))
    return {one.id: index.superseding(one.id) for one in entries if index.superseding(one.id)}


@pytest.mark.parametrize("named", [FICHE, FICHE.upper(), f"urn:uuid:{FICHE}"])
def test_the_id_of_a_fiche_means_all_that_carry_it(path, named):
    old, page, paper = fiche(1), report(2), report(3)
    record = entry(4, own_id=FICHE)  # the series of a record is no fiche
    new = later(5, named)
    assert linked(path, old, page, paper, record, new) == dict.fromkeys(
        (old.id, page.id, paper.id), (new.id,)
    )


@pytest.mark.parametrize(
    "named", [f"{1:064x}", f"sha256:{1:064x}", f"{77:064x}", f"sha256:{77:064x}".upper()]
)
def test_the_digest_of_a_fiche_or_a_decision_means_both(path, named):
    old, page = fiche(1), report(2)
    new = later(5, named)
    assert linked(path, old, page, new) == {old.id: (new.id,), page.id: (new.id,)}


@pytest.mark.parametrize(
    "named", [DOI, "DOI:10.5281/Zenodo.1234567", "https://doi.org/10.5281/zenodo.1234567"]
)
def test_a_persistent_identifier_is_one_however_it_is_written(path, named):
    old = fiche(1, identifier=DOI)
    new = later(5, named)
    assert linked(path, old, new) == {old.id: (new.id,)}


def test_the_id_of_an_entry_means_that_one_alone(path):
    old, page = fiche(1), report(2)
    new = later(5, f"urn:uuid:{page.id}")
    assert linked(path, old, page, new) == {page.id: (new.id,)}


def test_a_new_version_under_the_same_identifier_replaces_the_old_one_and_not_itself(path):
    old = fiche(1, identifier=DOI)
    new = later(5, DOI, identifier=DOI)
    page = report(6, own_id=new.own_id, stated_supersedes=(DOI,), identifier=DOI)
    both = tuple(sorted((new.id, page.id)))
    assert linked(path, old, new, page) == {old.id: both}


def test_what_names_several_things_is_taken_for_none_and_that_is_said(path):
    one, two = fiche(1, identifier=DOI), fiche(2, own_id=OTHER, identifier=DOI)
    new = later(5, DOI, "urn:isbn:9783161484100")
    index = Index.opened(path)
    index.catch_up(HeldStore([one, two, new]))
    assert not any(each.superseded for each in index.listing().entries)
    several, unknown = index.statements(new.id)
    assert (several.told, several.entries, several.why) == (DOI, (), "ambiguous")
    assert several.candidates == tuple(sorted((one.id, two.id)))
    assert (unknown.told, unknown.why) == ("urn:isbn:9783161484100", "unknown")
    assert index.leading_nowhere() == (several, unknown)


def test_every_order_of_adding_ends_in_the_same_links(tmp_path):
    old = fiche(1, identifier=DOI)
    entries = (old, report(2), report(3), later(5, DOI), later(6, f"{77:064x}"))
    found = []
    for place, order in enumerate(itertools.permutations(entries)):
        store = HeldStore()
        index = Index.opened(str(tmp_path / f"{place}.sqlite3"))
        for one in order:
            store.put(one, {})
            index.catch_up(store)
        found.append({one.id: set(index.superseding(one.id)) for one in entries})
        index.close()
        assert found[-1] == found[0]
    by = {entries[3].id, entries[4].id}
    assert [found[0][one.id] for one in entries] == [by, by, by, set(), set()]


def test_one_that_comes_later_makes_ambiguous_what_was_linked(path):
    store = HeldStore([fiche(1, identifier=DOI), later(5, DOI)])
    index = Index.opened(path)
    index.catch_up(store)
    assert [one.superseded for one in index.listing().entries].count(True) == 1
    store.put(fiche(2, own_id=OTHER, identifier=DOI), {})
    index.catch_up(store)
    assert not any(one.superseded for one in index.listing().entries)
    assert [one.why for one in index.leading_nowhere()] == ["ambiguous"]


def test_a_search_and_a_list_name_what_replaces(path):
    old, new = fiche(1), later(5, FICHE)
    index = Index.opened(path)
    index.catch_up(HeldStore([old, new]))
    found = {one.id: one.superseded_by for one in index.listing().entries}
    assert found == {old.id: (new.id,), new.id: ()}
    (left,) = index.answered(Asked(superseded=False)).found
    assert left.entry.id == new.id
    assert index.answered(Asked(superseded=True)).found[0].entry.superseded_by == (new.id,)


def test_an_overview_sees_the_same_links(path):
    old, new = fiche(1), later(5, FICHE)
    index = Index.opened(path)
    index.catch_up(HeldStore([old, new]))
    assert {one.id: one.supersedes for one in index.each()} == {old.id: (), new.id: (old.id,)}


def test_an_entry_is_shown_by_its_identifier_and_a_decision_before_its_fiche(path):
    one, page = fiche(1, identifier=DOI), report(2)
    index = Index.opened(path)
    index.catch_up(HeldStore([one, page, entry(9)]))
    assert index.id_of("https://doi.org/10.5281/zenodo.1234567") == one.id
    assert index.id_of(FICHE) == page.id


@pytest.mark.parametrize(
    ("told", "named"),
    [
        (" sha256:" + "AB" * 32, "ab" * 32),
        ("urn:uuid:" + OTHER.upper(), OTHER),
        ("https://example.org/Reports/7", "https://example.org/Reports/7"),
        ("nul\0", "nul\N{REPLACEMENT CHARACTER}"),
        ("", ""),
    ],
)
def test_names_are_compared_in_one_form(told, named):
    assert as_named(told) == named
