"""Step 6 of a report of another version: its lines set beside those that this version writes of the same files.

Wording may be another version's, so a line that reads otherwise is no fault. But it is named: somebody who
writes another version's name into a report has not hidden what he changed by that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from fiche.verify.container import Container
from fiche.verify.html_read import read_html
from fiche.verify.pdf_read import MAGIC, read_pdf
from fiche.verify.step import Sheet

_MOST = 3
_ROOM = 140
# What no two makings share: digests whole or in part, versions, lengths of files, page numbers.
_OWN = re.compile(r"\b[0-9a-f]{8,64}\b…?|fiche \d[\w.+-]*|\d[\d.,\s]*\s?B\b|^\d+ / \d+$|\s+")


def beside(sheet: Sheet, theirs: Container, ours: bytes, version: str) -> None:
    """Note every line that stands there and that this version would not have written."""
    read = read_pdf if ours.startswith(MAGIC) else read_html
    known = Counter(key for _, _, key in _lines(read(ours)))
    found = []
    lines = list(_lines(theirs))
    for place, line, key in lines:
        known[key] -= 1
        if known[key] < 0:
            found.append(f"{place}: '{line[:_ROOM]}{'…' if len(line) > _ROOM else ''}'")
    if not found:
        sheet.say(f"all of its {len(lines)} lines read as fiche {version} writes them")
        return
    count = "1 reads" if len(found) == 1 else f"{len(found)} read"
    sheet.unproven(
        f"of {len(lines)} lines, {count} otherwise than fiche {version} writes: another version worded that "
        "so, or somebody changed it since"
    )
    for text in found[:_MOST]:
        sheet.unproven(text)


def _lines(container: Container) -> Iterator[tuple[str, str, str]]:
    """Place, line, and the line without what no two makings share."""
    for passage in container.passages:
        for line in passage.lines:
            key = _OWN.sub("", line)
            if key:
                yield passage.place, line, key
