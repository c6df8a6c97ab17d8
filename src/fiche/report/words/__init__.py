"""The words of a report, one language a module; a language exports `MEMBER`, a `Language`."""

from __future__ import annotations

from importlib import import_module

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.report.words._language import Language


def language(tag: str) -> Language:
    """The words of one language, by its tag (`en`).

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    if tag.isascii() and tag.isalpha():
        try:
            member = getattr(import_module(f"{__name__}.{tag.lower()}"), "MEMBER", None)
        except ModuleNotFoundError:
            member = None
        if isinstance(member, Language):
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
