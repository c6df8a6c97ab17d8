"""Cells of a table of offers against the schema, each distinct text once (F7, law 3)."""

import pytest

from fiche.load.offer_cells import complaint, takes_anything, wrong_in

WHOLE = {"id": "a", "seller": "s", "kind": "rent", "gpu": "card", "price.amount": "1 EUR"}


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("cards_per_lot", "0", "F305"),
        ("cards_per_lot", "1.5", "F303"),
        ("lots_max", "0", "F305"),
        ("kind", "lease", "F304"),
        ("price.amount", "1e400 EUR", "F206"),
        ("price.amount", "１２ EUR", "F204"),
        ("price.amount", "1 BTC", "F209"),
        ("price.covers", "moon", "F304"),
        ("price.per", "0 h", "F212"),
        ("price.per", "1 month", "F210"),
        ("tax.basis", "moon", "F304"),
        ("tax.rate", "20", "F211"),
        ("observed_on", "2026-02-30", "F207"),
        ("interruptible", "maybe", "F303"),
        ("setup.per", "moon", "F304"),
        ("documents", "x", "F303"),
        ("price", "5 EUR", "F303"),
        ("foo.bar", "x", "F301"),
        ("a." * 500 + "a", "x", "F301"),
    ],
)
def test_a_text_that_may_not_stand_there_is_told(path, text, code):
    assert complaint(path, text).code == code


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("price.amount", "0.40 USD"),
        ("tax.rate", "20 %"),
        ("declared_memory.value", "46068 MiB"),
        ("setup.per", "order"),
        ("storage.per", "GB month"),
        ("storage.begun", "whole"),
        ("egress.quantity", "60 GB"),
        ("commitment.time", "168 h"),
        ("commitment", "three months"),
        ("could_be", "nvidia-a100-pcie-80g nvidia-a100-sxm4-80g"),
        ("stock.free", "0"),
    ],
)
def test_a_text_that_may_stand_there_is_let_be(path, text):
    assert complaint(path, text) is None


def test_words_that_nothing_reads_are_not_looked_at_one_by_one():
    assert takes_anything("region")
    assert takes_anything("machine")
    assert not takes_anything("price.amount")
    assert not takes_anything("kind")


@pytest.mark.parametrize(
    ("beside", "path"),
    [
        ({"declared_memory.value": "80 GB"}, "declared_memory.value"),
        ({"tax.rate": "20 %"}, "tax.rate"),
        ({"setup.amount": "1 EUR"}, "setup.amount"),
        ({"egress.quantity": "1 GB"}, "egress.quantity"),
    ],
)
def test_half_of_an_entry_is_told(beside, path):
    found, told = wrong_in({**WHOLE, **beside})
    assert (found, told.code) == (path, "F302")


def test_a_whole_offer_has_nothing_wrong():
    assert wrong_in(WHOLE) is None
