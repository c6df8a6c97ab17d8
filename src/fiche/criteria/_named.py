"""Is the device that a file prints the card that it says it is? A name's figures tell cards apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fiche.kernel.catalog import Card
from fiche.kernel.fact import Fact
from fiche.kernel.lazy import lazy
from fiche.kernel.said import tell

_WORD = lazy(r"[a-z0-9]{2,}")
_FIGURE = lazy(r"[0-9]")


def tokens_of(card: Card | None) -> frozenset[str]:
    """What tells the card's name from another's: `4090`, `a6000`, `mi250x`, its gfx target."""
    if card is None:
        return frozenset()
    gfx = card.facts.get("gfx")
    return _tokens([card.name, *card.names_printed, *([gfx.value] if gfx is not None else [])])


def misnamed(tokens: frozenset[str], gpu: str, told: Mapping[str, Fact]) -> Iterator[str]:
    """A file that calls its device this card, and prints the name of another one."""
    said, name = told.get("gpu"), told.get("device")
    if said is None or name is None or not name.printed or said.value.casefold() != gpu.casefold():
        return
    printed = _tokens([name.value])
    if tokens and printed and not tokens & printed:
        yield tell(
            "gpu: said to be {gpu}, and the device calls itself {name}", gpu=gpu, name=name.value
        )


def other_card(card: Card | None, name: str) -> bool:
    """True where a device surely prints another card's name."""
    known, printed = tokens_of(card), _tokens([name])
    return bool(known and printed and not known & printed)


def _tokens(names: Iterable[str]) -> frozenset[str]:
    words = (word for name in names for word in _WORD.findall(name.casefold()))
    return frozenset(word for word in words if _FIGURE.search(word))
