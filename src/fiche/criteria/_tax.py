"""Sums before and after tax, and what a buyer pays who recovers a part of it (catalog 6)."""

from __future__ import annotations

from collections.abc import Callable

from fiche.criteria._terms import Terms
from fiche.kernel.figure import Figure
from fiche.kernel.record import record

# A total by its key (net, excluded, tax, included, recovered, payable) under its name.
Namer = Callable[[str, Figure], Figure]


@record
class Totals:
    """The totals of one package in one currency; None is untold. `net` is the sum as priced."""

    net: Figure
    basis: str
    excluded: Figure | None = None
    tax: Figure | None = None
    included: Figure | None = None
    recovered: Figure | None = None
    payable: Figure | None = None

    def on(self, basis: str) -> Figure | None:
        """The total of a basis: excluded, included, payable; as priced where none is asked."""
        told = {"excluded": self.excluded, "included": self.included, "payable": self.payable}
        return told.get(basis, self.net)

    def at_least(self, basis: str) -> Figure | None:
        """A lower bound on the asked basis: tax adds, and never takes away."""
        found = self.on(basis) if basis else None
        if found is not None:
            return found
        if basis == "included":
            return self.net
        return self.excluded


def totals(net: Figure, terms: Terms, recovery: Figure | None, name: Namer) -> Totals:
    """All totals that follow from a sum as priced, its basis and rate, and the buyer's recovery."""
    net, basis, rate = name("net", net), terms.basis, terms.rate
    before = name("excluded", net) if basis == "excluded" else None
    after = name("included", net) if basis == "included" else None
    tax = None
    if basis and rate is not None:
        before = name("excluded", net / (1 + rate)) if before is None else before
        tax = name("tax", before * rate)
        after = name("included", before + tax) if after is None else after
    return Totals(
        net=net,
        basis=basis,
        excluded=before,
        tax=tax,
        included=after,
        recovered=_recovered(tax, recovery, name),
        payable=_payable(before, tax, after, recovery, name),
    )


def _recovered(tax: Figure | None, recovery: Figure | None, name: Namer) -> Figure | None:
    if tax is None or recovery is None:
        return None
    return name("recovered", tax * recovery)


def _payable(
    before: Figure | None,
    tax: Figure | None,
    after: Figure | None,
    recovery: Figure | None,
    name: Namer,
) -> Figure | None:
    """Before tax, and the part of it that is not recovered; all or nothing needs no rate."""
    if before is not None and tax is not None and tax.high == 0:
        return name("payable", before)
    if recovery is None:
        return None
    if before is not None and tax is not None:
        return name("payable", before + tax * (1 - recovery))
    if before is not None and recovery.low == 1:
        return name("payable", before)
    return name("payable", after) if after is not None and recovery.high == 0 else None
