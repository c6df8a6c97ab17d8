"""Texts that fiche once wrote into a file, as the told texts that they were: a report can say them again.

A file holds English. A text without places is its own message; one with places is known by its template,
and what filled them is read back. Anything else, as older versions or other programs wrote it, stays as it is.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from fiche.kernel.lazy import lazy
from fiche.kernel.said import Filling, Said, Shown
from fiche.kernel.unit import ONE, count_of

# A number as the terminal writes one; short whole ones are the same in every language.
_NUMBER = lazy(r"(\d{1,3}(?: \d{3})+|\d+)(\.\d+)?(?: (B|KiB|MiB|GiB))?")
_SHORT = lazy(r"\d{1,4}")


def recalled(text: str, templates: Iterable[str] = ()) -> str:
    """The text as a told one: by the first template that it fits, else as a message without places."""
    return _fitting(text, tuple(templates)) or Said(text, {})


def _fitting(text: str, templates: tuple[str, ...]) -> Said | None:
    for template in templates:
        found = _form(template).fullmatch(text)
        if found is not None:
            parts = found.groupdict().items()
            return Said(template, {name: _filling(part, templates) for name, part in parts})
    return None


def _filling(text: str, templates: tuple[str, ...]) -> Filling:
    """A number, a text of fiche's again, or a name."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return _fitting(text, templates) or text
    if _SHORT.fullmatch(text):
        return text
    value = Fraction(found[1].replace(" ", "") + (found[2] or ""))
    return Shown(text, value, value, count_of(found[3]) if found[3] else ONE)


@cache
def _form(template: str) -> re.Pattern[str]:
    """A template as a pattern; a place that stands in it twice holds the same text both times."""
    parts, seen = [], set()
    for literal, place, _, _ in string.Formatter().parse(template):
        parts.append(re.escape(literal))
        if place is not None:
            parts.append(f"(?P={place})" if place in seen else f"(?P<{place}>.{{1,200}}?)")
            seen.add(place)
    return re.compile("".join(parts), re.DOTALL)
