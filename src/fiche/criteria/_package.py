"""What the whole package of an offer costs: whole lots, whole cards, minimum order and time (D9)."""

from __future__ import annotations

from fiche.criteria._billed import COST, bill, charge_line, named_total, price_line
from fiche.criteria._bought import bought_of
from fiche.criteria._charges import CHARGES, Charge, charges
from fiche.criteria._cost_open import FREELY, HOURS, RATE, WITHIN, Point, Priced, open_of
from fiche.criteria._exchange import Exchange, exchange
from fiche.criteria._hours import hours_of
from fiche.criteria._tax import Totals, totals
from fiche.criteria._terms import terms_of
from fiche.kernel.bill import Bill, Line
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate


@record
class Package:
    """`cost` is what a report prints; `at_least` may exclude; `points` are what keeps it from admitting.

    `guessed` are what would make firm what somebody assumes: hours, a throughput, a rate. `comparable` is
    False where the cost stays in another currency than the one asked for. `short` says that the work
    takes longer than what is rented, `apart` what measurements show that come to different costs.
    """

    cost: Figure
    at_least: Figure | None
    points: tuple[Point, ...]
    guessed: tuple[Point, ...]
    conflicts: tuple[str, ...]
    short: tuple[str, ...]
    apart: tuple[str, ...]
    pieces: tuple[str, ...]
    by: tuple[str, ...]
    comparable: bool
    bill: Bill

    @property
    def known(self) -> bool:
        """True when nothing is open or guessed: only a known cost is ranked (DESIGN 4)."""
        apart = self.conflicts or self.short or self.apart
        return self.cost.high is not None and not (self.points or self.guessed or apart)

    @property
    def open(self) -> tuple[Condition, ...]:
        """What keeps it from admitting, in words."""
        return tuple(point.condition for point in self.points)

    @property
    def guesses(self) -> tuple[Condition, ...]:
        """What somebody assumes: a second reading takes it as it stands."""
        return tuple(point.condition for point in self.guessed)


def package(
    candidate: Candidate, basis: str, ground: Inquiry, currency: str = ""
) -> Package | None:
    """The package's cost on a tax basis and in a currency.

    `basis` is included, excluded or payable, or empty where none is asked; without a `currency`, or without a
    rate that leads there, the cost stays in its own.
    """
    offer = candidate.offer
    if offer is None or "price" not in offer.figures:
        return None
    terms, hours = terms_of(offer, candidate, ground), hours_of(candidate, ground)
    bought = bought_of(offer, candidate, terms, hours, assume=ground.assume)
    priced = Priced(candidate=candidate, offer=offer, terms=terms, bought=bought, hours=hours)
    way = exchange(str(terms.price.unit), currency, ground)
    counted = tuple(charges(offer, terms, bought, bought.periods))
    lines = _lines(priced, counted, bought.periods)
    left_out = _left_out(priced, counted)
    sums, cost, on = _summed(priced, lines, basis, way, left_out, ground)
    rented = offer.kind != "buy"
    told = bill(priced, lines, sums, (cost, on), way, ground.purchase)
    return Package(
        cost=cost,
        at_least=_at_least(priced, sums, basis, way, ground),
        points=_open(priced, basis, counted, way, ground),
        guessed=_guesses(priced, way),
        conflicts=terms.conflicts,
        short=(hours.short,) if rented and hours.short else (),
        apart=(hours.apart,) if rented and hours.apart and not cost.exact else (),
        pieces=_with_rate(told.pieces, way),
        by=told.by,
        comparable=way.possible,
        bill=told,
    )


def _with_rate(pieces: tuple[str, ...], way: Exchange) -> tuple[str, ...]:
    """A converted cost rests on the piece that prints the rate, too."""
    printed = way.rate.piece if way.rate is not None else ""
    return (*pieces, printed) if printed and printed not in pieces else pieces


def told_basis(candidate: Candidate, ground: Inquiry) -> str:
    """The tax basis that the candidate's offer is priced on; empty where nobody says."""
    offer = candidate.offer
    priced = offer is not None and "price" in offer.figures
    return terms_of(offer, candidate, ground).basis if offer is not None and priced else ""


def _lines(priced: Priced, counted: tuple[Charge, ...], periods: Figure) -> tuple[Line, ...]:
    """The price, then every charge that is told and not zero."""
    charged = [one for one in counted if one.price.high != 0]
    return (price_line(priced, periods), *(charge_line(priced, one) for one in charged))


def _left_out(priced: Priced, counted: tuple[Charge, ...]) -> tuple[str, ...]:
    """Charges that nobody told, or that cannot be counted: named, never zero (law 8)."""
    told = {one.name for one in counted if one.times is not None or one.price.high == 0}
    return tuple(name for name in CHARGES if name not in told)


def _net(lines: tuple[Line, ...]) -> Figure:
    amounts = [line.amount for line in lines if line.amount is not None]
    net = amounts[0]
    for amount in amounts[1:]:
        net = net + amount
    return net


def _summed(
    priced: Priced,
    lines: tuple[Line, ...],
    basis: str,
    way: Exchange,
    left_out: tuple[str, ...],
    ground: Inquiry,
) -> tuple[Totals, Figure, str]:
    """The totals, the one that is compared, and its basis: as priced where the asked one is untold.

    The cost is one of the totals under its own name, converted where a rate leads into the wanted currency.
    """
    net, recovery = _net(lines), ground.purchase.recovery
    sums = totals(net, priced.terms, recovery, lambda key, each: named_total(each, priced, key))
    on = basis if basis and sums.on(basis) is not None else sums.basis
    total = sums.on(on)
    assert total is not None
    cost = way.of(total).named(f"{priced.candidate.id}.cost", COST, left_out=left_out)
    return sums, cost, on


def _at_least(
    priced: Priced, sums: Totals, basis: str, way: Exchange, ground: Inquiry
) -> Figure | None:
    """The least that the package may cost on the asked basis; None where nobody can say."""
    if not way.possible:
        return None
    offer, terms, bought = priced.offer, priced.terms, priced.bought
    if bought.least is not bought.periods:
        least = tuple(charges(offer, terms, bought, bought.least))
        net = _net(_lines(priced, least, bought.least))
        sums = totals(net, terms, ground.purchase.recovery, lambda _, figure: figure)
    bound = sums.at_least(basis)
    return None if bound is None else way.of(bound)


def _open(
    priced: Priced, basis: str, counted: tuple[Charge, ...], way: Exchange, ground: Inquiry
) -> tuple[Point, ...]:
    found = list(open_of(priced, basis, ground))
    for one in counted:
        sways = FREELY if one.times is None else WITHIN
        found += [Point(condition, sways) for condition in one.open]
    found += [Point(way.open, RATE)] if way.open is not None else []
    return tuple(dict.fromkeys(found))


def _guesses(priced: Priced, way: Exchange) -> tuple[Point, ...]:
    hours = priced.hours.guesses if priced.offer.kind != "buy" else ()
    rate = (Point(way.guess, RATE),) if way.guess is not None else ()
    return (*(Point(one, HOURS) for one in hours), *rate)
