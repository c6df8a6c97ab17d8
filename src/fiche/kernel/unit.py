"""Units as values: powers of base units, and words for counted things."""

from __future__ import annotations

from functools import lru_cache

from fiche.kernel.record import record


@record(kw_only=False)
class Unit:
    """`powers` are base units with exponents, sorted; `word` names what a pure count counts.

    `Unit((("B", 1),))` is bytes; `Unit((("USD", 1), ("h", -1)))` is USD per hour; `Unit((), "tokens")`
    counts tokens. Two counts of different things cannot be added.
    """

    powers: tuple[tuple[str, int], ...] = ()
    word: str = ""

    @property
    def is_count(self) -> bool:
        """True for a pure number: it multiplies anything and changes no dimension."""
        return not self.powers

    def times(self, other: Unit) -> Unit:
        """The unit of a product; two counts lose their words, for tokens x heads count neither."""
        return _joined(self, other, 1)

    def per(self, other: Unit) -> Unit:
        """The unit of a quotient."""
        return _joined(self, other, -1)

    def __str__(self) -> str:
        if self.is_count:
            return self.word
        return _written(self.powers)


# The units of a decision are few, and each is written and multiplied hundreds of times.
@lru_cache(1024)
def _written(powers: tuple[tuple[str, int], ...]) -> str:
    above = "*".join(_power(base, exponent) for base, exponent in powers if exponent > 0)
    below = "/".join(_power(base, -exponent) for base, exponent in powers if exponent < 0)
    return f"{above or '1'}/{below}" if below else above


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"


def _joined(left: Unit, right: Unit, sign: int) -> Unit:
    powers = _summed(left.powers, right.powers, sign)
    if powers:
        return Unit(powers)
    kept = (left if not right.word else right if not left.word and sign > 0 else ONE).word
    return Unit((), kept if left.is_count and right.is_count else "")


@lru_cache(1024)
def _summed(
    left: tuple[tuple[str, int], ...], right: tuple[tuple[str, int], ...], sign: int
) -> tuple[tuple[str, int], ...]:
    exponents = dict(left)
    for base, exponent in right:
        exponents[base] = exponents.get(base, 0) + sign * exponent
    return tuple(sorted((base, e) for base, e in exponents.items() if e))


ONE = Unit()
BYTE = Unit((("B", 1),))
HOUR = Unit((("h", 1),))
SECOND = Unit((("s", 1),))
WATT = Unit((("W", 1),))
DAY = Unit((("day", 1),))
BYTE_PER_SECOND = Unit((("B", 1), ("s", -1)))


def count_of(word: str) -> Unit:
    """The unit of a count of `word`, such as tokens, layers or cards."""
    return Unit((), word)


def money(currency: str) -> Unit:
    """The unit of an amount in an ISO 4217 currency; currencies never convert silently."""
    return Unit(((currency, 1),))


def counted(path: str) -> str:
    """The word that a count at this path counts: `heads` of `model.kv_heads`, `tokens` of `prompt_tokens`.

    The last word of the path, as estimators name what is missing; so prompt and new tokens add up.
    """
    last = path.rsplit(".", 1)[-1].rsplit("_", 1)[-1]
    return "ways" if last == "parallel" else last  # tensor_parallel: 2 is cut two ways
