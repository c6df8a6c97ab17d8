"""Numbers of packages and their cost under their names, for the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.bill import Bill, figures_of
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node


def numbers(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """(owner, name, number) of each: the buyer's, then every bill's."""
    yield from _stated(decision)
    for outcome in decision.outcomes:
        if outcome.bill is not None:
            who = outcome.candidate.id
            for name, node in _of(outcome.bill):
                yield who, f"{who}/bill.{name}", node


def _stated(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    purchase, work = decision.fiche.purchase, decision.fiche.workload.work
    for rate in purchase.rates:
        yield "", rate.figure.id, rate.figure
    told = (purchase.recovery, work.amount if work else None, work.assumed if work else None)
    for figure in told:
        if figure is not None:
            yield "", figure.id, figure


def _of(bill: Bill) -> Iterator[tuple[str, Node]]:
    for line in bill.lines:
        for suffix, node in (
            (".quantity", line.quantity),
            (".price", line.price),
            (".gigabytes", line.gigabytes),
            (".months", line.months),
            ("", line.amount),
        ):
            if node is not None:
                yield f"{line.name}{suffix}", node
    yield from figures_of(bill).items()
