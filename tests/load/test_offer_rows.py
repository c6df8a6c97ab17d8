"""Offers of a fiche that stand in rows: only those that it names are read, each with its line (F7, law 3)."""

import json

import pytest
from loading import HEAD, loaded

from fiche.kernel.diagnostic import Refused

CSV = (
    "id,seller,kind,gpu,cards_per_lot,price.amount,price.covers,price.per,region\n"
    'a,"s, a",rent,nvidia-l4-24g,1,0.80 USD,lot,1 h,FR\n'
    "b,t,rent,nvidia-rtx-4090-24g,1,0.4 dollars,lot,1 h,US\n"
)
LINES = "".join(
    json.dumps(row) + "\n"
    for row in (
        {"id": "z", "seller": "s", "kind": "lend", "gpu": "x"},
        {
            "id": "a",
            "seller": "s",
            "kind": "rent",
            "gpu": "nvidia-l4-24g",
            "cards_per_lot": 1,
            "price": {"amount": "0.80 USD", "per": "1 h"},
            "could_be": ["x"],
        },
    )
)


def fiche(name, offer="a"):
    candidate = f"candidates:\n  - {{id: c, gpu: nvidia-l4-24g, cards: 1, offer: {offer}}}\n"
    return f"{HEAD}catalogs: [{name}]\nworkload: {{}}\n{candidate}"


def codes(name, text, offer="a"):
    with pytest.raises(Refused) as found:
        loaded(fiche(name, offer), {name: text})
    return [(each.code, each.address.file, each.address.line) for each in found.value.diagnostics]


@pytest.mark.parametrize(("name", "text", "line"), [("m.csv", CSV, 2), ("m.jsonl", LINES, 2)])
def test_only_the_named_row_is_read(name, text, line):
    found = loaded(fiche(name), {name: text})
    offer = found.fiche.candidates[0].offer
    assert (offer.id, offer.figures["price"].low * 10, offer.span.line) == ("a", 8, line)
    assert offer.figures["price"].origin.address.file == name
    told = {one.file: one for one in found.fiche.inputs}[name]
    assert (told.role, told.media_type) == (
        "offers",
        "text/csv" if name == "m.csv" else "application/jsonl",
    )


def test_a_named_row_that_is_wrong_has_its_line():
    assert codes("m.csv", CSV.replace("0.80 USD", "0.80 dollars"))[0] == ("F209", "m.csv", 2)
    assert codes("m.jsonl", LINES.replace('"rent"', '"lend"'))[0][:2] == ("F304", "m.jsonl")


def test_an_offer_that_no_row_has():
    assert codes("m.csv", CSV, offer="zz")[0][0] == "F307"


def test_rows_that_are_none():
    assert codes("m.csv", "seller\n")[0] == ("F628", "m.csv", 1)
    assert codes("m.csv", CSV.replace(",FR", ""))[0] == ("F621", "m.csv", 2)
    assert codes("m.jsonl", '["a"]\n')[0] == ("F621", "m.jsonl", 1)
