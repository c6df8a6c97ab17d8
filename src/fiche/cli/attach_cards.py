"""Which card of the catalog a device is, by the name that it prints: one card, several, or none known."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fiche.kernel.catalog import Card

_WORD = re.compile(r"[a-z0-9]+")
# What makers put before a name or behind it, and a program may leave out; a label's size is told apart.
_MAKERS = frozenset(
    (
        *("nvidia", "geforce", "quadro", "tesla", "amd", "radeon", "instinct", "intel", "r", "tm"),
        *("graphics", "gpu", "generation"),
    )
)
_LENGTH = re.compile(r"[0-9]+gb|[0-9]{2}|gb")
_MEMORY = re.compile(r"hbm[0-9]?e?|gddr[0-9]x?")
# One name for what makers write in several ways: `80G`, `80GiB`; `SXM4`, `SXM`.
_SAME = ((re.compile(r"([0-9]+)g(?:i?b)?"), r"\1gb"), (re.compile(r"sxm[0-9]?"), "sxm"))


def cards_printing(name: str, cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards whose printed name this is; several where the name does not tell them apart."""
    said = _words(name)
    fits: dict[int, list[Card]] = {}
    for card in cards:
        extra = min(
            (len(_short(words - said)) for words in _names(card) if said and said <= words),
            default=None,
        )
        if extra is not None:
            fits.setdefault(extra, []).append(card)
    return tuple(fits[min(fits)]) if fits else ()


def _names(card: Card) -> list[frozenset[str]]:
    """The words of each name of a card, as printed and as the catalog writes it, with its id's."""
    own = _words(f"{card.name} {card.id}")
    return [own, *(own | _words(name) for name in card.names_printed)]


def _short(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not _LENGTH.fullmatch(word))


def _words(name: str) -> frozenset[str]:
    """The words of a name that tell cards apart."""
    found = (word for word in _WORD.findall(name.casefold()) if not _MEMORY.fullmatch(word))
    return frozenset(map(_one_name, found)) - _MAKERS


def _one_name(word: str) -> str:
    return next((shape.sub(to, word) for shape, to in _SAME if shape.fullmatch(word)), word)
