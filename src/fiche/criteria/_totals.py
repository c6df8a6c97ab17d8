"""Totals of one device as printed or declared, and which of them cannot be true together (B1)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.record import record
from fiche.kernel.said import tell

# A total this far below the label was written in another unit: MiB for GiB, or MB for GB.
_WRONG_UNIT = 500


@record
class Print:
    """One total: who shows it (`piece` is empty for the row of an offer) and on whose word.

    `visible` is True for what a framework printed on this very machine; `others` is what other users
    of the device were seen to hold; `loop` where a successful run of the whole loop printed it.
    """

    source: str
    counter: str
    figure: Figure
    piece: str = ""
    visible: bool = False
    others: Figure | None = None
    loop: bool = False
    by: tuple[str, ...] = ()


def contradictions(prints: list[Print], label: list[Figure]) -> Iterator[str]:
    """Totals that exclude each other, and those that the label cannot mean."""
    yield from _exclusive(prints)
    for ceiling in label:
        for seen in prints:
            yield from _above(seen, ceiling)
            yield from _misread(seen, ceiling)


def _exclusive(prints: list[Print]) -> Iterator[str]:
    """Totals of one counter, or one visible to programs above a wider one."""
    for low in prints:
        for high in prints:
            comparable = low.visible or low.counter == high.counter
            most = high.figure.high
            if comparable and most is not None and low.figure.low > most:
                yield tell(
                    "{source} shows at least {figure} B, {source2} at most {most} B",
                    source=low.source,
                    figure=low.figure.low,
                    source2=high.source,
                    most=most,
                )


def _above(seen: Print, ceiling: Figure) -> Iterator[str]:
    """Another card, a modified one, or the total of several."""
    if ceiling.high is not None and seen.figure.low > ceiling.high:
        yield tell(
            "{source} shows at least {figure} B, above the {ceiling_high} B that "
            "the label can mean: another card, a modified one, or the total of several",
            source=seen.source,
            figure=seen.figure.low,
            ceiling_high=ceiling.high,
        )


def _misread(seen: Print, ceiling: Figure) -> Iterator[str]:
    """`80 MiB` of a card of 80 GB: said, and never converted."""
    most = seen.figure.high
    if most is not None and most * _WRONG_UNIT < ceiling.low:
        yield tell(
            "{source} shows at most {most} B, less than the {wrong_unit}th part of the "
            "{ceiling} B on the label: a wrong unit",
            source=seen.source,
            most=most,
            wrong_unit=_WRONG_UNIT,
            ceiling=ceiling.low,
        )


def smallest(figures: list[Figure]) -> Figure | None:
    """The figure with the least upper bound, if any has one."""
    known = [f for f in figures if f.high is not None]
    return min(known, key=lambda f: f.high or 0) if known else figures[0] if figures else None
