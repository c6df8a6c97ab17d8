"""Listings of other programs, imported: what became of each row, and nothing left out unsaid (law 8)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fiche.cli.screened import content_of
from fiche.cli.usage import unknown
from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.listing import Asked, Refusal
from fiche.kernel.number import Misread
from fiche.kernel.quantity import parse_date, parse_money
from fiche.kernel.record import record, replace
from fiche.load.catalog import builtin_catalog
from fiche.load.offer_cells import wrong_in
from fiche.market._room import Imported, formats, imported, listing_of
from fiche.market._written import written

_SHOWN = 5
_ENDINGS = (".yaml", ".yml", ".jsonl", ".csv")


@record
class Said:
    """What the person says beside the files."""

    kind: str = ""
    currency: str = ""
    seller: str = ""
    observed_on: str = ""
    source: str = ""
    columns: tuple[str, ...] = ()


def imports(files: Sequence[Path], said: Said) -> tuple[Imported, ...]:
    """Each file, read whole.

    Raises:
        Refused: a file is of no known format, or what is said does not go together.
    """
    _check(said)
    cards = tuple(builtin_catalog().cards.values())
    return tuple(_import(file, said, cards) for file in files)


def _import(file: Path, said: Said, cards: tuple[Card, ...]) -> Imported:
    content = content_of(file)
    columns = dict(_templates(said.columns))
    listing = listing_of(content, file.name, said.kind or ("columns" if columns else ""))
    asked = Asked(
        file=str(file),
        folder=file.resolve().parent.name,
        sha256=hashlib.sha256(content).hexdigest(),
        cards=cards,
        currency=said.currency,
        seller=said.seller,
        observed_on=said.observed_on,
        source=said.source,
        columns=columns,
        wrong=wrong_in,
    )
    return imported(content, listing, asked)


def _check(said: Said) -> None:
    wrong = list(_wrong(said))
    if wrong:
        raise Refused(wrong)


def _wrong(said: Said) -> Iterator[Diagnostic]:
    if said.kind and said.kind not in formats():
        yield unknown("format", said.kind, formats())
    if (said.observed_on or said.currency) and not said.source:
        option = "--observed-on" if said.observed_on else "--currency"
        message = f"{option} is somebody's word: say whose"
        hint = "add --source 'the page, and who read it'; the date of a file says nothing"
        yield Diagnostic(code="F626", message=message, address=None, hint=hint)
    day = parse_date(said.observed_on) if said.observed_on else None
    money = parse_money(f"1 {said.currency.removesuffix(' cents')}") if said.currency else None
    for read in (day, money):
        if isinstance(read, Misread):
            yield Diagnostic(code=read.code, message=read.message, address=None, hint=read.hint)


def _templates(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    said: set[str] = set()
    for text in texts:
        path, sign, template = text.partition("=")
        if not (path and sign and template):
            hint = "write a path and a template: 'price.amount={Price} EUR'"
            message = f"'{text}' says nothing of a column"
            raise Refused([Diagnostic(code="F627", message=message, address=None, hint=hint)])
        if path.strip() in said:
            message = f"two templates say what '{path.strip()}' is"
            hint = "leave one of them out"
            raise Refused([Diagnostic(code="F627", message=message, address=None, hint=hint)])
        said.add(path.strip())
        yield path.strip(), template.strip()


def merged_bytes(found: Sequence[Imported], output: Path) -> bytes:
    """All offers in the form that the output's name asks for.

    Raises:
        Refused: F632 its ending is none of ours.
    """
    if output.suffix not in _ENDINGS:
        message = f"'{output.name}' does not say in which form to write"
        hint = f"end it in {', '.join(_ENDINGS)}"
        raise Refused([Diagnostic(code="F632", message=message, address=None, hint=hint)])
    offers = [offer for one in found for offer in _unique(one, found)]
    _refuse_shared_ids(offers)
    return written(offers, output.name)


def _refuse_shared_ids(offers: Sequence[Mapping[str, str]]) -> None:
    seen: set[str] = set()
    for offer in offers:
        if offer["id"] in seen:
            message = f"two rows would make the offer '{offer['id']}'"
            hint = (
                "let the template of 'id' name a column that differs in every row, or leave it out"
            )
            raise Refused([Diagnostic(code="F306", message=message, address=None, hint=hint)])
        seen.add(offer["id"])


def _unique(one: Imported, found: Sequence[Imported]) -> Iterator[dict[str, str]]:
    """Two files of one seller have rows of one place: the file's number tells their ids apart."""
    place = list(found).index(one)
    for offer in one.offers:
        yield {**offer, "id": f"{offer['id']}-{place + 1}"} if place else dict(offer)


def summary_text(found: Sequence[Imported]) -> str:
    """Counts that add up to the rows read, then what was refused and what is in doubt."""
    return "\n".join(line for one in found for line in _lines(one))


# What the kinds of doubt are called; the words themselves are stable.
_DOUBTS = {
    "card": "name that several cards share",
    "unknown_card": "card of no catalog",
    "no_such_card": "memory of no card of that name",
    "slice": "part of a card",
    "module": "module of several devices",
    "memory_of_machine": "memory of a machine",
    "memory_unknown": "memory of 0",
    "label_converted": "label for a memory",
    "host_memory": "main memory in doubt",
    "price_of_zero": "price of 0",
}


def _lines(one: Imported) -> Iterator[str]:
    left = sum(one.left.values())
    yield (
        f"{one.file}: {one.listing.name}; {_many(one.rows, 'row')} = {one.offering} with "
        f"{_many(len(one.offers), 'offer')} + {left} left out + {len(one.refused)} refused"
    )
    yield from (f"  left out: {_many(count, 'row')}, {why}" for why, count in one.left.items())
    for refusal in one.refused[:_SHOWN]:
        yield f"  refused: {refusal_text(refusal)}"
    yield from (f"    hint: {hint}" for hint in dict.fromkeys(r.hint for r in one.refused))
    if len(one.refused) > _SHOWN:
        more = _many(len(one.refused) - _SHOWN, "more row")
        yield f"  refused: {more} (--refused FILE or --json names each)"
    for kind, count in one.doubts.items():
        yield f"  in doubt: {count} x {_DOUBTS[kind]}; {one.examples[kind]}"
    if one.zones:
        yield (
            f"  {_many(one.zones, 'offer')} more of the same in another region: a price printed for many zones "
            "is no stock"
        )


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def refusal_text(refusal: Refusal) -> str:
    """Where, what and why."""
    column = f", {refusal.column}" if refusal.column else ""
    value = f" '{refusal.value}'" if refusal.value else ""
    return f"{refusal.code} {refusal.place}{column}{value}: {refusal.why}"


def summary_json(found: Sequence[Imported]) -> dict[str, Any]:
    """The same, with every refused row."""
    return {"format": "fiche-offers-import/1", "files": [_json(one) for one in found]}


def _json(one: Imported) -> dict[str, Any]:
    return {
        "file": one.file,
        "listing": one.listing.name,
        "rows": one.rows,
        "rows_with_offers": one.offering,
        "offers": len(one.offers),
        "left_out": dict(one.left),
        "refused": [refusal_json(refusal, one.file) for refusal in one.refused],
        "in_doubt": {
            kind: {"count": count, "first": one.examples[kind]}
            for kind, count in one.doubts.items()
        },
        "repeated_for_other_regions": one.zones,
    }


def refusal_json(refusal: Refusal, file: str) -> dict[str, str]:
    """A refused row as one object."""
    return {
        "file": file,
        "place": refusal.place,
        "column": refusal.column,
        "value": refusal.value,
        "code": refusal.code,
        "why": refusal.why,
        "hint": refusal.hint,
    }


def strictly(found: Sequence[Imported]) -> None:
    """Refuse the whole where a row is refused.

    Raises:
        Refused: every refused row, by its code.
    """
    wrong = [
        Diagnostic(
            code=refusal.code,
            message=f"{one.file}: {refusal_text(refusal).partition(' ')[2]}",
            address=None,
            hint=refusal.hint,
        )
        for one in found
        for refusal in one.refused
    ]
    if wrong:
        raise Refused(wrong)


def said(**words: str | None) -> Said:
    """Options that were not given are empty."""
    return replace(Said(), **{name: word for name, word in words.items() if word})
