"""The form of a language: a phrase that is missing is a type error, not a hole in a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.kernel.figure import Number
from fiche.kernel.record import record
from fiche.kernel.said import Filling, Listed, Said, Short, Shown, Told, cut
from fiche.report.sentences import filled
from fiche.report.style import PAGE, Style


@record
class Language:
    """One language.

    `phrases` hold sentences with `{places}`; `one|many` forms are chosen by `plural(n)`, an index.
    `dimensions` are such forms too, of what a dimension counts; one without is told by its own name.
    `item_levers` say what may be changed about an item of a load, by its name.
    `message` turns a template of a told text (`kernel.said`) into this language, by a count where it has
    two forms; `style` is how it writes numbers and dates.
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
    style: Style = PAGE
    message: Callable[[str, str, int], str] | None = None

    def told(self, text: str) -> str:
        """A text of fiche's own in this language; any other text is returned as it is."""
        if self.message is None:
            return text
        if isinstance(text, Short):
            return cut(self.told(text.whole))
        if isinstance(text, Shown):
            return str(filled(text, self.style))
        if isinstance(text, Listed):
            return self.message(text.between, "", 1).join(self.told(item) for item in text.items)
        if not isinstance(text, Said):
            return text
        form = self.message(text.template, text.plural, text.number)
        told = {name: self._filling(value) for name, value in text.fillings.items()}
        return form.format_map(told) if told else form

    def sentence(self, text: str) -> str:
        """A text that starts as a sentence does: dotted and dotless i are two letters in Turkish."""
        told = self.told(text)
        first = "İ" if told[:1] == "i" and self.tag.startswith("tr") else told[:1].upper()
        return first + told[1:]

    def inside(self, text: str) -> str:
        """A text that starts as inside a sentence; an abbreviation keeps its capitals."""
        told = self.told(text)
        if told[1:2].isupper():
            return told
        first = "ı" if told[:1] == "I" and self.tag.startswith("tr") else told[:1].lower()
        return first[:1] + told[1:]

    def _filling(self, value: Filling) -> Filling:
        return self.told(value) if isinstance(value, Told) else filled(value, self.style)

    def form(self, forms: str, count: Number) -> str:
        """The one of `one|many` that goes with a count."""
        told = forms.split("|")
        return told[min(self.plural(count), len(told) - 1)]
