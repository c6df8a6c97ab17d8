"""The form of a language: a phrase that is missing is a type error, not a hole in a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.kernel.figure import Number
from fiche.kernel.record import record


@record
class Language:
    """One language.

    `phrases` hold sentences with `{places}`; `one|many` forms are chosen by `plural(n)`, an index.
    `dimensions` are such forms too, of what a dimension counts; one without is told by its own name.
    `item_levers` say what may be changed about an item of a load, by its name.
    The maps give words for the codes that every language shares; a code without a word shows itself.
    """

    tag: str
    plural: Callable[[Number], int]
    phrases: Mapping[str, str]
    statuses: Mapping[str, str]
    verdicts: Mapping[str, str]
    wants: Mapping[str, str]
    answers: Mapping[str, str]
    marks: Mapping[str, tuple[str, str]]
    topics: Mapping[str, str]
    kinds: Mapping[str, str]
    levels: Mapping[str, str]
    roles: Mapping[str, str]
    terms: Mapping[str, str]
    dimensions: Mapping[str, str]
    levers: tuple[tuple[str, frozenset[str], str, str], ...]
    remedies: tuple[tuple[str, str], ...]
    item_levers: tuple[tuple[str, str], ...]
    glossary: tuple[str, ...]

    def form(self, forms: str, count: Number) -> str:
        """The one of `one|many` that goes with a count."""
        told = forms.split("|")
        return told[min(self.plural(count), len(told) - 1)]
