"""Text that fiche itself says, as a template and what fills it: a report can say it in another language.

It *is* its English text: machine forms, the terminal and comparisons see a plain string. A template is a
message of the language catalogs; fillings are names, counts, and other told texts. Adding or cutting such a
text makes plain English of it, so parts are filled in, never glued on. A filling that is a date of ISO 8601
is written as the language writes dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Self

from fiche.kernel.lazy import lazy
from fiche.kernel.unit import Unit

Filling = str | int | Fraction
_EXPLAINED = lazy(r"\s*[(:]")


class Said(str):
    """An English text that remembers how it was made; `template` is its message.

    `asked` is the message that asks the same of who can do it, with the same places; empty for most.
    """

    __slots__ = ("asked", "fillings", "number", "plural", "template")

    template: str
    plural: str
    number: int
    fillings: Mapping[str, Filling]
    asked: str

    def __new__(
        cls,
        template: str,
        fillings: Mapping[str, Filling],
        plural: str = "",
        number: int = 1,
        asked: str = "",
    ) -> Self:
        """Fill the template; `plural` is the form for other counts than one."""
        form = plural if plural and number != 1 else template
        made = super().__new__(cls, form.format_map(fillings) if fillings else form)
        made.template = template
        made.plural = plural
        made.number = number
        made.fillings = fillings
        made.asked = asked
        return made

    def __getnewargs__(self) -> tuple[str, Mapping[str, Filling], str, int, str]:  # type: ignore[override]
        return self.template, self.fillings, self.plural, self.number, self.asked

    def filled(self, fillings: Mapping[str, Filling]) -> Said:
        """The same message with other fillings."""
        return Said(self.template, fillings, self.plural, self.number, self.asked)


class Listed(str):
    """Several texts with a word or a sign between them, each of which is told on its own."""

    __slots__ = ("between", "items")

    items: tuple[str, ...]
    between: str

    def __new__(cls, items: Iterable[str], between: str = ", ") -> Self:
        """Join them; `between` is a message too."""
        told = tuple(items)
        made = super().__new__(cls, between.join(told))
        made.items = told
        made.between = between
        return made

    def __getnewargs__(self) -> tuple[tuple[str, ...], str]:  # type: ignore[override]
        return self.items, self.between


class Shown(str):
    """A number with its unit in English, which knows the number: another language writes it in its own way."""

    __slots__ = ("high", "low", "unit")

    low: int | Fraction
    high: int | Fraction | None
    unit: Unit

    def __new__(
        cls, text: str, low: int | Fraction, high: int | Fraction | None, unit: Unit
    ) -> Self:
        """`text` is its English form; `high=None` is "at least"."""
        made = super().__new__(cls, text)
        made.low, made.high, made.unit = low, high, unit
        return made

    def __getnewargs__(  # type: ignore[override]
        self,
    ) -> tuple[str, int | Fraction, int | Fraction | None, Unit]:
        return str(self), self.low, self.high, self.unit


class Short(str):
    """A told text up to the bracket or colon that explains it; cut anew in another language."""

    __slots__ = ("whole",)

    whole: str

    def __new__(cls, whole: str) -> Self:
        """Cut it."""
        made = super().__new__(cls, cut(whole))
        made.whole = whole
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.whole,)


Told = Said | Listed | Shown | Short


def cut(text: str) -> str:
    """A text without what explains it in brackets or behind a colon."""
    return _EXPLAINED.split(text, maxsplit=1)[0]


def tell(template: str, /, **fillings: Filling) -> str:
    """A text of fiche's own: `tell("have {machine} print its total", machine=name)`.

    Without fillings the template is the text as it stands, braces and all.
    """
    return Said(template, fillings)


def tell_asking(template: str, asked: str, /, **fillings: Filling) -> str:
    """A text that speaks to an author, and the same asked of who can do it: one pair, filled alike."""
    return Said(template, fillings, asked=asked)


def tell_count(one: str, many: str, count: int, /, **fillings: Filling) -> str:
    """The same by a count, which fills `{count}`: `tell_count("{count} run", "{count} runs", 2)`."""
    return Said(one, {"count": count, **fillings}, many, count)


def tell_again(text: Said, /, **fillings: Filling) -> str:
    """The same text with some of its places filled otherwise."""
    return text.filled({**text.fillings, **fillings})


def listed(items: Iterable[str], between: str = ", ") -> str:
    """Texts joined, each of which can still be told in another language."""
    return Listed(items, between)
