"""The need's total beside a policy's thresholds: what each says, and never which of them is law (catalog 7)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.origin import Stated
from fiche.kernel.procedure import Band, Counted, Placed, Procedure, Quoted
from fiche.report import parts
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Callout,
    Cell,
    Code,
    Missing,
    Paragraph,
    Parts,
    Reference,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """None where the policy states no threshold and no similar order is on record."""
    found = desk.decision.procedure
    if found is None:
        return None
    blocks = (
        Paragraph(_lead(desk, found)),
        *_open(desk, found),
        *_assumed(desk, found),
        *_splitting(desk, found),
        *_orders(desk, found),
        *_bands(desk, found),
        *(Paragraph(_quotes(desk, asked, found)) for asked in found.quotes),
    )
    return Section(id="procedure", title=desk.word("procedure_title"), blocks=blocks)


def _lead(desk: Desk, found: Procedure) -> Parts:
    order = desk.amount(found.order)
    if not found.counted:
        return desk.say("procedure_alone", order=order)
    return desk.say("procedure_lead", order=order, total=desk.amount(found.total))


def _open(desk: Desk, found: Procedure) -> Iterator[Block]:
    if found.open:
        what = joined([desk.legible(condition.text) for condition in found.open], "; ")
        yield Paragraph(desk.say("procedure_open", what=what))


def _assumed(desk: Desk, found: Procedure) -> Iterator[Block]:
    """A guess settles nothing by itself: that the total rests on one is said beside it (law 1)."""
    if found.assumed:
        yield Paragraph((Words(desk.word("procedure_assumed")),), tone="note")


def _splitting(desk: Desk, found: Procedure) -> Iterator[Block]:
    if found.splitting:
        names = joined([parts.Quoted(placed.band.name) for placed in found.splitting])
        text = Paragraph(desk.say("splitting", names=names))
        yield Callout(kind="splitting", title=desk.word("splitting_title"), blocks=(text,))


# --- Similar orders -------------------------------------------------------------------------------


def _orders(desk: Desk, found: Procedure) -> Iterator[Table]:
    if found.counted:
        yield Table(
            id="similar",
            caption=desk.word("similar_caption"),
            columns=columns(
                desk,
                "similar_order",
                "similar_date",
                "similar_seller",
                "similar_for",
                "similar_amount:number",
                "similar_counts",
            ),
            rows=tuple(_order(desk, one) for one in found.counted),
            notes=tuple(_period(desk)),
        )


def _period(desk: Desk) -> Iterator[Parts]:
    """The period in the days that the policy writes, and where that is written."""
    rules = desk.decision.fiche.policy.thresholds
    if rules.within is not None and isinstance(rules.within.origin, Stated):
        span = rules.within.origin.span
        yield desk.say(
            "similar_within",
            period=desk.amount(rules.within, span.text if span is not None else ""),
            source=parts.Quoted(rules.within_source),
        )


def _order(desk: Desk, one: Counted) -> Row:
    order = one.order
    reference: Parts | None = (Reference(order.piece),) if order.piece else None
    basis = desk.word(f"band_{order.tax}") if order.tax else ""
    converted: Parts | None = None if one.converted is None else (desk.amount(one.converted),)
    return row(
        cell(Code(order.id), reference),
        cell(Code(order.date) if order.date else Missing(desk.word("no_date_told"))),
        cell(parts.Quoted(order.seller) if order.seller else Missing(desk.word("no_seller"))),
        cell(parts.Quoted(order.what) if order.what else Missing(desk.word("nothing_told"))),
        cell((desk.amount(order.amount),), converted, basis or None, numeric=True),
        cell(_counts(desk, one), _unattested(desk, one)),
    )


def _unattested(desk: Desk, one: Counted) -> Parts | None:
    """A piece beside an amount that it does not print would seem to attest it."""
    amount, piece = one.order.amount, one.order.piece
    if not piece or amount is None or not isinstance(amount.origin, Stated):
        return None
    return desk.say("similar_unattested", piece=Reference(piece))


def _counts(desk: Desk, one: Counted) -> Parts:
    """Counted, or why it is not, or not with a known amount."""
    if not one.left_out:
        return (Words(desk.word("similar_yes")),)
    return (Words(desk.word(f"similar_{one.left_out}")),)


# --- Thresholds -----------------------------------------------------------------------------------


def _bands(desk: Desk, found: Procedure) -> Iterator[Block]:
    policy = parts.Quoted(desk.decision.fiche.policy.name)
    if not found.placed:
        yield Paragraph(desk.say("no_bands", policy=policy), tone="note")
        return
    yield Table(
        id="procedures",
        caption=desk.word("bands_caption").format(policy=desk.decision.fiche.policy.name),
        columns=columns(
            desk,
            "band",
            "band_amounts:number",
            "band_rule",
            "band_need",
            "band_order",
            "band_confirm",
        ),
        rows=tuple(_band(desk, placed) for placed in found.placed),
    )


def _band(desk: Desk, placed: Placed) -> Row:
    band = placed.band
    whom = desk.say("band_whom", whom=parts.Quoted(band.whom)) if band.whom else None
    return row(
        cell(parts.Quoted(band.name), whom),
        _amounts(desk, band),
        _rule(desk, band),
        _place(desk, placed.need),
        _place(desk, placed.order),
        cell(parts.Quoted(band.confirm)),
    )


def _amounts(desk: Desk, band: Band) -> Cell:
    lines: list[Parts] = []
    if band.at_least is not None:
        lines.append(desk.say("band_from", amount=desk.amount(band.at_least)))
    if band.below is not None:
        lines.append(desk.say("band_below", amount=desk.amount(band.below)))
    lines = lines or [(Words(desk.word("band_any")),)]
    return cell(*lines, desk.word(f"band_{band.tax}"), numeric=True)


def _rule(desk: Desk, band: Band) -> Cell:
    """The text that says so: article, date of the rule used, source."""
    article = (parts.Quoted(band.article),) if band.article else None
    since = desk.say("band_since", date=Code(band.date)) if band.date else None
    return cell(article, since, (parts.Quoted(band.source),))


def _place(desk: Desk, place: str) -> Cell:
    word = desk.word(f"place_{place}")
    if place == "open":
        return cell(Missing(word))
    return cell(Words(word, strong=place == "within"))


def _quotes(desk: Desk, asked: Quoted, found: Procedure) -> Parts:
    """How many quotes the policy asks for, and of whom one is on record."""
    rule = asked.rule
    sellers: Parts = (Missing(desk.word("quotes_none")),)
    if found.sellers:
        names = joined([parts.Quoted(name) for name in found.sellers])
        sellers = desk.say("quotes_of", n=len(found.sellers), names=names)
    return desk.say(
        "quotes_asked",
        amount=desk.amount(rule.at_least),
        basis=desk.word(f"band_{rule.tax}"),
        quotes=desk.count(rule.quotes, desk.counted("quote_noun", int(rule.quotes.low))),
        source=parts.Quoted(rule.source),
        standing=desk.word(f"quotes_{asked.need}"),
        sellers=sellers,
    )
