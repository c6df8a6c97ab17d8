"""Named stretches of a picture: a name where it has room, else a number, and what the numbers stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fiche.report.letters import LETTERS, width
from fiche.report.parts import Band

# A band's edges, and how long a line of keys is.
_EDGES = 8
_LINE = 880


def bands_of(
    stretches: Sequence[tuple[str, int, int]], across: Callable[[int], int]
) -> tuple[Band, ...]:
    """Bands from left to right; the same name has the same number wherever it comes again."""
    numbers: dict[str, int] = {}
    short = {name for name, start, end in stretches if not _fits(name, across(end) - across(start))}
    found = []
    for name, start, end in stretches:
        left, right = across(start), across(end)
        label = name
        if name in short:
            label = str(numbers.setdefault(name, len(numbers) + 1))
        room = _fits(label, right - left)
        key = label if name in short else ""
        found.append(Band(left=left, right=right, label=label if room else "", name=name, key=key))
    return tuple(found)


def innermost(stretches: Sequence[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    """Those that hold no other, in the order of their starts: one around others is told by them."""
    found = []
    for place, one in enumerate(stretches):
        after = stretches[place + 1] if place + 1 < len(stretches) else None
        if after is None or after[1] >= one[2]:
            found.append(one)
    return tuple(found)


def _fits(text: str, room: int) -> bool:
    return width(text, LETTERS) + _EDGES <= room


def keys_of(bands: Sequence[Band]) -> tuple[str, ...]:
    """Lines that say what the numbers stand for."""
    told = dict.fromkeys(f"{band.key} {band.name}" for band in bands if band.key)
    return tuple(_lines(list(told)))


def _lines(words: Sequence[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and width(f"{line} · {word}", LETTERS) > _LINE:
            yield line
            line = word
        else:
            line = f"{line} · {word}" if line else word
    if line:
        yield line
