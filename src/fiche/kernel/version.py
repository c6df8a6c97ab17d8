"""Versions that compare, and keep the text they were written with (`2.10` is not 2.1)."""

from __future__ import annotations

import re
from functools import total_ordering

from fiche.kernel.lazy import lazy
from fiche.kernel.number import MAX_LENGTH, Misread, quoted
from fiche.kernel.record import record

_RANKS = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1}
_RANKS |= {"post": 1, "rev": 1, "r": 1}
_SHAPE = lazy(
    r"(?P<prefix>[a-z]?)(?P<release>[0-9]{1,12}(\.[0-9]{1,12}){0,7})"
    r"(?P<suffix>([._-]?[a-z]+[._-]?[0-9]{0,12}){0,4})(?P<local>\+[a-z0-9._-]+)?",
    re.IGNORECASE | re.ASCII,
)
_SUFFIX = lazy(r"[._-]?([a-z]+)[._-]?([0-9]*)", re.IGNORECASE)

Key = tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]]


@total_ordering
@record(eq=False, kw_only=False)
class Version:
    """A version as written. Compared as PEP 440 does: `1.0rc1 < 1.0 == 1.0.0 < 1.0.post1`.

    What stands behind `+` (`2.11.0+cu128`) names a build and is left out of comparisons. A letter
    scheme (`b6123`, a build number) compares in a meaningful way with its own kind only.
    """

    text: str
    key: Key

    @property
    def scheme(self) -> str:
        """The letter before the first digit (`v` dropped), empty for most projects."""
        return self.key[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.key == other.key

    def __lt__(self, other: Version) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.text


def parse_version(text: str) -> Version | Misread:
    """Read `0.28.0`, `2.10`, `v1.2rc3`, `2.11.0+cu128`, `b6123`; refuse ranges and words."""
    match = _SHAPE.fullmatch(text) if len(text) <= MAX_LENGTH else None
    suffixes = _suffixes(match["suffix"]) if match else None
    if match is None or suffixes is None:
        return Misread(
            code="F208",
            message=f"{quoted(text)} is not a version",
            hint="write one version as the program prints it, such as 0.28.0: no range, no word",
        )
    prefix = match["prefix"].lower().replace("v", "")
    return Version(text, (prefix, _release(match["release"]), suffixes))


def _release(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _suffixes(text: str) -> tuple[tuple[int, int], ...] | None:
    """Stages with numbers, closed by (0, 0) so that a pre-release sorts before its release."""
    found = [(word.lower(), int(number or 0)) for word, number in _SUFFIX.findall(text)]
    if any(word not in _RANKS for word, _ in found):
        return None
    return (*((_RANKS[word], number) for word, number in found), (0, 0))
