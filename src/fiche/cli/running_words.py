"""The words of `fiche run` that go into records as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fiche.kernel.diagnostic import Diagnostic, Refused

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CARD = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_WORD = re.compile(r"[a-z][a-z0-9_]{0,59}")
_COUNT = re.compile(r"[0-9]{1,18}")


def identifier(option: str, text: str) -> str:
    """The text, where it can be an id; empty where the option was not given.

    Raises:
        Refused: F540.
    """
    pattern = _CARD if option == "--gpu" else _ID
    if text and pattern.fullmatch(text) is None:
        letters = "small letters" if option == "--gpu" else "letters"
        hint = f"use {letters}, digits, dot, dash and underscore, at most 100 of them"
        raise _refused(f"{option}: {text[:60]!r} is no id", hint)
    return text


def covered(text: str | None) -> list[str]:
    """Phases with commas between them; none where the option was not given.

    Raises:
        Refused: F540.
    """
    names = [] if text is None else [each.strip() for each in text.split(",")]
    for name in names:
        if _WORD.fullmatch(name) is None:
            hint = "such as forward,loss,backward,optimizer_step"
            raise _refused(f"--covers: {name[:60]!r} names no phase", hint)
    return list(dict.fromkeys(names))


def declared(typed: Iterable[str]) -> dict[str, int]:
    """Dimensions by name.

    Raises:
        Refused: F540.
    """
    found: dict[str, int] = {}
    for text in typed:
        name, equals, count = text.partition("=")
        if not (equals and _WORD.fullmatch(name) and _COUNT.fullmatch(count)):
            raise _refused(f"--dim: {text[:60]!r} is no dimension", "write --dim microbatch=2")
        if name in found:
            raise _refused(f"--dim: {name} is given twice", "one run has one value of it")
        found[name] = int(count)
    return found


def _refused(message: str, hint: str) -> Refused:
    return Refused([Diagnostic(code="F540", message=message, address=None, hint=hint)])
