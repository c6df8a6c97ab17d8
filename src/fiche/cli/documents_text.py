"""A document in a terminal: its form and its pages, and the lines with figures that a person may quote."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Reading
from fiche.load.pieces import DOCUMENT_KINDS

# Of a long document the first lines are shown and the rest is counted (law 8).
_MOST = 60


def document_text(reading: Reading) -> Iterator[str]:
    """Nothing for a reading that is no document's, or whose words could not be laid out."""
    if reading.kind not in DOCUMENT_KINDS or "figure_lines" not in reading.further:
        return
    pages, lines = reading.further.get("pages"), reading.further.get("figure_lines")
    if pages is not None:
        bare = reading.further.get("pages_without_text")
        without = f", {bare} of them without text" if bare else ""
        yield paragraph(f"{pages} page{'' if pages == 1 else 's'}{without}", indent="  ")
    found = lines if isinstance(lines, list) else []
    if not found:
        yield paragraph("no line with a figure and its unit, an amount or a date", indent="  ")
        return
    yield "\n"
    yield paragraph(
        "Lines with figures, to be quoted under `attests:` by a person. They are found, not understood: "
        "no fact is made of them.",
        indent="  ",
    )
    yield "\n"
    rows = [(str(one["place"]), str(one["text"])) for one in found[:_MOST]]
    yield table(rows, header=("place", "line"), indent="  ")
    left = len(found) - len(rows)
    more = reading.further.get("figure_lines_left_out")
    left += more if isinstance(more, int) else 0
    if left:
        yield paragraph(f"{left} further lines", indent="  ")
