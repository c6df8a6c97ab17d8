"""One currency for all of a plan: what is in another is converted at a told rate, or refused as open."""

from __future__ import annotations

from fiche.criteria._exchange import Exchange
from fiche.kernel.currency import currency_of
from fiche.kernel.figure import Figure, Node
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.record import record
from fiche.kernel.unit import Unit, money


@record
class Money:
    """`currency` is what the plan is compared in; empty where nothing is priced."""

    currency: str
    rates: tuple[Rate, ...]

    @classmethod
    def of(cls, purchase: Purchase, first: Node | None) -> Money:
        """The fiche's own currency, else that of the purchase."""
        told = purchase.currency or ("" if first is None else currency_of(first.unit))
        return cls(currency=told, rates=purchase.rates)

    @property
    def unit(self) -> Unit:
        """The unit of an amount."""
        return money(self.currency)

    def converted(self, amount: Node) -> Node | None:
        """The amount in the plan's currency, over a told rate; None where there is none."""
        source = currency_of(amount.unit)
        if source in ("", self.currency) or not isinstance(amount, Figure):
            return amount
        pair = {source, self.currency}
        rate = next((one for one in self.rates if {one.source, one.target} == pair), None)
        if rate is None:
            return None
        return Exchange(source=source, target=self.currency, rate=rate).of(amount)
