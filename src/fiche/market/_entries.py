"""From the rows of a listing to offers of ours, with everything that was not taken told (law 8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from fiche.kernel.catalog import Card
from fiche.kernel.doors import Listing
from fiche.kernel.listing import Ask, Asked, Doubt, Entry, Memory, Raw, Refusal
from fiche.kernel.record import record, replace
from fiche.market._cards import named
from fiche.market._memory import Read, read_memory
from fiche.market._numbers import number, plain, written

_SLUG = re.compile(r"[^A-Za-z0-9]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]")
# A table of offers is opened by other programs too; no name begins like this.
_FORMULA = ("=", "@", "+", "-", "\t")
_GPU_HOST = Fraction(1, 100)


class WrongError(Exception):
    """A row that cannot be right: code, column, value, why, hint."""

    def __init__(self, code: str, column: str, value: str, why: str, hint: str) -> None:
        super().__init__(why)
        self.code, self.column, self.value, self.why, self.hint = code, column, value, why, hint


@record(eq=False)
class _Cards:
    """The cards of a row: how many in a lot (0 is untold), and which they may be."""

    count: int
    gpu: str
    could_be: tuple[str, ...]
    declared: str
    doubts: tuple[Doubt, ...]
    module: bool = False


def entries(content: bytes, listing: Listing, asked: Asked) -> Iterator[Entry]:
    """What becomes of each row of a file.

    Raises:
        Refused: the file is not of the format.
    """
    observed = asked.observed_on or listing.observed(content)
    for raw in listing.read(content, asked):
        try:
            yield _entry(raw, listing, asked, observed)
        except WrongError as wrong:
            refusal = Refusal(
                code=wrong.code,
                place=raw.place,
                column=wrong.column,
                value=wrong.value,
                why=wrong.why,
                hint=wrong.hint,
            )
            yield Entry(place=raw.place, refusal=refusal)


def _entry(raw: Raw, listing: Listing, asked: Asked, observed: str) -> Entry:
    if raw.broken is not None:
        column, value, why = raw.broken
        raise WrongError(
            "F621", column, value, why, "see the format's documentation, or mend the row"
        )
    if raw.why:
        return Entry(place=raw.place, left=raw.why)
    _refuse_controls(raw)
    if not raw.name.strip():
        raise WrongError(
            "F621", raw.name_column, "", "it names no GPU", "name it, or leave the row out"
        )
    cards = _cards(raw, asked)
    asks, doubts = _priced(raw)
    if not asks:
        return Entry(place=raw.place, left="it has no price", doubts=doubts)
    host, strange = _host(raw, cards)
    shared = {**_shared(raw, cards, asked, observed), **host, **raw.told}
    if cards.module:
        asks = [_of_module(ask, raw) for ask in asks]
    offers = tuple(_offer(raw, one, shared, listing, asked) for one in asks)
    _refuse_wrong(offers, asked)
    return Entry(place=raw.place, offers=offers, doubts=(*cards.doubts, *doubts, *strange))


def _refuse_controls(raw: Raw) -> None:
    for column, text in ((raw.name_column, raw.name), ("seller", raw.seller), *raw.told.items()):
        if _CONTROL.search(text):
            why = "a control character stands in it"
            raise WrongError("F621", column, ascii(text), why, "remove it")
        if text.startswith(_FORMULA):
            why = "it begins as a formula of a spreadsheet"
            raise WrongError("F621", column, text, why, "write the name alone")


def _refuse_wrong(offers: tuple[Mapping[str, str], ...], asked: Asked) -> None:
    """What is written is read again by the same form: a row that would be refused there is refused here."""
    for offer in offers:
        found = asked.wrong(offer)
        if found is not None:
            path, told = found
            raise WrongError(told.code, path, offer.get(path, ""), told.message, told.hint)


def _cards(raw: Raw, asked: Asked) -> _Cards:
    count = _count(raw)
    if count is None or raw.slice_of:
        share = raw.slice_of or f"{raw.count} of a card"
        column, value = (
            (raw.count_column, raw.count) if raw.count_column else (raw.name_column, raw.name)
        )
        doubt = Doubt(kind="slice", column=column, value=value, why=f"is {share}")
        gpu = f"{raw.name} ({share})"
        return _Cards(count=0, gpu=gpu, could_be=(), declared="", doubts=(doubt,))
    found, declared = named(raw.name, asked.cards), ""
    doubts: list[Doubt] = []
    alike, told = found, count
    for memory in raw.memory:
        read = _read(memory, count, found)
        doubts += read.doubts
        declared = declared or read.declared
        if read.part:
            gpu = f"{raw.name} ({memory.text} {memory.unit} of it)"
            return _Cards(count=0, gpu=gpu, could_be=(), declared="", doubts=tuple(doubts))
        found = read.cards
    count, found, doubts = _modules(raw, count, found, doubts, asked)
    if len(found) == 1:
        return _Cards(
            count=count,
            gpu=found[0].id,
            could_be=(),
            declared=declared,
            doubts=tuple(doubts),
            module=count != told,
        )
    if found:
        names = ", ".join(card.id for card in found)
        doubts.append(
            Doubt(kind="card", column=raw.name_column, value=raw.name, why=f"could be {names}")
        )
    elif not alike:
        why = "is no card of the catalog"
        doubts.append(Doubt(kind="unknown_card", column=raw.name_column, value=raw.name, why=why))
    could_be = tuple(card.id for card in found)
    return _Cards(
        count=count, gpu=raw.name, could_be=could_be, declared=declared, doubts=tuple(doubts)
    )


def _read(memory: Memory, count: int, found: tuple[Card, ...]) -> Read:
    value = number(memory.text)
    if value is None or value < 0:
        why = "is no amount of memory"
        raise WrongError("F621", memory.column, memory.text, why, "write a plain number")
    if value == 0:
        doubt = Doubt(
            kind="memory_unknown", column=memory.column, value="0", why="0 stands for unknown"
        )
        return Read(cards=found, doubts=(doubt,))
    read = read_memory(memory, value, max(count, 1), found)
    if read.wrong:
        hint = "the unit of the column is another one: ask whoever writes the listing"
        raise WrongError("F622", memory.column, memory.text, read.wrong, hint)
    return read


def _modules(
    raw: Raw, count: int, found: tuple[Card, ...], doubts: list[Doubt], asked: Asked
) -> tuple[int, tuple[Card, ...], list[Doubt]]:
    """A module is sold as one and shown as several devices: lots are counted in what software shows."""
    modules = [card for card in found if card.enumerated_as == "module"]
    if not modules:
        return count, found, doubts
    if len(found) > 1:
        others = tuple(card for card in found if card.enumerated_as != "module")
        why = f"could be a module or one of its devices ({', '.join(card.id for card in found)})"
        doubts.append(Doubt(kind="module", column=raw.name_column, value=raw.name, why=why))
        return 0, others, doubts
    (module,) = modules
    devices = int(module.figures["devices"].low)
    device = module.facts["devices.card"].value
    why = f"is a module: software shows {devices} devices, {device}"
    doubts.append(Doubt(kind="module", column=raw.name_column, value=raw.name, why=why))
    cards = tuple(card for card in asked.cards if card.id == device)
    return count * devices, cards, doubts


def _of_module(ask: Ask, raw: Raw) -> Ask:
    """A price of one module is no price of one device; of a single module it is that of the lot."""
    if ask.covers != "card":
        return ask
    return replace(ask, covers="lot" if number(raw.count) == 1 else "")


def _count(raw: Raw) -> int | None:
    """Cards of the lot; 0 where nobody says; None for a part of a card."""
    if not raw.count:
        return 0
    value = number(raw.count)
    if value is None or value <= 0 or (value > 1 and value.denominator != 1):
        why = "is no number of cards"
        raise WrongError("F621", raw.count_column, raw.count, why, "write a whole number")
    return None if value < 1 else int(value)


def _priced(raw: Raw) -> tuple[list[Ask], tuple[Doubt, ...]]:
    """The prices that ask something; a price of 0 would rank first, and is nobody's offer."""
    asks, doubts = [], []
    for ask in raw.asks:
        value = number(ask.text) if ask.text else None
        if ask.text and (value is None or value < 0):
            hint = "write a plain number, without a sign of a currency"
            raise WrongError("F621", ask.column, ask.text, "is no price", hint)
        if value:
            asks.append(ask)
        elif ask.text:
            why = "is a price of 0: no offer"
            doubts.append(Doubt(kind="price_of_zero", column=ask.column, value=ask.text, why=why))
    if doubts and not asks:
        first = doubts[0]
        hint = "leave the row out, or write the price"
        raise WrongError("F624", first.column, first.value, "a price of 0 would rank first", hint)
    return asks, tuple(doubts)


def _host(raw: Raw, cards: _Cards) -> tuple[dict[str, str], tuple[Doubt, ...]]:
    """Main memory, unless it is that of the cards in the wrong column (skypilot-org/skypilot#6824)."""
    if raw.host is None or not raw.host[0]:
        return {}, ()
    text, unit, column = raw.host
    value = number(text)
    if not value:
        return {}, ()
    labels = [number(memory.text) for memory in raw.memory]
    units = [Fraction(1, 1024) if memory.unit == "MiB" else Fraction(1) for memory in raw.memory]
    for label, scale in zip(labels, units, strict=True):
        total = (label or 0) * scale * max(cards.count, 1)
        if total and abs(value - total) <= total * _GPU_HOST:
            why = "is as much as the cards have: device memory in the column of main memory?"
            doubt = Doubt(kind="host_memory", column=column, value=f"{text} {unit}", why=why)
            return {}, (doubt,)
    return {"host_memory": f"{plain(text)} {unit}"}, ()


def _shared(raw: Raw, cards: _Cards, asked: Asked, observed: str) -> dict[str, str]:
    seller = asked.seller or raw.seller
    if not seller:
        why = "nobody says who sells"
        raise WrongError("F625", "seller", "", why, "give --seller NAME")
    told = {"seller": seller, "kind": "rent", "gpu": cards.gpu}
    if cards.could_be:
        told["could_be"] = " ".join(cards.could_be)
    if cards.count:
        told["cards_per_lot"] = str(cards.count)
    if cards.declared:
        told["declared_memory.value"] = cards.declared
        told["declared_memory.counter"] = "provider_declared"
    if observed:
        told["observed_on"] = observed
    return told


def _offer(
    raw: Raw, ask: Ask, shared: Mapping[str, str], listing: Listing, asked: Asked
) -> Mapping[str, str]:
    currency = ask.told.get("price.currency") or asked.currency or listing.currency
    where = f"{raw.place}, column {ask.column}, sha256 {asked.sha256}"
    words = [f"{currency} by {asked.source if asked.currency else listing.currency_by}"]
    if asked.observed_on:
        words.append(f"day by {asked.source}")
    if ask.told.get("price.currency"):
        words = words[1:]
    told = {
        "id": _id(raw, ask, shared["seller"]),
        **shared,
        **price(ask, currency),
        **ask.told,
        "source": "; ".join((f"{asked.file} {where}", *words)),
    }
    return {path: text for path, text in told.items() if text and path != "price.currency"}


def price(ask: Ask, currency: str) -> dict[str, str]:
    """The price of an offer; a currency that says cents is a hundredth of one."""
    amount = plain(ask.text)
    if currency.endswith(" cents"):
        currency = currency.removesuffix(" cents")
        amount = written(Fraction(ask.text) / 100)
    told = {
        "price.amount": f"{amount} {currency}",
        "price.covers": ask.covers,
        "price.per": ask.per,
    }
    return {path: text for path, text in told.items() if text}


def _id(raw: Raw, ask: Ask, seller: str) -> str:
    """Stable for a file: seller, place in the file, and which of its prices it is."""
    parts = (seller, raw.place.removeprefix("line "), ask.suffix)
    return "-".join(filter(None, (_SLUG.sub("-", part).strip("-") for part in parts)))
