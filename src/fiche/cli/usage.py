"""Diagnostics of usage: words that are none of the possible ones, options that do not go together."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.diagnostic import Diagnostic

_SHOWN = 12
_NEAREST = 4


def unknown(kind: str, name: str, known: Iterable[str]) -> Diagnostic:
    """F701: a word that is none of the possible ones, with the nearest of them."""
    from difflib import get_close_matches

    possible = list(known)
    # A part of a longer word is nearer than any other word: `h100` is a card of several names.
    parts = [each for each in possible if len(name) > 2 and name.lower() in each.lower()]
    near = parts[:_NEAREST] or get_close_matches(name, possible, n=3, cutoff=0.6)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        more = ", ..." if len(possible) > _SHOWN else ""
        hint = f"known: {', '.join(possible[:_SHOWN]) or 'none'}{more}"
    return Diagnostic(code="F701", message=f"unknown {kind} '{name}'", address=None, hint=hint)


def together(message: str, hint: str) -> Diagnostic:
    """F702: options that contradict each other, or lack one that they need."""
    return Diagnostic(code="F702", message=message, address=None, hint=hint)
