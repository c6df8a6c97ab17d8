"""Numbers and days inside sentences that fiche tells, as the language of the report writes them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.said import Filling, Shown
from fiche.kernel.unit import BYTE
from fiche.report import numbers
from fiche.report.style import Style

# Below it, bytes are legible as they are.
_MANY = 10**6


def filled(value: Filling, how: Style) -> Filling:
    """What fills a place of a told text: numbers and days by the language, anything else as it is."""
    if isinstance(value, Shown):
        return _shown(value, how)
    if isinstance(value, str):
        return numbers.dated(value, how)
    return numbers.exact(value, how) if isinstance(value, Fraction) else value


def _shown(told: Shown, how: Style) -> str:
    node = Figure(low=told.low, high=told.high, unit=told.unit, origin=Stated(span=None))
    if told.unit == BYTE and max(told.low, told.high or 0) >= _MANY and told.low == told.high:
        return _exact_too(node, how)
    if node.high is None and not node.low:
        return how.open.format(low=numbers.exact(0, how))
    return numbers.amount_exact(node, how)


def bytes_said(text: str, how: Style, *, exact: bool = True) -> str:
    """A text in which long counts of bytes are said in GiB; the exact ones stand beside what rounding changes.

    A range of sightings is only told.
    """
    if " B" not in text:
        return text

    def said(found: re.Match[str]) -> str:
        ends = [int(end) for end in found.groups() if end is not None]
        node = Figure(low=ends[0], high=ends[-1], unit=BYTE, origin=Stated(span=None))
        alone = len(ends) > 1 or not exact
        return numbers.amount(node, how) if alone else _exact_too(node, how)

    return _long_bytes(how.interval).sub(said, text)


@cache
def _long_bytes(interval: str) -> re.Pattern[str]:
    """`14000000000 B`, or a range as the language tells one."""
    between = re.escape(interval.partition("{low}")[2].partition("{high}")[0])
    return re.compile(rf"(?<![\w.])(?:(\d{{7,}}){between})?(\d{{7,}}) B\b")


def _exact_too(node: Figure, how: Style) -> str:
    told = numbers.amount(node, how)
    if numbers.whole(node.low):
        return told
    return f"{told} ({numbers.amount_exact(node, how)})"
