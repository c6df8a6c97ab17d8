"""decision.json: which question this answers, by which rules, and where its pieces ran.

`fiche.id` is made of the bytes that went in (UUIDv5 of their digests), so that compiling the same files again
gives the same id, on any machine and in any language.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from fiche.kernel import rules, scope_told
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.fact import Fact
from fiche.kernel.ledger import Ledger
from fiche.kernel.named_uuid import named_uuid
from fiche.kernel.places import Places
from fiche.render._custody import custody
from fiche.render.canonical import canonical

QUESTION = "Does this complete load fit on each device used, including in its most demanding step?"
# The namespace of fiche's own ids: UUIDv5 of the word in the namespace of ISO object identifiers.
_NAMESPACE = bytes.fromhex("c3e5bda477b7508d96ca49a75fa16b2c")
# Until the last of these days it holds; from the first of those on it does not.
_LAST_DAYS, _FIRST_DAYS = ("offer_ends", "piece_ends"), ("piece_ages", "catalog_ages")


def identity(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part."""
    return {
        "fiche": _fiche(decision),
        "rules": _rules(decision, book),
        "environment": _environments(decision.fiche),
    }


def _fiche(decision: Decision) -> dict[str, Any]:
    fiche, choice = decision.fiche, decision.fiche.choice
    replaced = choice.replaces if choice is not None else None
    until = valid_until(decision)
    return {
        "id": fiche_id(fiche),
        "file": fiche.file,
        "title": fiche.title,
        "lang": fiche.language,
        "asked": QUESTION,
        "decider": choice.by if choice is not None and choice.by else None,
        "role": choice.role if choice is not None and choice.role else None,
        "valid_until": until[0] if until else None,
        "valid_until_of": list(until[1:]),
        "replaces": None if replaced is None else replaced.digest or replaced.what or None,
        **custody(fiche.custody),
    }


def fiche_id(fiche: Fiche) -> str:
    """UUIDv5 of what went in: digests and roles of all inputs, under the names that the fiche uses.

    Comments on a report are no part of the question: with them or without, its id is the same.
    """
    asked = (one for one in fiche.inputs if one.role != "review")
    inputs = sorted((one.file, one.role, one.sha256) for one in asked)
    question = {"title": fiche.title, "date": fiche.date, "inputs": [list(one) for one in inputs]}
    return named_uuid(_NAMESPACE, hashlib.sha256(canonical(question)).hexdigest().encode("ascii"))


def valid_until(decision: Decision) -> tuple[str, ...]:
    """The last day on which all that verdicts lean on counts, then what ends on it; empty if nothing does."""
    ends: dict[str, dict[str, None]] = {}
    for one in decision.invalidations:
        if one.day and one.kind in (*_LAST_DAYS, *_FIRST_DAYS):
            ends.setdefault(_last(one.kind, one.day), {})[one.subject] = None
    if not ends:
        return ()
    first = min(ends)
    return (first, *ends[first])


def _last(kind: str, day: str) -> str:
    if kind in _LAST_DAYS:
        return day
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def piece_ends(decision: Decision) -> Mapping[str, str]:
    """The last day of each piece that verdicts lean on, where one is told or follows from the policy."""
    found: dict[str, str] = {}
    for one in decision.invalidations:
        if one.day and one.kind in ("piece_ends", "piece_ages"):
            day = _last(one.kind, one.day)
            found[one.subject] = min(day, found.get(one.subject, day))
    return found


def _rules(decision: Decision, book: Ledger) -> dict[str, Any]:
    policy = decision.fiche.policy
    rule = [{"reason_code": r, "verdict": v, "text": text} for r, v, text in rules.RULE]
    return {
        "name": rules.NAME,
        "version": rules.VERSION,
        "sha256": hashlib.sha256(canonical(rule)).hexdigest(),
        "decision_rule": rule,
        "guard_band": {name: book.of(band).id for name, band in policy.guard_bands.items()},
        "policy_sha256": policy.sha256,
    }


# --- Where pieces ran -----------------------------------------------------------------------------

_PRINTED = {
    "python": ("python",),
    "torch": ("torch",),
    "cuda": ("cuda", "runtime"),
    "driver": ("driver",),
    "gpu": ("gpu",),
    "machine": ("machine",),
    "os": ("os",),
}
_ALLOCATOR = {"backend": "allocator.backend", "settings": "allocator.settings"}
_GIT = {"commit": "git.commit", "dirty": "git.dirty", "diff_sha256": "git.diff_sha256"}


def _environments(fiche: Fiche) -> list[dict[str, Any]]:
    """One entry for each environment that pieces print, with the pieces that print it."""
    found: dict[bytes, dict[str, Any]] = {}
    for piece in fiche.pieces:
        told = dict(_environment(scope_told.printed_facts(piece)))
        if told:
            entry = found.setdefault(canonical(told), {"pieces": [], **told})
            entry["pieces"].append(piece.id)
    return list(found.values())


def _environment(facts: Mapping[str, Fact]) -> Iterator[tuple[str, Any]]:
    words = dict(_torch(facts))
    for key, names in _PRINTED.items():
        told = words.get(key) or next((facts[n].value for n in names if n in facts), None)
        if told:
            yield key, told
    for key, named in (("allocator", _ALLOCATOR), ("git", _GIT)):
        group = {name: facts[path].value for name, path in named.items() if path in facts}
        if group:
            yield key, group


def _torch(facts: Mapping[str, Fact]) -> Iterator[tuple[str, str]]:
    """A record tells its framework by name and version."""
    name, version = facts.get("framework.name"), facts.get("framework.version")
    if name is not None and version is not None and name.value == "torch":
        yield "torch", version.value
