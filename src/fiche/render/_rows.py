"""Rows of the tables of a decision: each of what decision.json says, by the names of columns.

A number takes several columns: `cost_low`, `cost_high`, `cost_unit`, `cost_text`, `cost_basis`,
`cost_figure`; where it is not told all are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fiche.kernel.record import record

Row = dict[str, object]
_Document = Mapping[str, Any]
AMOUNT = {
    "low": "exact lower end: whole bytes, decimals, or a fraction",
    "high": "exact upper end; empty where it is open or where the number is not told",
    "unit": "unit of both ends; B is bytes, empty a pure number",
    "text": "as reports print it, rounded to nearest",
    "basis": "computed, observed, declared, assumed, stated or unknown",
    "figure": "id in decision.json; `fiche explain` walks it back to its line",
}


@record(kw_only=False)
class Column:
    """A column: its type in words of Frictionless, and what it holds."""

    name: str
    kind: str
    about: str


def text(name: str, about: str) -> Column:
    """A column of words."""
    return Column(name, "string", about)


def amount(name: str, about: str) -> tuple[Column, ...]:
    """The columns of a number."""
    return tuple(
        Column(f"{name}_{part}", "string", f"{about}: {said}") for part, said in AMOUNT.items()
    )


_ASKED = (
    text("candidate", "id of the candidate"),
    text("requirement", "id of the requirement"),
    text("case", "case of the workload; empty where it is of none"),
    text("device", "device; empty where it is of none"),
)
COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "candidates": (
        text("candidate", "id of the candidate"),
        text("status", "retained, to_confirm or excluded"),
        text("verdict", "worst verdict of its musts"),
        Column("rank", "integer", "rank among the retained with a known cost"),
        text("gpu", "card, by its id in the catalog"),
        text("card", "card, as the catalog names it"),
        *amount("cards", "how many cards"),
        text("offer", "id of the offer"),
        text("seller", "who sells"),
        text("machine", "machine, where one is named"),
        text("baseline", "candidate of which it changes one thing"),
        text("changed", "which fact it changes"),
        text("changed_from", "what it was"),
        text("changed_to", "what it is"),
        *amount("cost", "cost of the package"),
        *amount("useful_margin", "capacity less need on the worst case and device"),
        text("schedule", "documented day"),
        text("first_failed", "first must that excludes it"),
        Column("open", "integer", "how many of its musts are to confirm"),
    ),
    "findings": (
        *_ASKED,
        text("kind", "criterion"),
        text("level", "must or want"),
        text("verdict", "admissible, to_confirm or exclude"),
        text("outcome", "in words of W3C EARL: passed, failed, cantTell, untested, inapplicable"),
        text("unknown", "which of the two unknowns it is"),
        text("reason_code", "row of the rule that holds"),
        text("reason", "why"),
        *amount("need", "what is needed"),
        *amount("have", "what there is"),
        *amount("margin", "what there is less what is needed"),
        text("need_words", "what is needed, where words are compared"),
        text("have_words", "what there is, where words are compared"),
        text("settles_if", "values at which it turns"),
        text("pieces", "pieces that it rests on"),
        text("attested_by", "people whose word it takes"),
        text("expected_piece", "kind of piece that would settle it"),
    ),
    "conditions": (
        *_ASKED,
        text("topic", "what the open point is about"),
        text("text", "what would settle it"),
        text("threshold", "value at which the verdict turns"),
        text("supplier", "who can supply it"),
        text("piece_kind", "kind of piece that would attest it"),
    ),
    "figures": (
        text("figure", "id in decision.json"),
        text("label", "what it is"),
        *(column for column in amount("value", "the number") if column.name != "value_figure"),
        Column("date", "date", "the day, where it is one"),
        text("at", "where it was read"),
        text("by", "who says so"),
        text("because", "why"),
        text("formula", "formula, where it is computed"),
        text("inputs", "figures that it is computed from"),
        text("rests_on", "kinds of what it rests on, weakest first"),
        text("left_out", "what it does not include"),
    ),
    "pieces": (
        text("piece", "id of the piece"),
        text("file", "file name"),
        text("kind", "kind of piece"),
        text("version", "version"),
        text("collected", "when it was made or looked at"),
        text("expires", "last day on which it counts"),
        text("machine", "machine that it is of"),
        text("media_type", "media type"),
        Column("bytes", "integer", "length of the file in bytes"),
        text("sha256", "digest of the file"),
        text("not_covered", "cases and facts that it is no evidence of"),
    ),
    "bills": (
        text("candidate", "id of the candidate"),
        text("offer", "id of the offer"),
        text("seller", "who sells"),
        text("currency", "currency of the bill"),
        text("tax", "whether tax is in it"),
        text("line", "what is paid for"),
        text("per", "for each of what"),
        *amount("quantity", "how many"),
        *amount("price", "price of one"),
        *amount("amount", "amount of the line"),
    ),
}


@record
class Numbers:
    """Figures of a decision by id, as decision.json writes them, and as reports print them."""

    figures: Mapping[str, _Document]
    printed: Mapping[str, str]

    def cells(self, column: str, name: str | None) -> Row:
        """The columns of one number."""
        if name is None:
            return {}
        told = self.figures[name]
        low, high = ends(told)
        parts = {
            "low": low,
            "high": high,
            "unit": told["unit"],
            "text": self.printed[name],
            "basis": told["basis"],
            "figure": name,
        }
        return {f"{column}_{part}": value for part, value in parts.items()}


def ends(told: _Document) -> tuple[object, object]:
    """Both ends of a number of decision.json; None for one that is open."""
    for one, low, high in (("bytes", "low_bytes", "high_bytes"), ("value", "low", "high")):
        if one in told:
            return told[one], told[one]
        if low in told:
            return told[low], told[high]
    return None, None


def rows_of(name: str, document: _Document, told: Numbers) -> Iterator[Row]:
    """The rows of one table."""
    return _ROWS[name](document, told)


def _candidates(document: _Document, told: Numbers) -> Iterator[Row]:
    for one in document["candidates"]:
        change, summary = one["change"] or {}, one["summary"]
        first = summary["first_failed"]
        yield {
            **{key: one[key] for key in ("status", "verdict", "rank", "gpu", "card", "offer")},
            **{key: one[key] for key in ("seller", "machine", "baseline")},
            "candidate": one["id"],
            **told.cells("cards", one["cards"]),
            "changed": change.get("path"),
            "changed_from": change.get("from"),
            "changed_to": change.get("to"),
            **told.cells("cost", one["cost"]),
            **told.cells("useful_margin", one["useful_margin"]),
            "schedule": one["schedule"] and one["schedule"]["value"],
            "first_failed": first and first["requirement"],
            "open": len(summary["open"]),
        }


def _findings(document: _Document, told: Numbers) -> Iterator[Row]:
    lists = ("settles_if", "pieces", "attested_by")
    for one in document["findings"]:
        numbers: Row = {}
        for side in ("need", "have", "margin"):
            numbers |= told.cells(side, one[side] and one[side]["id"])
        yield {
            **{key: value for key, value in one.items() if isinstance(value, str)},
            **numbers,
            **{key: listed(one[key]) for key in lists},
        }


def _conditions(document: _Document, told: Numbers) -> Iterator[Row]:
    for point in document["workload_conditions"]:
        yield dict(point)
    for one in document["findings"]:
        asked = {key: one[key] for key in ("candidate", "requirement", "case", "device")}
        for point in one["conditions"]:
            yield {**asked, **point}


def _figures(document: _Document, told: Numbers) -> Iterator[Row]:
    for one in document["figures"]:
        words = {key: one.get(key) for key in ("label", "date", "at", "by", "because", "formula")}
        lists = {key: listed(one.get(key, ())) for key in ("inputs", "rests_on", "left_out")}
        yield {"figure": one["id"], **told.cells("value", one["id"]), **words, **lists}


def _pieces(document: _Document, told: Numbers) -> Iterator[Row]:
    for one in document["pieces"]:
        keys = ("file", "kind", "version", "collected", "expires", "machine", "media_type")
        left = [each.get("case") or f"{each['fact']} {each['told']}" for each in one["not_covered"]]
        yield {
            "piece": one["id"],
            **{key: one[key] for key in (*keys, "bytes", "sha256")},
            "not_covered": listed(left),
        }


def _bills(document: _Document, told: Numbers) -> Iterator[Row]:
    for bill in document.get("bills", ()):
        head = {key: bill[key] for key in ("candidate", "offer", "seller", "currency")}
        for line in bill["lines"]:
            numbers: Row = {}
            for side in ("quantity", "price", "amount"):
                numbers |= told.cells(side, line[side])
            yield {
                **head,
                "tax": bill["basis"],
                "line": line["name"],
                "per": line["per"],
                **numbers,
            }


def listed(items: Iterable[str]) -> str:
    """Several words in one cell."""
    return "; ".join(items)


_ROWS: Mapping[str, Callable[[_Document, Numbers], Iterator[Row]]] = {
    "candidates": _candidates,
    "findings": _findings,
    "conditions": _conditions,
    "figures": _figures,
    "pieces": _pieces,
    "bills": _bills,
}
