"""Package cost against hours of rent, where packages are priced by different periods, or some are bought (D2).

Each package is a sign at the hours and the cost that were asked for. The line through it goes by its own price
for a period, in steps where a reader can tell them apart: what more or fewer hours would mean, and no quote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel.bill import Bill
from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.record import record
from fiche.report._capacity_words import plain
from fiche.report.desk import Desk
from fiche.report.letters import LETTERS, uncut
from fiche.report.parts import Code, Drawing, Lettering, Parts, Sign, Stroke, Stroked, Words
from fiche.report.scale import plain as bare
from fiche.report.scale import step

WIDTH, HEIGHT = 640, 270
LEFT, RIGHT, TOP, BOTTOM = 92, 600, 34, 216
MOST = 6
_TICKS = 5
_MOST_STEPS = 60
_LINE_HEIGHT = 16
_LINES = ("rent-0", "rent-1", "rent-2", "rent-3")


@record
class Package:
    """A package that is drawn: `period` is None where it is bought. All in the currency that is compared."""

    outcome: Outcome
    cost: Figure
    hours: Figure | None
    period: Fraction
    fixed: Fraction
    per_period: Fraction


def pictures(desk: Desk) -> tuple[Drawing, ...]:
    """The picture, where it shows more than a table does; a plan's own picture says more where there is one."""
    told = packages(desk)[:MOST]
    terms = {(p.period, None if p.hours is None else p.hours.low) for p in told}
    if desk.decision.ownerships or len(terms) < 2 or all(p.hours is None for p in told):
        return ()
    return (_picture(desk, told),)


def packages(desk: Desk) -> list[Package]:
    """What has one known cost in one currency, the cheapest first."""
    found = [p for p in map(_package, desk.decision.outcomes) if p is not None]
    units = [str(p.cost.unit) for p in found]
    unit = max(dict.fromkeys(units), key=units.count, default="")
    return sorted((p for p in found if str(p.cost.unit) == unit), key=lambda p: p.cost.low)


def _package(outcome: Outcome) -> Package | None:
    bill, cost = outcome.bill, outcome.cost
    if bill is None or not isinstance(cost, Figure) or cost.high != cost.low or not cost.low:
        return None
    bought = Package(
        outcome=outcome,
        cost=cost,
        hours=None,
        period=Fraction(0),
        fixed=Fraction(cost.low),
        per_period=Fraction(0),
    )
    return bought if bill.term.period is None else _rented(outcome, cost, bill)


def _rented(outcome: Outcome, cost: Figure, bill: Bill) -> Package | None:
    """What a period costs is its share of the whole; setup, storage and egress stay as they are."""
    term = bill.term
    price = next((line.amount for line in bill.lines if line.name == "price"), None)
    if term.period is None or term.periods is None or term.hours is None or price is None:
        return None
    known = (term.period, term.periods, term.hours, price, bill.net)
    if any(figure.high != figure.low or not figure.low for figure in known):
        return None
    periods = Fraction(term.periods.low)
    per_period = Fraction(cost.low) * Fraction(price.low) / Fraction(bill.net.low) / periods
    return Package(
        outcome=outcome,
        cost=cost,
        hours=term.hours,
        period=Fraction(term.period.low),
        fixed=Fraction(cost.low) - per_period * periods,
        per_period=per_period,
    )


# --- The picture ----------------------------------------------------------------------------------


@record
class _Frame:
    """Where hours and amounts stand."""

    desk: Desk
    across: Fraction
    most: Fraction

    def x(self, hours: Fraction) -> int:
        """Across."""
        return LEFT + int((RIGHT - LEFT) * min(hours, self.across) / self.across)

    def y(self, amount: Fraction) -> int:
        """Down."""
        return BOTTOM - int((BOTTOM - TOP) * amount / self.most)


def _picture(desk: Desk, told: Sequence[Package]) -> Drawing:
    hours = [Fraction(p.hours.low) for p in told if p.hours is not None]
    across = max(hours) * Fraction(6, 5)
    most = max(end for p in told for _, end in _line(p, across))
    frame = _Frame(desk=desk, across=across, most=most)
    lines = [_key(desk, number, package) for number, package in enumerate(told, 1)]
    return Drawing(
        id="hours-picture",
        title=desk.word("pic_hours_title"),
        said=" ".join(map(plain, lines)),
        width=WIDTH,
        height=HEIGHT,
        marks=(*_scale(frame, str(told[0].cost.unit)), *_packages(frame, told)),
        caption=(*lines, (Words(desk.word("pic_hours_note")),)),
    )


def _line(package: Package, across: Fraction) -> list[tuple[Fraction, Fraction]]:
    """(hours, cost) along the line of a package, from none to the last hour of the picture."""
    if not package.period:
        return [(Fraction(0), package.fixed), (across, package.fixed)]
    count = -(-across // package.period)
    if count > _MOST_STEPS:
        last = package.fixed + package.per_period * across / package.period
        return [(Fraction(0), package.fixed), (across, last)]
    ends = []
    for number in range(1, int(count) + 1):
        level = package.fixed + package.per_period * number
        ends.append((package.period * (number - 1), level))
        ends.append((min(package.period * number, across), level))
    return ends


def _scale(frame: _Frame, unit: str) -> Iterator[Stroked]:
    how = frame.desk.style
    apart = step(frame.most, _TICKS)
    for count in range(int(frame.most / apart) + 1):
        y, label = frame.y(count * apart), uncut(bare(count * apart, how), 84, LETTERS)
        yield Stroke(kind="grid", points=((LEFT, y), (RIGHT, y)))
        yield Lettering(x=LEFT - 8, y=y + 5, text=label, room=84, anchor="end", tone="quiet")
    apart = step(frame.across, _TICKS)
    for count in range(int(frame.across / apart) + 1):
        x, label = frame.x(count * apart), uncut(bare(count * apart, how), 76, LETTERS)
        yield Stroke(kind="tick", points=((x, BOTTOM), (x, BOTTOM + 5)))
        yield Lettering(x=x, y=BOTTOM + 22, text=label, room=76, anchor="middle", tone="quiet")
    yield Stroke(kind="axis", points=((LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM)))
    yield Lettering(x=LEFT - 8, y=14, text=unit, room=84, anchor="end", tone="quiet")
    words, middle = frame.desk.word("pic_hours_across"), (LEFT + RIGHT) // 2
    yield Lettering(x=middle, y=BOTTOM + 44, text=words, room=400, anchor="middle", tone="quiet")


def _packages(frame: _Frame, told: Sequence[Package]) -> Iterator[Stroked]:
    """A line each, numbered where it ends, and a sign at what was asked for."""
    rented = 0
    ends = []
    for number, package in enumerate(told, 1):
        kind = "own"
        if package.period:
            kind, rented = _LINES[rented % len(_LINES)], rented + 1
        way = [(frame.x(at), frame.y(cost)) for at, cost in _line(package, frame.across)]
        yield Stroke(kind=kind, points=tuple(dict.fromkeys(way)))
        ends.append((way[-1][1] + 5, number))
    for package in told:
        if package.hours is not None:
            at, cost = Fraction(package.hours.low), Fraction(package.cost.low)
            yield Sign(shape="disc", x=frame.x(at), y=frame.y(cost))
    for y, number in _apart(ends):
        yield Lettering(x=RIGHT + 8, y=y, text=str(number), room=30, tone="strong")


def _apart(ends: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Numbers from the top, each at least a line of letters below the one before."""
    last = 0
    for y, number in sorted(ends):
        last = max(y, last + _LINE_HEIGHT)
        yield last, number


# --- Words ----------------------------------------------------------------------------------------


def _key(desk: Desk, number: int, package: Package) -> Parts:
    who = (Words(f"{number} ", strong=True), Code(package.outcome.candidate.id))
    cost = desk.amount(package.cost)
    if package.hours is None:
        return desk.say("pic_hours_bought", who=who, cost=cost)
    return desk.say("pic_hours_said", who=who, cost=cost, hours=desk.amount(package.hours))
