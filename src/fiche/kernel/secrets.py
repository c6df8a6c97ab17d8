"""What looks like a secret in the bytes of a text, by line and kind.

A match is a suspicion, never a proof, and the secret itself is never part of what is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.kernel.record import record
from fiche.kernel.secret_shapes import PRIVATE_KEY, SHAPES

MOST_NAMED = 5


@record
class Suspect:
    """A place that looks like a secret: its line (counted by LF from 1), its kind, in words."""

    line: int
    word: str


# How much of a line is looked at around an anchor, where a line is longer; a private key has many lines.
_BEFORE, _AFTER = 1000, 20_000


def near(
    text: bytes,
    lowered: bytes,
    pattern: re.Pattern[bytes],
    anchors: tuple[bytes, ...],
    hint: re.Pattern[bytes] | None = None,
) -> Iterator[re.Match[bytes]]:
    """The matches of a pattern on the lines that hold one of its anchors, in order; none overlap.

    `lowered` is the text in lower case, as anchors are; searching for these bytes costs next to nothing. A
    `hint` is searched in their place where no bytes are common to all matches.
    """
    ends_line = anchors != PRIVATE_KEY
    places = (
        [place for anchor in anchors for place in _places(lowered, anchor)] if hint is None else []
    )
    if hint is not None:
        places = [found.start() for found in hint.finditer(lowered)]
    last = 0
    for start, end in _spans(lowered, sorted(places), ends_line=ends_line):
        for found in pattern.finditer(text, max(start, last), end):
            last = found.end()
            yield found


def _places(lowered: bytes, anchor: bytes) -> Iterator[int]:
    at = lowered.find(anchor)
    while at >= 0:
        yield at
        at = lowered.find(anchor, at + 1)


def _spans(lowered: bytes, places: list[int], *, ends_line: bool) -> Iterator[tuple[int, int]]:
    """The lines around places, or as much of a long one as matters, joined where they meet."""
    reach: tuple[int, int] | None = None
    for at in places:
        if reach is not None and at < reach[1] - _AFTER // 2:
            continue  # well inside what is looked at already
        start = lowered.rfind(b"\n", max(0, at - _BEFORE), at) + 1 or max(0, at - _BEFORE)
        end = lowered.find(b"\n", at, at + _AFTER) if ends_line else -1
        end = min(len(lowered), at + _AFTER) if end < 0 else end
        if reach is not None and start <= reach[1]:
            reach = (reach[0], max(reach[1], end))
            continue
        if reach is not None:
            yield reach
        reach = (start, end)
    if reach is not None:
        yield reach


def suspects(text: bytes) -> Iterator[Suspect]:
    """Every place that looks like a secret, shape by shape."""
    lowered = text.lower()
    for shape in SHAPES:
        last, line = 0, 1
        if any(anchor in lowered for anchor in shape.anchors):
            for found in near(text, lowered, shape.pattern, shape.anchors):
                if not (found["secret"] if "secret" in found.groupdict() else found[0]).strip():
                    continue
                line += text.count(b"\n", last, found.start())
                last = found.start()
                yield Suspect(line=line, word=shape.word)


HIDDEN = b"<secret>"


def replaced(text: bytes) -> tuple[bytes, int]:
    """The text with `<secret>` where something looks like one, and how often that is.

    Only what looks like a secret goes: names of people and machines stay.
    """
    count = 0
    for shape in SHAPES:
        lowered, done, last = text.lower(), [], 0
        for found in near(text, lowered, shape.pattern, shape.anchors):
            group = "secret" if "secret" in found.groupdict() else 0
            if found[group].strip() and found[group] != HIDDEN:
                done += [text[last : found.start(group)], HIDDEN]
                last = found.end(group)
                count += 1
        text = b"".join([*done, text[last:]])
    return text, count


def warnings(text: bytes) -> tuple[str, ...]:
    """One sentence where a text holds what looks like secrets; lines and kinds, never the secret."""
    first: dict[int, str] = {}
    for one in suspects(text):
        first.setdefault(one.line, one.word)
    if not first:
        return ()
    told = [f"line {line}: {first[line]}" for line in sorted(first)[:MOST_NAMED]]
    more = f", and {len(first) - MOST_NAMED} more lines" if len(first) > MOST_NAMED else ""
    return (
        f"secret_in_file: this looks like a secret: {', '.join(told)}{more}; whoever gets the piece gets "
        "it too: attach the file with --redact, and have what was shown revoked",
    )
