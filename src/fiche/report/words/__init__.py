"""The words of a report, one language a module; a language exports `MEMBER`, a `Language`."""

from __future__ import annotations

from importlib import import_module

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.report.words._language import Language


def language(tag: str) -> Language:
    """The words of one language, by its tag; `en-GB` takes those of `en` where it has none of its own.

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    for name in (tag.lower().replace("-", "_"), tag.lower().partition("-")[0]):
        if name.isidentifier() and not name.startswith("_"):
            member = _member(name)
            if member is not None:
                return member
    raise Refused(
        [
            Diagnostic(
                code="F602",
                message=f"no report in language '{tag}'",
                address=None,
                hint="write `language: en`, or leave it out",
            )
        ]
    )


def _member(name: str) -> Language | None:
    try:
        member = getattr(import_module(f"{__name__}.{name}"), "MEMBER", None)
    except ModuleNotFoundError:
        return None
    return member if isinstance(member, Language) else None
