"""Cards, sightings and offers: what makers, sellers and other people's machines say (F7)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import record


@record
class Sighting:
    """A capacity that some machine printed for a card of this name: it informs, it never judges."""

    counter: str
    printed: str
    low: int
    high: int
    context: str
    source: str
    span: Span


@record
class Card:
    """A device as software enumerates it (card, gcd, tile, board part), with sourced facts.

    `figures`: nominal (bytes, decimal reading of the label), nominal_binary (label x 2^30: a ceiling,
    no floor), bandwidth, power, nvlink, year. `facts`: name, vendor, memory_type, architecture,
    compute_capability, gfx, ecc, bf16, fp8, interconnect, power.term, form_factor.
    What no source states is absent. `gathered` is the day of the catalog's facts, as its file says it.
    """

    id: str
    vendor: str
    name: str
    enumerated_as: str
    figures: Mapping[str, Figure]
    facts: Mapping[str, Fact]
    names_printed: tuple[str, ...]
    traps: tuple[str, ...]
    sightings: tuple[Sighting, ...]
    span: Span
    gathered: str = ""


@record
class Offer:
    """What a seller asks, as typed from a document. Unknown terms are absent, never zero.

    `figures`: price (money for `hours` when renting), hours (the price's period), cards_per_lot,
    lots_max, min_order (lots), min_time (hours), commitment (hours), month (hours), tax_rate, setup, storage,
    egress, and the bytes planned of these (storage.quantity), stock.installed, stock.free (cards).
    `facts`: covers (lot | card), price.unit (month), tax (included | excluded), valid_from, valid_until,
    observed_on, commitment (in words), storage.per, storage.begun (whole | pro_rata), delivery.earliest,
    delivery.document, quote (piece id), extension (lots | hours), machine, warranty, support, interconnect,
    host_memory, source.
    """

    id: str
    seller: str
    kind: str
    gpu: str
    figures: Mapping[str, Figure]
    facts: Mapping[str, Fact]
    span: Span
    notes: str = ""


@record
class Catalog:
    """Cards by id, offers by id."""

    cards: Mapping[str, Card]
    offers: Mapping[str, Offer]
