"""Listings for tests: a file's text read by one format, against the cards that are built in."""

from functools import cache

from fiche.kernel.listing import Asked
from fiche.load.catalog import builtin_catalog
from fiche.market._room import imported, listing_of


@cache
def cards():
    return tuple(builtin_catalog().cards.values())


def read(text, kind="", file="listing.csv", **said):
    """What a file comes to."""
    content = text.encode()
    told = {"file": file, "folder": "", "sha256": "0" * 64, "cards": cards(), **said}
    return imported(content, listing_of(content, file, kind), Asked(**told))


def one(text, **said):
    """The only offer of a file."""
    found = read(text, **said)
    assert not found.refused, found.refused
    (offer,) = found.offers
    return offer


def adds_up(found):
    """Each row read is offered, left out or refused (law 8)."""
    return found.rows == found.offering + sum(found.left.values()) + len(found.refused)
