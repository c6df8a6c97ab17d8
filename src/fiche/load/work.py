"""How much is to be done, and the throughputs that say how long it takes (A2, C14, D2)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.number import parse_number, quoted
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.piece import Piece, Result
from fiche.kernel.quantity import Misread, Quantity
from fiche.kernel.unit import count_of
from fiche.kernel.work import Throughput, Work
from fiche.kernel.workload import Workload
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar, Sequence
from fiche.load.references import Known, nearest
from fiche.load.values import Parser, Signature, above_zero, count_parser, fact, figure

_SHOWN = 8


def work(workload: Mapping, sign: Signature) -> Work | None:
    """The work that a workload states; None where it states none."""
    if "work" not in workload:
        return None
    node = workload.mapping("work")
    of, amount = node.text("of"), node.scalar("amount")
    origin = Stated(span=amount.span, because=node.text("because"))
    told = tuple(_throughputs(node))
    guesses = [one for one in told if "value" in one]
    return Work(
        amount=figure(
            amount, above_zero(count_parser(of)), "work", "work to be done", sign.faults, origin
        ),
        of=of,
        measured=tuple(_measured(one) for one in told if "piece" in one),
        assumed=_assumed(guesses[0], of, sign) if guesses else None,
    )


def _throughputs(node: Mapping) -> Iterator[Mapping]:
    told = node.get("throughput")
    if isinstance(told, Sequence):
        yield from node.each("throughput")
    elif told is not None:
        yield node.mapping("throughput")


def _measured(node: Mapping) -> Throughput:
    return Throughput(
        piece=fact(node.scalar("piece")),
        metric=fact(node.scalar("metric")),
        stat=node.text("stat"),
        label=node.text("label"),
    )


def _assumed(node: Mapping, of: str, sign: Signature) -> Figure:
    value = node.scalar("value")
    by = sign.of(node.scalar("by") if "by" in node else None, node, "this throughput")
    origin = Assumed(by=by, because=node.text("because"), span=value.span)
    return figure(value, _rate(of), "work.throughput", f"{of} a second", sign.faults, origin)


def _rate(of: str) -> Parser:
    def read(text: str) -> Quantity | Misread:
        found = parse_number(text)
        if isinstance(found, Misread):
            return found
        return Quantity(value=found.value, unit=count_of(f"{of}/s"), text=text)

    return above_zero(read)


def check_work(root: Mapping, load: Workload, evidence: tuple[Piece, ...], faults: Faults) -> None:
    """Every throughput must be a result of its piece, and count what the work counts (F362)."""
    node = root.mapping("workload").mapping("work")
    if load.work is None:
        return
    names = Known("piece", tuple(one.id for one in evidence), "F307")
    for told in (one for one in _throughputs(node) if "piece" in one):
        if not names.check(told.scalar("piece"), faults):
            continue
        piece = next(one for one in evidence if one.id == told.text("piece"))
        if piece.reading.shape != "refused":
            _check_metric(told.scalar("metric"), piece, load.work.of, faults)


def _check_metric(metric: Scalar, piece: Piece, of: str, faults: Faults) -> None:
    named = [one for one in piece.reading.results if one.metric == metric.text]
    if not named:
        message = f"{piece.id} has no result {quoted(metric.text)}"
        faults.add("F362", message, metric.span, _metrics(metric.text, piece.reading.results))
    elif all(one.unit != f"{of}/s" for one in named):
        message = f"{quoted(metric.text)} is in {named[0].unit or 'no unit'}, the work is in {of}"
        hint = f"name a result in {of}/s, or count the work in what it counts"
        faults.add("F362", message, metric.span, hint)


def _metrics(word: str, results: tuple[Result, ...]) -> str:
    rates = list(dict.fromkeys(one.metric for one in results if one.unit.endswith("/s")))
    shown = f"its rates: {', '.join(rates[:_SHOWN])}" if rates else "it holds no throughput"
    return nearest(word, rates) or shown
