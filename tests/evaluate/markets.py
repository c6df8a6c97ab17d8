"""A market for tests: offers with every kind of term, some of which pieces of the sample name."""

import csv
import io
import random
from functools import cache
from pathlib import Path

from fiche.cli.compile import doors, importers
from fiche.cli.screened import cards_of, cells, plain_candidate
from fiche.kernel.market import Market
from fiche.kernel.record import replace
from fiche.load.catalog import Catalogs
from fiche.load.fault import Faults
from fiche.load.fiche import load_fiche
from fiche.load.offer_rows import checked_offer
from fiche.market._table import joined, read_table

ROOT = Path(__file__).parents[2]
CARDS = (
    "nvidia-rtx-4090-24g",
    "nvidia-rtx-4080-16g",
    "nvidia-rtx-6000-ada-48g",
    "nvidia-l4-24g",
    "nvidia-h100-sxm5-80g",
    "amd-mi300x-192g",
    "nvidia-rtx-8000-48g",
)
CHOICES = {
    "seller": ("north", "south", "east"),
    "kind": ("rent", "rent", "rent", "buy"),
    "gpu": CARDS,
    "cards_per_lot": ("", "1", "1", "2", "8"),
    "price.amount": (
        *(f"{cents // 100}.{cents % 100:02} USD" for cents in range(5, 4000, 7)),
        "0.90 EUR",
    ),
    "price.covers": ("", "lot", "card"),
    "price.per": ("", "1 h", "72 h", "168 h", "730 h"),
    "min_order": ("", "", "1", "8"),
    "lots_max": ("", "", "1", "5"),
    "extension": ("", "lots", "hours", "by agreement"),
    "tax.basis": ("", "excluded", "included"),
    "valid_until": ("", "2026-12-31", "2026-11-01"),
    "delivery.earliest": ("", "2026-12-01"),
    "host_memory": ("", "64 GiB", "128 GiB"),
    "stock.free": ("", "1", "8"),
    "region": ("FR", "DE", "US"),
    "machine": ("", "", "", "northlab-g07", "elsewhere"),
    "interruptible": ("", "true", "false"),
    "warranty": ("", "3 years"),
}
# What a bought card has no word for.
RENTED = ("price.per", "extension", "interruptible")
NAMED = ("northlab-4090", "arbor-6000-ada")


def rows(count, seed=1):
    """Offers by id; the first bear ids that pieces of the sample name."""
    chance = random.Random(seed)
    found = []
    for place in range(count):
        row = {"id": NAMED[place] if place < len(NAMED) else f"o{place}"}
        row |= {path: chance.choice(texts) for path, texts in CHOICES.items()}
        if row["kind"] == "buy":
            row |= dict.fromkeys(RENTED, "")
        if chance.random() < 0.1:
            row |= {"gpu": "A100", "could_be": "nvidia-a100-pcie-80g nvidia-a100-sxm4-80g"}
        if "24g" in row["gpu"] and chance.random() < 0.3:
            row |= {
                "declared_memory.value": "24564 MiB",
                "declared_memory.counter": "provider_declared",
            }
        if place < len(NAMED):
            row |= {"gpu": ("nvidia-rtx-4090-24g", "nvidia-rtx-6000-ada-48g")[place]}
        found.append(row)
    return found


def market_of(told):
    """The columns of some offers."""
    header = ["id", *CHOICES, "could_be", "declared_memory.value", "declared_memory.counter"]
    text = io.StringIO()
    writer = csv.DictWriter(text, header, restval="")
    writer.writeheader()
    writer.writerows(told)
    ids, columns = joined([read_table(text.getvalue().encode(), "m.csv")])
    return Market(ids=ids, columns=columns, cell=cells())


@cache
def sample():
    """The serving sample: pieces, ten requirements, a policy."""
    return load_fiche(ROOT / "samples" / "serving" / "fiche.yaml", importers()).fiche


@cache
def all_doors():
    return doors()


@cache
def catalog():
    return Catalogs(Faults())


def lookup():
    return cards_of(catalog())


def plain():
    return plain_candidate(sample(), 1)


def candidate_of(told, card=None):
    """A row as a candidate of a fiche, by the loader of offers."""
    offer = checked_offer("m.csv", 2, {path: text for path, text in told.items() if text})
    gpu = card or offer.gpu
    machine = offer.facts["machine"].value if "machine" in offer.facts else ""
    return replace(
        plain(), id=offer.id, gpu=gpu, card=catalog().card(gpu), offer=offer, machine=machine
    )
