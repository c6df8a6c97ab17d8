"""overview.json: what an archive holds, for programs, with every id in full; amounts are exact decimals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fiche.kernel.holdings import Holdings, Meeting, Mention, Tally

FORMAT = "fiche-archive-overview/1"


def holdings_document(held: Holdings, version: str) -> dict[str, object]:
    """The document; `version` is that of the program that counted."""
    plain = (
        *("archive", "day", "soon", "files", "superseded", "withheld", "unplaced", "damaged"),
        *("withheld_internal", "confidential", "internal"),
        *("models", "cards", "leaving_total"),
    )
    return {
        "format": FORMAT,
        "tool": {"name": "fiche", "version": version},
        **{name: getattr(held, name) for name in plain},
        "entries": held.entries,
        "bytes": held.num_bytes,
        "kinds": dict(held.kinds),
        "narrowed": dict(held.narrowed),
        "pairs": held.pairs,
        "answers": dict(held.answers),
        "meetings": [_meeting(one) for one in held.meetings],
        "named": [_mention(one) for one in held.named],
        "latest": [_mention(one) for one in held.latest],
        "leaving": [_mention(one) for one in held.leaving],
    }


def _meeting(one: Meeting) -> dict[str, object]:
    return {
        "model": one.model,
        "card": one.card,
        "answer": one.answer,
        "entries": one.entries,
        "verdicts": _tallies(one.verdicts),
        "runs": _tallies(one.runs),
        "ranges": [
            {
                "quantity": told.quantity,
                "unit": told.unit,
                "origin": "observed",
                "low": _exact(told.low),
                "high": _exact(told.high),
                "entries": told.entries,
            }
            for told in one.ranges
        ],
    }


def _tallies(tallies: Sequence[Tally]) -> list[dict[str, object]]:
    return [
        {"outcome": t.outcome, "count": t.count, "newest": t.newest, "entries": list(t.entries)}
        for t in tallies
    ]


def _mention(one: Mention) -> dict[str, object]:
    keys = ("id", "kind", "title", "date", "added", "keep_until")
    told: dict[str, object] = {key: getattr(one, key) for key in keys if getattr(one, key)}
    return {**told, "superseded_by": list(one.superseded_by)} if one.superseded_by else told


def _exact(value: Fraction) -> str:
    """Bytes are whole; a part of one would stand as a fraction, never rounded."""
    return str(value)
