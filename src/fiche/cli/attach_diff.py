"""What changed in a text, as a unified diff of one hunk: lines were put in at one place."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from fiche.cli.terminal import clean

_CONTEXT = 3
_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_NO_END = "\\ No newline at end of file"


def diff_lines(old: str, new: str, name: str) -> list[str]:
    """The lines of the diff, without line ends; none where nothing changed."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    if head == len(before) == len(after):
        return []
    start = max(0, head - _CONTEXT)
    ends = (len(before) - tail, len(after) - tail)
    lead, trail = before[start:head], before[ends[0] : ends[0] + _CONTEXT]
    counts = [end - start + len(trail) for end in ends]
    hunk = [
        *(f" {line}" for line in lead),
        *_changed(before[head : ends[0]], after[head : ends[1]]),
        *(f" {line}" for line in trail),
    ]
    at = [f"{start + 1 if count else start},{count}" for count in counts]
    return [f"--- {name}", f"+++ {name}", f"@@ -{at[0]} +{at[1]} @@", *_ended(hunk)]


def painted(lines: list[str], *, colour: bool) -> str:
    """The diff as text for a terminal, clean of what acts on it."""
    return "".join(f"{_paint(clean(line), colour)}\n" for line in lines)


def _paint(line: str, colour: bool) -> str:
    start = _COLOURS.get(line[:1], "") if colour else ""
    return f"{start}{line}{_PLAIN}" if start else line


def _alike(one: list[str], other: list[str]) -> int:
    """How many lines at the start are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _changed(old: list[str], new: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (f" {line}" for line in old[a:b])
        else:
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _ended(hunk: list[str]) -> Iterator[str]:
    for line in hunk:
        yield line.rstrip("\r\n")
        if not line.endswith("\n"):
            yield _NO_END
