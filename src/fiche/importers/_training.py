"""What the logs of training programs share: what their readers should be told, and a look back.

Sources: evidence_formats 0 (labels, windows, ranks) and 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from fiche.importers._lines import Line, lines
from fiche.kernel.said import tell

RANK_0 = tell("rank_0_only: one rank alone prints its figures; other ranks may hold more")
DEVICE = tell("device_not_named: the file does not say which device the figures are of")
WINDOW = tell(
    "peaks_since_previous_line: the program resets its peaks at each line; the run's "
    "peak is the largest of all lines, and what follows the last line is in none"
)
COMPUTED = tell(
    "computed_not_observed: the program computed these figures from counts; nothing was measured"
)

_TRIED = 400


def binary(label: str, power: int) -> str:
    """The warning that a decimal label stands for a power of two."""
    return tell(
        "unit_label_is_binary: the program's {label} is 2**{power} bytes", label=label, power=power
    )


def surely(content: bytes, anchors: Sequence[bytes], *grammars: re.Pattern[str]) -> bool:
    """True where one of the first lines that hold an anchor fits a grammar; never raises."""
    return any(
        line.search(grammar) is not None
        for line in islice(lines(content, anchors), _TRIED)
        for grammar in grammars
    )


def fits(line: Line, word: str, grammar: re.Pattern[str]) -> re.Match[str] | None:
    """Where a grammar fits a line that holds one of its words: cheap for all the other lines."""
    return line.search(grammar) if word in line.text else None


def line_before(line: Line) -> Line | None:
    """The line above another one; None at the top of the text."""
    stop = line.content.rfind(b"\n", 0, line.start)
    if stop < 0:
        return None
    end = stop - 1 if line.content[stop - 1 : stop] == b"\r" else stop
    start = line.content.rfind(b"\n", max(0, end - 4_096), end) + 1
    start = max(start, end - 4_096, 0)
    return Line(line.content, start, max(start, end), start, line.number - 1)
