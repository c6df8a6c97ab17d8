"""A language of one gettext catalog: its words from there; plurals, numbers and dates from CLDR."""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from fiche.kernel.figure import Number
from fiche.kernel.record import replace
from fiche.languages._walk import retold
from fiche.report.style import Style
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

if TYPE_CHECKING:
    from babel import Locale

_FORMS = ("zero", "one", "two", "few", "many", "other")
# Enough counts to meet every form that a language has; one first, which English too has a form for.
_COUNTS = (1, *range(200), 1_000, 1_000_000)


def language(tag: str, compiled: Path) -> Language:
    """The language of a compiled catalog; what it has no words for stays English."""
    with compiled.open("rb") as file:
        return of_translations(tag, gettext.GNUTranslations(file))


def of_translations(tag: str, said: gettext.NullTranslations) -> Language:
    """The same of any translations: those of a file, or some made up to try the machinery."""
    from babel import Locale

    locale = Locale.parse(tag.replace("-", "_"))
    plural = _plural(locale)
    counts = tuple({plural(count): count for count in reversed(_COUNTS)}.items())

    def word(name: str, text: str) -> str:
        one, bar, many = text.partition("|")
        if not bar:
            return said.pgettext(name, text)
        forms = (said.npgettext(name, one, many, count) for _, count in sorted(counts))
        return "|".join(forms)

    def message(template: str, plural_form: str, count: int) -> str:
        if not plural_form:
            return said.gettext(template) if template else template
        return said.ngettext(template, plural_form, count)

    told = retold(ENGLISH, word)
    style = _style(told.style, locale, plural)
    return replace(told, tag=tag, plural=plural, style=style, message=message)


def _plural(locale: Locale) -> Callable[[Number], int]:
    """Which of the language's forms goes with a count, by the rule of CLDR."""
    rule = locale.plural_form
    forms = [name for name in _FORMS if name in rule.tags or name == "other"]

    def form(count: Number) -> int:
        if count.denominator == 1:
            return forms.index(rule(abs(count.numerator)))
        return forms.index(rule(abs(Decimal(count.numerator) / Decimal(count.denominator))))

    return form


def _style(words: Style, locale: Locale, plural: Callable[[Number], int]) -> Style:
    """Signs of the language's numbers. Symbols of bytes are never of CLDR: GiB is GiB everywhere."""
    signs = locale.number_symbols["latn"]
    before, _, after = locale.percent_formats[None].pattern.partition("#,##0")
    return replace(
        words,
        decimal=signs["decimal"],
        group=signs["group"],
        percent=(before, after),
        date=_dated(locale),
        plural=plural,
    )


def _bound(day: re.Match[str]) -> str:
    """No line ends behind a day."""
    return day.group().replace(" ", "\u00a0")


def _dated(locale: Locale) -> Callable[[date], str]:
    def told(day: date) -> str:
        from babel.dates import format_date

        told = format_date(day, "long", locale=locale)
        # CLDR has no pattern for it: the first of a month is an ordinal in French, and in it alone here.
        told = f"1er{told[1:]}" if day.day == 1 and locale.language == "fr" else told
        return re.sub(r"^(\S+) (de(?= ))?", _bound, told)

    return told
