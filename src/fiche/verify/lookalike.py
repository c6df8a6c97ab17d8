"""The sign in which two texts part, by its name where eyes cannot tell it from the other one."""

from __future__ import annotations

import unicodedata


def named(one: str, other: str, at: int) -> str:
    """` (U+043E CYRILLIC SMALL LETTER O for U+006F LATIN SMALL LETTER O)`; empty where both are plain signs."""
    theirs, ours = one[at : at + 1], other[at : at + 1]
    if all(not sign or "!" <= sign <= "~" for sign in (theirs, ours)):
        return ""
    return f" ({_sign(theirs)} for {_sign(ours)})"


def _sign(sign: str) -> str:
    if not sign:
        return "nothing"
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip()
