"""An amount in another currency: at a rate with its date and source, or not at all (catalog 6)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._days import days_between
from fiche.kernel import trace
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Assumed
from fiche.kernel.purchase import Rate
from fiche.kernel.record import record
from fiche.kernel.said import tell

# How long a rate may be leaned on, in a policy's `max_age`; a kind that is not named goes by the others.
_AGE, _OTHERS = "exchange", "others"


@record
class Exchange:
    """How an amount gets into a currency: `rate` is None where it needs none, or nobody tells one.

    `open` says what rate is missing, or why the one at hand does not count; `guess` what would make an assumed
    one firm.
    """

    source: str
    target: str
    rate: Rate | None = None
    open: Condition | None = None
    guess: Condition | None = None

    @property
    def possible(self) -> bool:
        """True where amounts can stand in the wanted currency."""
        return self.open is None

    def of(self, amount: Figure) -> Figure:
        """The amount in the wanted currency, where a rate leads there; else as it is."""
        if self.rate is None:
            return amount
        if self.rate.source == self.source:
            return amount * self.rate.figure
        return amount / self.rate.figure


def exchange(source: str, target: str, ground: Inquiry) -> Exchange:
    """The way from one currency to another; none is needed where no target is asked for."""
    if not target or source == target:
        return Exchange(source=source, target=target)
    pair = {source, target}
    rate = next((one for one in ground.purchase.rates if {one.source, one.target} == pair), None)
    if rate is None:
        text = tell(
            "the price is in {source}, and compared in {target}: state a rate with date and source",
            source=source,
            target=target,
        )
        return Exchange(source=source, target=target, open=_lacking(text))
    why = next(_stale(rate, ground), "")
    if why:
        text = tell(
            "renew the rate between {source} and {target}: {why}",
            source=source,
            target=target,
            why=why,
        )
        return Exchange(source=source, target=target, open=_lacking(text))
    return Exchange(source=source, target=target, rate=rate, guess=_guess(rate))


def _stale(rate: Rate, ground: Inquiry) -> Iterator[str]:
    """Why a rate does not count on the decision's day."""
    if rate.date > ground.date:
        yield tell(
            "it is of {date}, after the decision of {date2}", date=rate.date, date2=ground.date
        )
    if rate.piece and all(piece.id != rate.piece for piece in ground.pieces):
        yield tell("{piece}, which prints it, is out of date", piece=rate.piece)
    ages = ground.policy.max_age
    most, age = ages.get(_AGE, ages.get(_OTHERS)), days_between(rate.date, ground.date)
    if most is not None and age is not None and age > most:
        yield tell(
            "it is of {date}, {age} days before the decision of {date2}: policy "
            "'{policy}' lets a rate count for {most} days",
            date=rate.date,
            age=age,
            date2=ground.date,
            policy=ground.policy.name,
            most=most,
        )


def _guess(rate: Rate) -> Condition | None:
    if trace.firm(rate.figure) or not isinstance(rate.figure.origin, Assumed):
        return None
    text = tell(
        "attach what prints the rate of {date} between {source} and {target} ({told_by}): "
        "{by} typed it",
        date=rate.date,
        source=rate.source,
        target=rate.target,
        told_by=rate.told_by,
        by=rate.figure.origin.by,
    )
    return _lacking(text)


def _lacking(text: str) -> Condition:
    return Condition(topic="cost", text=text, supplier=tell("author of the fiche"))
