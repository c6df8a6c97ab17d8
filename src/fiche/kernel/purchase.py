"""Who buys, in which currency costs are compared, and the rates that may convert one into it."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import field, record


@record
class Rate:
    """One amount of `source` is `figure` of `target` on `date`, as `told_by` says.

    The figure is declared where a piece prints it, assumed where a person types it: a converted amount is no
    firmer than its rate. `piece` prints it, or is named as where it stands.
    """

    source: str
    target: str
    figure: Figure
    date: str
    told_by: str
    piece: str = ""


@record
class Purchase:
    """The buyer's side of every cost.

    `currency` is what costs are compared in (empty: each in its own, and none is converted); `recovery` is the
    share of the tax that this buyer gets back (None: untold). `facts` by path: name, office, budget_holder,
    budget_line, ...
    """

    currency: str = ""
    rates: tuple[Rate, ...] = ()
    recovery: Figure | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)


NO_PURCHASE = Purchase()
