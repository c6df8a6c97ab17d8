"""From a tag to the words, plurals and number style of a language."""

from __future__ import annotations

from functools import cache

from fiche.assets import package_data
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.report.words._language import Language

SOURCE = "en"


def tags() -> tuple[str, ...]:
    """Every language that a report can be written in, the source first."""
    found = sorted(path.stem for path in package_data("languages").glob("*.mo"))
    return (SOURCE, *found)


@cache
def spoken(tag: str) -> Language:
    """The words of a language; `en-GB` takes those of `en` where it has none of its own.

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    plain = tag.lower().replace("_", "-")
    for name in (plain, plain.partition("-")[0]) if all(plain.split("-")) else ():
        if name == SOURCE:
            from fiche.report.words.en import MEMBER

            return MEMBER
        if name in tags():
            return _of_catalog(name)
    raise Refused([_unspoken(tag)])


def _of_catalog(name: str) -> Language:
    from fiche.languages._catalog import language

    return language(name, package_data(f"languages/{name}.mo"))


def _unspoken(tag: str) -> Diagnostic:
    return Diagnostic(
        code="F602",
        message=f"no report in language '{tag}'",
        address=None,
        hint=f"write one of {', '.join(tags())} after `language:`, or leave it out for English",
    )
