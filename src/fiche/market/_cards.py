"""Which cards of the catalog a seller's words may stand for: several stay several, and none is picked.

Listings collapse names: `A100` is a PCIe or an SXM4 board, of 40 or of 80 GB. What a name does not say is
narrowed by the memory beside it, and by nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from fiche.kernel.catalog import Card
from fiche.kernel.record import record

_NOISE = frozenset(
    (
        *("nvidia", "amd", "intel", "geforce", "tesla", "quadro", "instinct", "radeon"),
        *("data", "center", "gpu", "generation", "edition", "tensor", "core"),
        *("hbm2", "hbm2e", "hbm3", "hbm3e", "ac"),
    )
)
_FORMS = {"sxm": "sxm", "pcie": "pcie", "nvl": "nvl", "oam": "oam", "gcd": "", "tile": ""}
_KINDS = {"workstation": "ws", "wk": "ws", "ws": "ws", "server": "server", "maxq": "maxq"}
_LABEL = re.compile(r"(\d+)(?:gb|gib|g)")
_FORM = re.compile(r"(sxm|pcie|nvl|oam)\d?")
_ENDING = re.compile(r"([a-z]*\d+[a-z]??)(sxm\d?|pcie|nvl)")


@record
class Words:
    """A name taken apart: its model, its form where it says one, and the memory on its label in GB."""

    model: str
    forms: frozenset[str]
    label: int | None


@lru_cache(maxsize=4096)
def words_of(name: str) -> Words:
    """Take a name apart; spelling and order of its separators say nothing."""
    text = name.lower().replace("max-q", "maxq")
    model, forms, label = "", set(), None
    for word in re.split(r"[^a-z0-9]+", text):
        found = _ENDING.fullmatch(word)
        for part in found.groups() if found else (word,):
            if match := _LABEL.fullmatch(part):
                label = int(match[1])
            elif form := _FORM.fullmatch(part):
                forms.add(form[1])
            elif part in _KINDS:
                forms.add(_KINDS[part])
            elif part not in _NOISE and part not in _FORMS:
                model += part
    return Words(model=model, forms=frozenset(forms), label=label)


@lru_cache(maxsize=4096)
def _own(card: str) -> Words:
    return words_of(card.partition("-")[2])


def named(name: str, cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards that a name may stand for, without looking at any memory but the one in the name."""
    words = words_of(name)
    model = _spelt(words.model)
    found = [card for card in cards if model == _spelt(_own(card.id).model)]
    found = [card for card in found if words.forms <= _forms(card)]
    if words.label is not None:
        found = [card for card in found if _own(card.id).label == words.label]
    return tuple(found)


def _forms(card: Card) -> frozenset[str]:
    """The forms that its id says, and that its sheet does: every MI300X is an OAM module."""
    told = card.facts.get("form_factor")
    return _own(card.id).forms | (words_of(told.value).forms if told is not None else frozenset())


def _spelt(model: str) -> str:
    """Workstation cards are sold with and without `RTX` before their letter, and Blackwell goes unsaid."""
    model = model.replace("blackwell", "")
    return model.removeprefix("rtx") if model.startswith("rtxa") else model


def nominal(card: Card) -> Fraction:
    """Bytes of the label in its decimal reading; 0 where the catalog has no label."""
    figure = card.figures.get("nominal")
    return Fraction(figure.low) if figure is not None else Fraction(0)


def binary(card: Card) -> Fraction:
    """Bytes of the label in powers of two: no device was seen to show more."""
    figure = card.figures.get("nominal_binary")
    return Fraction(figure.low) if figure is not None else Fraction(0)
