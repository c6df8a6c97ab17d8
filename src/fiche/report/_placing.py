"""Numbers beside signs: each where it has room, so that none lies on another or on what is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fiche.report.letters import LETTERS, width
from fiche.report.parts import Lettering

# Left, top, right, bottom.
Box = tuple[int, int, int, int]

_ABOVE, _BELOW = 11, 3
# Where a number may stand from its sign, and which end of it stands there: the first that is free.
_PLACES = (
    (0, -12, "middle"),
    (0, 24, "middle"),
    (12, 5, "start"),
    (-12, 5, "end"),
    (12, -12, "start"),
    (-12, -12, "end"),
    (12, 22, "start"),
    (-12, 22, "end"),
)


def placed_numbers(
    told: Iterable[tuple[int, int, str]], within: Box, taken: Sequence[Box]
) -> Iterator[Lettering]:
    """Words at signs; one that has no room anywhere is left to the caption, which has all of them."""
    lies = list(taken)
    for x, y, label in told:
        for right, down, anchor in _PLACES:
            box = _box(x + right, y + down, label, anchor)
            if _inside(box, within) and not any(_meets(box, other) for other in lies):
                lies.append(box)
                room = box[2] - box[0]
                yield Lettering(
                    x=x + right, y=y + down, text=label, room=room, anchor=anchor, tone="strong"
                )
                break


def _box(x: int, y: int, label: str, anchor: str) -> Box:
    wide = width(label, LETTERS, heavy=True)
    left = x - {"start": 0, "middle": wide // 2, "end": wide}[anchor]
    return left, y - _ABOVE, left + wide, y + _BELOW


def _inside(box: Box, within: Box) -> bool:
    return (
        within[0] <= box[0] and within[1] <= box[1] and box[2] <= within[2] and box[3] <= within[3]
    )


def _meets(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
