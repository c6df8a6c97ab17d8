"""Images that are cut into tiles by their shape: the least and the most tokens of one, and by which rule.

How many tiles an image gets follows from its width and height. The numbers of tiles are those of the
processors of transformers 5.24 where the configuration names none: a checkpoint's own processor may say other.
Marks between tiles are text, and counted with the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence

from fiche.families._rows import fixed
from fiche.kernel.config import Config, Json
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import ImageTokens


def tiled(each: Node, tiles: Node | int, rule: str, *, overview: bool = True) -> ImageTokens:
    """From one tile to so many of `each` tokens, and where there are several, perhaps one of the whole."""
    most = tiles + (1 if overview else 0)
    return ImageTokens(
        kind="tiled",
        least=each,
        most=most * each,
        rule=f"one to {_shown(tiles)} tiles{', and one of the whole' if overview else ''}: {rule}",
    )


def _shown(tiles: Node | int) -> str:
    return str(tiles if isinstance(tiles, int) else tiles.low)


def told_or(config: Config, name: str, otherwise: int) -> Node:
    """A number of the configuration, else that of the library's processor."""
    return fixed(otherwise) if config.whole(name) is None else config.number(name)


Pair = tuple[int, int]


def pairs_of(listed: Json) -> tuple[Pair, ...]:
    """Heights and widths as a configuration lists them; what is no pair of numbers is left out."""
    found = []
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, list) and len(each) == 2:
            high, wide = each
            if type(high) is int and type(wide) is int and high > 0 and wide > 0:
                found.append((high, wide))
    return tuple(found)


def anyres(
    along: Node, side: Node, resolutions: Sequence[Pair], most_tiles: int | None = None
) -> ImageTokens | None:
    """LLaVA-NeXT: an overview of `along` x `along` tokens, then the best of some resolutions of tiles.

    Patches that only pad are dropped, and each row of the rest ends with a token. With `most_tiles`
    (LLaVA-OneVision) features of more than 1.21 times so many tiles are shrunk to them.
    """
    whole = along * along
    biggest: Node | None = None
    for high, wide in resolutions:
        rows = along * floor(high / side)
        area = rows * along * floor(wide / side)
        if most_tiles is not None and _shrinks(high, wide, side, most_tiles):
            area = most_tiles * whole
        found = area + rows
        biggest = found if biggest is None else larger(biggest, found)
    if biggest is None:
        return None
    rule = "an overview, then tiles of the best resolution without what pads them, by the image's shape"
    return ImageTokens(kind="tiled", least=whole, most=whole + biggest, rule=rule)


def _shrinks(high: int, wide: int, side: Node, most_tiles: int) -> bool:
    along = side.low
    return bool(along) and (high // along) * (wide // along) * 100 > most_tiles * 121
