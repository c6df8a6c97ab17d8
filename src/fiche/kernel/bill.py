"""What a package costs, line by line: before tax, the tax, what is recovered, what is paid (D2, D9)."""

from __future__ import annotations

from fiche.kernel.figure import Figure, Node
from fiche.kernel.purchase import Rate
from fiche.kernel.record import record


@record
class Line:
    """One line of a bill: `quantity` times `price` is `amount`. `per` is what one price pays for, in words.

    `name` is price, setup, storage or egress. A charge that is told and cannot be counted has no amount.
    `gigabytes` are those that are planned, `months` how long they are stored, where a charge is by these.
    """

    name: str
    quantity: Figure | None
    price: Figure | None
    amount: Figure | None
    per: str = ""
    gigabytes: Figure | None = None
    months: Figure | None = None


@record
class Term:
    """For how long, as the package counts it: None and empty are untold.

    `period` is the time that one price pays for, called `unit` by its seller (`month`); `periods` of them are
    paid, which are `hours`. `asked` are the hours to be rented, `needed` the hours that the work takes by a
    throughput that somebody observed or assumed.
    """

    period: Figure | None = None
    unit: str = ""
    periods: Figure | None = None
    hours: Figure | None = None
    asked: Node | None = None
    needed: Node | None = None


@record
class Bill:
    """The cost of one candidate's package; None is untold, and so is what follows from it.

    All amounts are in the offer's own currency but `compared`, which is the outcome's cost: one of the totals
    under its own name (`basis` says which: excluded, included, payable, or empty for the sum as priced),
    converted at `rate` where there is one. `net` is the sum of the lines as priced; `payable` is before tax and
    the tax that the buyer does not recover. `left_out` names charges that nobody told, or nobody can count.
    `valid_until` is the last day of the price; `pieces` and `by` say on whose word the offer and the hours
    stand. `wanted` is the currency asked for, where no rate that counts leads into it.
    """

    lines: tuple[Line, ...]
    net: Figure
    compared: Figure
    basis: str
    term: Term
    lots: Figure | None = None
    cards: Figure | None = None
    before_tax: Figure | None = None
    tax_rate: Figure | None = None
    tax: Figure | None = None
    after_tax: Figure | None = None
    recovery: Figure | None = None
    recovered: Figure | None = None
    payable: Figure | None = None
    hourly: Figure | None = None
    rate: Rate | None = None
    wanted: str = ""
    valid_until: str = ""
    left_out: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


def figures_of(bill: Bill) -> dict[str, Node]:
    """Every number of a bill by its name in decision.json."""
    told: dict[str, Node | None] = {
        "lots": bill.lots,
        "cards": bill.cards,
        "period": bill.term.period,
        "periods": bill.term.periods,
        "hours": bill.term.hours,
        "asked": bill.term.asked,
        "needed": bill.term.needed,
        "net": bill.net,
        "before_tax": bill.before_tax,
        "tax_rate": bill.tax_rate,
        "tax": bill.tax,
        "after_tax": bill.after_tax,
        "recovery": bill.recovery,
        "recovered": bill.recovered,
        "payable": bill.payable,
        "hourly": bill.hourly,
        "compared": bill.compared,
        "rate": None if bill.rate is None else bill.rate.figure,
    }
    return {name: node for name, node in told.items() if node is not None}
