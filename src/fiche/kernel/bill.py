"""What a package costs, line by line: before tax, the tax, what is recovered, what is paid (D2, D9)."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.record import record


@record
class Line:
    """One line of a bill: so many of something at a price, and what they come to."""

    name: str
    quantity: Figure | None
    price: Figure | None
    amount: Figure


@record
class Bill:
    """The cost of one candidate's package; None is untold, and so is what follows from it."""

    lines: tuple[Line, ...]
    before_tax: Figure | None = None
    tax: Figure | None = None
    after_tax: Figure | None = None
    recovered: Figure | None = None
    payable: Figure | None = None
