"""The rows of a decision: its verdict on each candidate, with cost and margin, and what was observed of it.

They are read from `decision.json` as it stands; nothing is judged again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.archive.document import MOST_ROWS
from fiche.archive.entry import Row
from fiche.kernel.record import replace

FORMAT = "fiche-decision/1"
FACTS = {
    "model": "model.name",
    "revision": "model.revision",
    "engine": "engine.name",
    "engine_version": "engine.version",
    "operation": "operation",
}
_VERDICTS = {"admissible": "admissible", "to_confirm": "to confirm", "exclude": "exclude"}
# Of a figure in decision.json: what rests on the fiche's own words is no evidence of anything.
_ORIGINS = {
    "observed": "observed",
    "computed": "computed",
    "assumed": "assumed",
    "declared": "declared",
}


def decision_rows(told: Mapping[str, Any]) -> tuple[Row, ...]:
    """One row a candidate with its verdict, then its cost, its useful margin, and its observed values.

    A document that is not as its schema says gives the rows that it does give.
    """
    about = _about(told)
    figures = {str(each.get("id")): each for each in _each(told, "figures")}
    rows: list[Row] = []
    by_name: dict[str, Row] = {}
    for place, candidate in enumerate(_each(told, "candidates")):
        row = _of_candidate(candidate, about, place)
        by_name[row.candidate] = row
        rows.append(row)
        for key in ("cost", "useful_margin"):
            figure = figures.get(str(candidate.get(key)))
            rows += _amounts(replace(row, quantity=key), figure)
    for place, finding in enumerate(_each(told, "findings")):
        rows += _of_finding(finding, by_name, place)
    return tuple(dict.fromkeys(rows))[:MOST_ROWS]


def _each(told: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = told.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _text(told: Mapping[str, Any], key: str) -> str:
    found = told.get(key)
    return found if isinstance(found, str) else ""


def under(told: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The object under some keys; an empty one where there is none."""
    for key in keys:
        found = told.get(key)
        told = found if isinstance(found, dict) else {}
    return told


def _about(told: Mapping[str, Any]) -> Row:
    facts = under(told, "workload", "facts")
    words = {name: _text(under(facts, path), "value") for name, path in FACTS.items()}
    return Row(**words)


def _of_candidate(candidate: Mapping[str, Any], about: Row, place: int) -> Row:
    return replace(
        about,
        candidate=_text(candidate, "id"),
        card=_text(candidate, "gpu") or _text(candidate, "card"),
        machine=_text(candidate, "machine"),
        outcome=_VERDICTS.get(_text(candidate, "verdict"), "unknown"),
        place=f"/candidates/{place}",
    )


def _of_finding(
    finding: Mapping[str, Any], candidates: Mapping[str, Row], place: int
) -> Iterator[Row]:
    """What was observed of a candidate, and what it was compared with."""
    row = candidates.get(_text(finding, "candidate"))
    if row is None:
        return
    outcome = _VERDICTS.get(_text(finding, "verdict"), "unknown")
    for side in ("need", "have"):
        figure = under(finding, side)
        if figure.get("basis") == "observed":
            told = replace(
                row,
                case=_text(finding, "case"),
                device=_text(finding, "device"),
                quantity=f"{_text(finding, 'kind')}.{side}",
                outcome=outcome,
                place=f"/findings/{place}/{side}",
            )
            yield from _amounts(told, figure)


_EXACT = ("bytes", "value")
_BOUNDS = {"at_least": ("low_bytes", "low"), "at_most": ("high_bytes", "high")}


def _amounts(row: Row, figure: Mapping[str, Any] | None) -> Iterator[Row]:
    """The row with the figure's amount; of one between two bounds, a row of each."""
    if figure is None or figure.get("unit") == "date":
        return
    row = replace(row, unit=_text(figure, "unit"), origin=_ORIGINS.get(_text(figure, "basis"), ""))
    exact = _amount(figure, _EXACT)
    if exact:
        yield replace(row, amount=exact)
        return
    for name, keys in _BOUNDS.items():
        amount = _amount(figure, keys)
        if amount:
            yield replace(row, quantity=f"{row.quantity}.{name}", amount=amount)


def _amount(figure: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The decimal under the first key that has one: bytes are integers, money is text."""
    for key in keys:
        found = figure.get(key)
        if type(found) is int or (isinstance(found, str) and _is_decimal(found)):
            return str(found)
    return ""


def _is_decimal(text: str) -> bool:
    whole, dot, part = text.removeprefix("-").partition(".")
    return whole.isascii() and whole.isdigit() and (not dot or (part.isascii() and part.isdigit()))
