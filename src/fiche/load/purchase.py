"""The buyer's side of every cost, as a fiche states it: who buys, in which currency, at which rates."""

from __future__ import annotations

from fiche.kernel.address import Pointer
from fiche.kernel.currency import CURRENCIES
from fiche.kernel.diagnostic import Refused
from fiche.kernel.figure import Figure
from fiche.kernel.number import parse_number, quoted
from fiche.kernel.origin import Assumed, Declared, Origin
from fiche.kernel.piece import Piece
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.quantity import Misread, Quantity, parse_date, parse_ratio
from fiche.kernel.said import tell
from fiche.kernel.unit import money
from fiche.load.attests import held_in
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar
from fiche.load.pieces import Desk
from fiche.load.quoting import Document, pointer_of, silent
from fiche.load.references import Known
from fiche.load.values import above_zero, fact, figure

# What is no word about the buyer, and read as a number.
_RECOVERY = "tax_recovery"


def purchase(root: Mapping, evidence: tuple[Piece, ...], desk: Desk) -> Purchase:
    """Who buys, in which currency and at which rates; a fiche that names none of it has none."""
    buyer, faults = root.mapping("buyer"), desk.sign.faults
    if "currency" in root:
        _known(root.scalar("currency"), desk)
    return Purchase(
        currency=root.text("currency"),
        rates=_rates(root, evidence, desk),
        recovery=_recovery(buyer.scalar(_RECOVERY), faults) if _RECOVERY in buyer else None,
        facts={key: fact(buyer.scalar(key)) for key in buyer.entries if key != _RECOVERY},
    )


def _recovery(told: Scalar, faults: Faults) -> Figure:
    label = tell("share of the tax that the buyer recovers")
    share = figure(told, parse_ratio, "buyer.tax_recovery", label, faults)
    if share.low > 1:
        message = f"{quoted(told.text)} is more than all of the tax"
        faults.add("F364", message, told.span, "write the share that the buyer gets back: 62 %")
    return share


def _known(code: Scalar, desk: Desk) -> None:
    if code.text not in CURRENCIES:
        message = f"unknown currency {quoted(code.text)}"
        desk.sign.faults.add("F209", message, code.span, "write a code of ISO 4217, such as EUR")


def _rates(root: Mapping, evidence: tuple[Piece, ...], desk: Desk) -> tuple[Rate, ...]:
    """Each pair once: of two rates of one pair nobody says which one counts."""
    found: dict[frozenset[str], Scalar] = {}
    told = []
    for node in root.each("exchange"):
        source, target = node.scalar("from"), node.scalar("to")
        _known(source, desk)
        _known(target, desk)
        pair = frozenset((source.text, target.text))
        if len(pair) == 1:
            message = f"this rate leads from {source.text} to itself"
            desk.sign.faults.add("F360", message, target.span, "name the other currency")
            continue
        first = found.setdefault(pair, source)
        if first is not source:
            message = f"a rate between {source.text} and {target.text} is told twice"
            hint = f"the first stands on {first.span}; keep the one that counts"
            desk.sign.faults.add("F361", message, source.span, hint)
            continue
        told.append(_rate(node, evidence, desk))
    return tuple(told)


def _rate(node: Mapping, evidence: tuple[Piece, ...], desk: Desk) -> Rate:
    source, target = node.text("from"), node.text("to")
    day = parse_date(node.text("date"))
    if isinstance(day, Misread):
        desk.sign.faults.misread(day, node.scalar("date").span)
    return Rate(
        source=source,
        target=target,
        figure=_figure(
            node, tell("{target} for one {source}", target=target, source=source), evidence, desk
        ),
        date=node.text("date"),
        told_by=node.text("source"),
        piece=node.text("piece"),
    )


def _figure(node: Mapping, label: str, evidence: tuple[Piece, ...], desk: Desk) -> Figure:
    source, target = node.text("from"), node.text("to")

    def read(text: str) -> Quantity | Misread:
        found = parse_number(text)
        if isinstance(found, Misread):
            return found
        return Quantity(value=found.value, unit=money(target).per(money(source)), text=text)

    name = f"exchange.{source}.{target}"
    origin = _origin(node, evidence, desk)
    return figure(node.scalar("rate"), above_zero(read), name, label, desk.sign.faults, origin)


def _origin(node: Mapping, evidence: tuple[Piece, ...], desk: Desk) -> Origin:
    """Declared where the words of a piece hold the rate; else somebody typed it, and it is assumed."""
    pointer = _pointer(node, evidence, desk)
    if pointer is not None and held_in(pointer.text, node.text("rate")):
        return Declared(address=pointer, by=node.text("piece"), printed=pointer.text)
    by = node.scalar("by") if "by" in node else None
    what = "this rate: no quoted words of a piece hold it"
    because = tell("rate of {date}, {source}", date=node.text("date"), source=node.text("source"))
    return Assumed(by=desk.sign.of(by, node, what), because=because, span=node.scalar("rate").span)


def _pointer(node: Mapping, evidence: tuple[Piece, ...], desk: Desk) -> Pointer | None:
    if "piece" not in node:
        return None
    told = node.scalar("piece")
    known = Known("piece", tuple(one.id for one in evidence), "F307")
    if not known.check(told, desk.sign.faults):
        return None
    piece = next(one for one in evidence if one.id == told.text)
    document = _document(piece, desk)
    if "quote" not in node or silent(node, document):
        return None
    return pointer_of(node, document, desk.sign)


def _document(piece: Piece, desk: Desk) -> Document:
    """The piece's words: its own lines, or those that lie in a container such as a PDF."""
    content = desk.contents[piece.file]
    try:
        laid_out = desk.importers.document(content, piece.sha256, piece.file)
    except Refused:  # what is wrong with the file was told where the piece was read
        laid_out = None
    passages = laid_out.passages if laid_out is not None else ()
    contained = passages and not passages[0].place.startswith("line ")
    return Document(piece.id, piece.sha256, content, None, passages if contained else None)
