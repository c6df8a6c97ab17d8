"""What shares a file with what is confidential is so too; what only happens to hold the same policy is not."""

import pytest
from archive.kept_entries import HeldStore, entry, kept

from fiche.archive.index import Index

MAIN, PIECE, POLICY = kept(1, "fiche.yaml"), kept(2, "evidence/run.json"), kept(3, "policy.yaml")


@pytest.fixture
def confided(tmp_path):
    def of(*entries):
        index = Index.opened(str(tmp_path / "index.sqlite3"))
        index.catch_up(HeldStore(entries))
        return dict(index.confided())

    return of


def fiche(*files, number=1, **told):
    return entry(kind="fiche", files=(kept(number, "fiche.yaml"), *files), **told)


def run(**told):
    return entry(files=(kept(2, "run.json"),), **told)


@pytest.mark.parametrize("level", ["internal", "confidential"])
def test_a_piece_of_what_may_not_go_out_may_not_either(confided, level):
    whole, record = fiche(PIECE, confidentiality=level), run()
    assert confided(whole, record) == {record.id: level}


def test_its_own_word_counts_where_it_says_one(confided):
    assert (
        confided(fiche(PIECE, confidentiality="confidential"), run(confidentiality="public")) == {}
    )


@pytest.mark.parametrize("said", ["", "public", "internal"])
def test_what_holds_what_may_not_go_out_may_not_whatever_it_says(confided, said):
    whole = fiche(PIECE, confidentiality=said)
    assert confided(whole, run(confidentiality="confidential")) == {whole.id: "confidential"}


def test_what_is_more_confidential_already_is_no_less(confided):
    whole = fiche(PIECE, confidentiality="confidential")
    assert confided(whole, run(confidentiality="internal")) == {}


def test_of_several_the_highest_counts(confided):
    one = fiche(PIECE, number=1, confidentiality="internal")
    two = fiche(PIECE, number=5, confidentiality="confidential")
    record = run()
    assert confided(one, two, record) == {record.id: "confidential"}


def test_a_policy_that_both_hold_says_nothing(confided):
    one = fiche(POLICY, number=1, confidentiality="confidential")
    assert confided(one, fiche(POLICY, number=5)) == {}


def test_an_overview_sees_the_level_that_counts(tmp_path):
    whole, record = fiche(PIECE, confidentiality="confidential"), run()
    index = Index.opened(str(tmp_path / "index.sqlite3"))
    index.catch_up(HeldStore([whole, record]))
    assert {one.confidentiality for one in index.each()} == {"confidential"}
