"""Offers written in our own form are read back the same, by the loader and as columns (F7)."""

import pytest

from fiche.kernel.address import Span
from fiche.load.catalog import Catalogs, enter
from fiche.load.fault import Faults
from fiche.load.node import Scalar
from fiche.market._written import written

OFFER = {
    "id": "vast-5",
    "seller": 'a "seller", with: signs',
    "kind": "rent",
    "gpu": "A100",
    "could_be": "nvidia-a100-pcie-80g nvidia-a100-sxm4-80g",
    "cards_per_lot": "4",
    "price.amount": "10.59 USD",
    "price.covers": "lot",
    "price.per": "1 h",
    "interruptible": "false",
    "observed_on": "2026-09-10",
    "stock.free": "5",
    "declared_memory.value": "46068 MiB",
    "declared_memory.counter": "provider_declared",
    "source": "vms.csv line 5, column Price",
}


@pytest.mark.parametrize("name", ["o.csv", "o.jsonl", "o.yaml"])
def test_the_loader_reads_what_is_written(name):
    faults = Faults()
    found = Catalogs(faults)
    place = Scalar(Span(file=name, line=1, column=1, text=name), plain=True)
    enter(place, written([OFFER, {**OFFER, "id": "b"}], name), found)
    faults.stop()
    offer = found.offers["vast-5"]
    assert (offer.seller, offer.gpu) == (OFFER["seller"], "A100")
    assert offer.figures["price"].low * 100 == 1059
    assert offer.figures["cards_per_lot"].low == 4
    assert offer.facts["interruptible"].value == "false"
    assert offer.facts["covers"].value == "lot"
    assert len(found.offers) == 2


def test_nothing_is_a_file_too():
    assert written([], "o.csv") == b"id,seller,kind,gpu,price.amount\n"
    assert written([], "o.yaml") == b"offers: 1\nlist: []\n"
