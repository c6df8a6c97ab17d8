"""A screening in the terminal, as JSON, and as one row an offer: counts that add up in each (law 8)."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fiche.cli.screened import Screening
from fiche.cli.terminal import colour, encoding, paragraph, table, width
from fiche.evaluate.screening import Answer, Judged, Screened
from fiche.evaluate.shortlist import Listed
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace
from fiche.kernel.unit import Unit
from fiche.report.numbers import TERMINAL, amount

_STATUS = {
    Verdict.ADMISSIBLE: "retained",
    Verdict.TO_CONFIRM: "to_confirm",
    Verdict.EXCLUDE: "excluded",
}


def totals(screened: Screened) -> dict[str, int]:
    """Offers by what they are: retained, to_confirm, excluded. They add up to all."""
    found = dict.fromkeys(_STATUS.values(), 0)
    for group, count in screened.groups.items():
        found[_STATUS[screened.verdict(group)]] += count
    return found


def by_requirement(screened: Screened) -> list[dict[str, Any]]:
    """What each requirement says of all offers; `alone` excludes offers that no other must excludes."""
    return [_row(place, one, screened) for place, one in enumerate(screened.judged)]


def _row(place: int, one: Judged, screened: Screened) -> dict[str, Any]:
    counts: Counter[Answer] = Counter()
    for group, count in screened.groups.items():
        counts[one.answers[group[place]]] += count
    verdicts: Counter[Verdict] = Counter()
    for answer, count in counts.items():
        verdicts[answer.verdict] += count
    reasons = [
        {
            "verdict": answer.verdict.code,
            "reasons": list(answer.reasons),
            "topics": list(answer.topics),
            "count": count,
        }
        for answer, count in counts.most_common()
    ]
    return {
        "requirement": one.requirement.id,
        "kind": one.requirement.kind,
        "level": one.requirement.level,
        "counts": {verdict.code: verdicts[verdict] for verdict in Verdict},
        "excluded_by_it_alone": _alone(place, screened),
        "reasons": reasons,
        "looked_at": list(one.paths),
        "asked": one.asked,
    }


def _alone(place: int, screened: Screened) -> int:
    """Offers that this must excludes and no other does."""
    found = 0
    musts = [at for at, one in enumerate(screened.judged) if one.requirement.level == "must"]
    for group, count in screened.groups.items():
        by = [
            at for at in musts if screened.judged[at].answers[group[at]].verdict is Verdict.EXCLUDE
        ]
        found += count if by == [place] else 0
    return found


def screened_text(found: Screening) -> str:
    """Counts, then the cheapest offers that are left, then the decision on these."""
    return "".join(_sections(found))


def _sections(found: Screening) -> Iterator[str]:
    screened, told = found.screened, totals(found.screened)
    yield f"{found.fiche.title}\n"
    if found.kept is not None:
        yield f"{screened.total} of {found.read} offers pass the tests\n{found.kept.text}"
    yield (
        f"{screened.total} offers = {told['retained']} retained + {told['to_confirm']} to confirm + "
        f"{told['excluded']} excluded; each as a candidate with {_cards(found.cards)}\n\n"
    )
    rows = [_cells(row) for row in by_requirement(screened)]
    header = ("requirement", "admissible", "to confirm", "excluded", "alone", "open or why")
    yield table(rows, header=header, right=(1, 2, 3, 4), whole=(0,))
    yield "alone: excluded by this requirement and by no other must\n\n"
    if not found.listed:
        yield "No offer is left.\n"
        return
    yield f"The cheapest {len(found.listed)} of those that are left, by the least that the package may cost:\n"
    yield table(
        [_listed(one, found) for one in found.listed], header=_HEADER, right=(2,), whole=(0,)
    )
    yield paragraph(
        "'from' is a cost that is open: a row is no quote. An order of open costs is no ranking."
    )
    yield from _to_copy(found)
    if found.decision is not None:
        from fiche.render.text import check_text

        yield "\n" + check_text(found.decision, width=width(), colour=colour(), encoding=encoding())


def _to_copy(found: Screening) -> Iterator[str]:
    """The lines that make candidates of them; a name that several cards share can be none yet."""
    chosen = found.decision.fiche.candidates if found.decision is not None else ()
    named = [one for one in chosen if one.card is not None]
    if named:
        yield f"\nInto the fiche, with {', '.join(found.files)} under catalogs:\n"
    for one in named:
        yield f"  - {{id: {one.id}, gpu: {one.gpu}, cards: {found.cards}, offer: {one.id}}}\n"
    others = ", ".join(one.id for one in chosen if one.card is None)
    if others:
        yield paragraph(f"Ask which card it is, before it can be a candidate: {others}.")


_HEADER = ("offer", "card", "package cost", "verdict")


def _cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    counts = row["counts"]
    words: Counter[str] = Counter()
    for reason in row["reasons"]:
        words.update(dict.fromkeys(reason["topics"] or reason["reasons"], reason["count"]))
    name = row["requirement"] + ("" if row["level"] == "must" else " (want)")
    return (
        name,
        str(counts["admissible"]),
        str(counts["to_confirm"]),
        str(counts["exclude"]),
        str(row["excluded_by_it_alone"]),
        ", ".join(f"{word.replace('_', ' ')} {count}" for word, count in words.most_common(4)),
    )


def _listed(one: Listed, found: Screening) -> tuple[str, ...]:
    market = found.screened.market
    return (
        one.id,
        market.text("gpu", one.row),
        cost_text(one),
        _STATUS[one.verdict].replace("_", " "),
    )


def cost_text(one: Listed) -> str:
    """The least that the package costs; `from` where something about it is open."""
    if one.cost is None:
        return "not stated"
    shown = amount(replace(one.cost, high=one.cost.low), TERMINAL)
    return f"from {shown}" if one.open else shown


def screened_json(found: Screening) -> dict[str, Any]:
    """All counts, the shortlist, and decision.json of the offers on it."""
    import json

    from fiche.render.json import decision_bytes

    return {
        "format": "fiche-screening/1",
        "fiche": found.fiche.file,
        "offers": list(found.files),
        "cards": found.cards,
        **({} if found.kept is None else {"read": found.read, "left_out": found.kept.json}),
        "total": found.screened.total,
        "counts": totals(found.screened),
        "requirements": by_requirement(found.screened),
        "shortlist": [_shortlisted(one, found) for one in found.listed],
        "decision": None if found.decision is None else json.loads(decision_bytes(found.decision)),
    }


def _shortlisted(one: Listed, found: Screening) -> dict[str, Any]:
    market = found.screened.market
    return {
        "offer": one.id,
        "gpu": market.text("gpu", one.row),
        "could_be": market.text("could_be", one.row).split(),
        "status": _STATUS[one.verdict],
        "cost_at_least": None if one.cost is None else str(one.cost.low),
        "currency": _currency(None if one.cost is None else one.cost.unit),
        "cost_is_open": one.open,
    }


def _currency(unit: Unit | None) -> str | None:
    return None if unit is None else str(unit)


def screened_csv(found: Screening) -> bytes:
    """One row an offer: what it is, and the verdict of each requirement."""
    screened = found.screened
    status = {group: _STATUS[screened.verdict(group)] for group in screened.groups}
    words = {
        group: [
            one.answers[code].verdict.code for one, code in zip(screened.judged, group, strict=True)
        ]
        for group in screened.groups
    }
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "status", *(one.requirement.id for one in screened.judged)])
    rows.writerows(
        [id, status[group], *words[group]]
        for id, group in zip(screened.market.ids, screened.rows(), strict=True)
    )
    return text.getvalue().encode()
