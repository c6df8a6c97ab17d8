"""The room of listings: which format a file has, and what a whole file comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.doors import Listing
from fiche.kernel.listing import Asked, Entry, Refusal
from fiche.kernel.record import record
from fiche.market._entries import entries
from fiche.registry import member, member_names, members

_ROOM = "fiche.market"
# What differs between two printings of one offer.
_PLACE = ("id", "source")
_ZONE = ("region", "notes")


@record(eq=False)
class Imported:
    """What a file came to. `rows` = those that gave offers + left out (by reason) + refused.

    `doubts` counts what was not taken as it stands, by kind, with the first of each; `zones` are offers that
    differ from another in their region alone.
    """

    file: str
    listing: Listing
    offers: tuple[Mapping[str, str], ...]
    rows: int
    offering: int
    left: Mapping[str, int]
    refused: tuple[Refusal, ...]
    doubts: Mapping[str, int]
    examples: Mapping[str, str]
    zones: int


def formats() -> tuple[str, ...]:
    """The formats that are known, in name order."""
    return member_names(_ROOM)


def listing_of(content: bytes, name: str, kind: str) -> Listing:
    """The format of a file: the one that is asked for, or the one that its content calls for.

    Raises:
        Refused: F620 no format knows it.
    """
    if kind:
        return member(_ROOM, kind, Listing)
    scored = [(one.accepts(content, name), one) for one in members(_ROOM, Listing)]
    score, best = max(scored, key=lambda each: each[0])
    if not score:
        hint = f"name it: --format {'|'.join(formats())}"
        message = f"{name} is a listing of no known format"
        raise Refused([Diagnostic(code="F620", message=message, address=None, hint=hint)])
    return best


def imported(content: bytes, listing: Listing, asked: Asked) -> Imported:
    """All of a file.

    Raises:
        Refused: the file is not of the format; F623 nobody says a currency.
    """
    if not (asked.currency or listing.currency or asked.columns):
        hint = "give --currency USD --source 'the page that says so'"
        message = f"no document of the format {listing.name} says what currency its prices are in"
        raise Refused([Diagnostic(code="F623", message=message, address=None, hint=hint)])
    return _summed(list(entries(content, listing, asked)), listing, asked)


def _summed(found: list[Entry], listing: Listing, asked: Asked) -> Imported:
    first: dict[frozenset[tuple[str, str]], str] = {}
    left: Counter[str] = Counter()
    offers: list[Mapping[str, str]] = []
    offering = 0
    for entry in found:
        new = [
            one
            for one in entry.offers
            if first.setdefault(_same(one, _PLACE), entry.place) == entry.place
        ]
        offers += new
        offering += bool(new)
        if entry.offers and not new:
            left["it stands there twice"] += 1
        elif entry.left:
            left[entry.left] += 1
    doubts = [doubt for entry in found for doubt in entry.doubts]
    examples = {
        doubt.kind: f"{entry.place}: {doubt.column} {doubt.value} {doubt.why}"
        for entry in reversed(found)
        for doubt in reversed(entry.doubts)
    }
    alike = {_same(one, (*_PLACE, *_ZONE)) for one in offers}
    return Imported(
        file=asked.file,
        listing=listing,
        offers=tuple(offers),
        rows=len(found),
        offering=offering,
        left=dict(left),
        refused=tuple(entry.refusal for entry in found if entry.refusal is not None),
        doubts=dict(Counter(doubt.kind for doubt in doubts)),
        examples=examples,
        zones=len(offers) - len(alike),
    )


def _same(offer: Mapping[str, str], but: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(item for item in offer.items() if item[0] not in but)
