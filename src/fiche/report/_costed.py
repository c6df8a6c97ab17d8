"""Values of a plan as a reader sees them: shares in percent, small prices to four digits."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.figure import Figure, Node, Number
from fiche.kernel.ownership import Threshold
from fiche.report import numbers
from fiche.report.desk import Desk, signed
from fiche.report.parts import Part, Parts, Words

_SHARES = ("utilisation", "discount_rate", "spares")
_PRICES = ("rent", "price")
_RANGES = {
    **dict.fromkeys(_SHARES, "ratio"),
    **dict.fromkeys(("load_hours", "idle_hours"), "hours"),
    "pue": "pue",
    "years": "years",
    "residual": "residual",
}


def valued(desk: Desk, name: str, node: Node) -> Part:
    """One input's value, or a value at which it flips."""
    if name in _SHARES:
        return desk.amount(node, share(desk, node))
    if name in _PRICES:
        price = numbers.interval(
            node.low, node.high, desk.style, lambda v: _price(v, node, desk.style)
        )
        return desk.amount(node, price)
    if name == "years":
        return desk.amount(node, years(desk, node))
    return desk.amount(node)


def share(desk: Desk, node: Node, decimals: int = 2) -> str:
    """A ratio in percent."""
    how = desk.style
    return numbers.interval(
        node.low,
        node.high,
        how,
        lambda value: numbers.hundredths(_trimmed(Fraction(value) * 100, decimals, how), how),
    )


def years(desk: Desk, node: Node) -> str:
    """Years, whole or not."""
    how = desk.style
    return numbers.interval(
        node.low,
        node.high,
        how,
        lambda value: (_trimmed(value, 2, how), how.space + how.counted("years", value)),
    )


def _price(value: Number, node: Node, how: numbers.Style) -> numbers.Printed:
    places = 4 if Fraction(value) * 100 % 1 else 2
    return numbers.rounded(value, places, how), how.space + str(node.unit)


def _trimmed(value: Number, decimals: int, how: numbers.Style) -> str:
    scaled = Fraction(value) * 10**decimals
    return signed(numbers.exact(Fraction(round(scaled), 10**decimals), how))


def threshold(desk: Desk, name: str, told: Threshold | None) -> Parts:
    """A value at which both cost the same, or why there is none."""
    if told is None:
        return (Words(desk.word("own_not_asked")),)
    if not told.never and told.value is not None:
        return (valued(desk, name, told.value),)
    return never(desk, name, told.never, told.value)


def never(desk: Desk, name: str, why: str, value: Figure | None = None) -> Parts:
    """Why there is none, in words."""
    if why == "above" and value is not None:
        return desk.say("own_never_above", value=valued(desk, name, value))
    if why == "none":
        return desk.say(
            "own_never_none", range=desk.word(f"own_range_{_RANGES.get(name, 'above')}")
        )
    return (Words(desk.word(f"own_never_{why}")),)
