"""Cost against hours of use, as a picture's geometry: what is bought, each rent, and where they cross.

All in whole units of the picture, which has the letters of every other. A rent
by whole periods goes in steps, while a reader could tell them apart; one by the hour is straight in each year.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.kernel.figure import Figure
from fiche.kernel.ownership import Owned, Ownership, Rental
from fiche.kernel.record import record
from fiche.kernel.said import listed
from fiche.report import numbers
from fiche.report._costed import years
from fiche.report.desk import Desk
from fiche.report.parts import Code, Costs, Course, Parts, Point, Tick

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 92, 616, 80, 304
# Room for a row of the legend.
ROW = 21
_MOST_TICKS = 5
_MOST_STEPS = 120


def costs(desk: Desk, told: Ownership, place: int) -> Costs | None:
    """The picture of one plan; None where a cost or the time is not known."""
    own, kept = told.owned, told.plan.figures.get("years")
    drawn = [rent for rent in told.rentals if rent.steps is not None]
    if own is None or kept is None or not drawn or not own.undiscounted.exact:
        return None
    hours = drawn[0].rented_hours
    frame = _frame(own, drawn, int(kept.low), hours)
    marks = tuple(_points(drawn, frame))
    return Costs(
        id=f"costs-{place}",
        title=desk.word("own_picture").format(plan=told.plan.id),
        across=desk.word("own_across"),
        up=str(own.capex.unit),
        xs=tuple(_ticks(frame.end, frame.x, desk)),
        ys=tuple(_ticks(frame.top, frame.y, desk)),
        years=tuple(frame.x(frame.a_year * year) for year in range(1, frame.years)),
        courses=tuple(_courses(desk, own, drawn, frame)),
        marks=marks,
        said=_said(desk, own, drawn, frame),
        keys=(desk.say("own_key_lead"), *_keys(desk, drawn)),
    )


@record
class _Frame:
    """Where hours and amounts stand in the picture."""

    a_year: Fraction
    years: int
    top: Fraction
    base: int

    @property
    def end(self) -> Fraction:
        """The last hour."""
        return self.a_year * self.years

    def x(self, hours: Fraction | int) -> int:
        """Across."""
        return LEFT + int((RIGHT - LEFT) * Fraction(hours) / self.end)

    def y(self, amount: Fraction | int) -> int:
        """Down."""
        return BOTTOM - int((BOTTOM - self.base) * Fraction(amount) / self.top)


def _frame(own: Owned, drawn: list[Rental], kept: int, hours: Figure) -> _Frame:
    spent = own.capex.low + own.running.low * kept
    most = max(Fraction(spent), *(Fraction(rent.per_year.low * kept) for rent in drawn))
    step = _step(most)
    top = step * -(-most // step)
    base = TOP + ROW * (len(drawn) - 1)
    return _Frame(a_year=Fraction(hours.low), years=kept, top=top or Fraction(1), base=base)


def _step(most: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten of which a few reach `most`."""
    power = Fraction(1, 100)
    while power * 10 * _MOST_TICKS < most:
        power *= 10
    return next(power * n for n in (1, 2, 5, 10) if power * n * _MOST_TICKS >= most)


def _ticks(end: Fraction, place: object, desk: Desk) -> Iterator[Tick]:
    assert callable(place)
    step = _step(end)
    for count in range(int(end // step) + 1):
        yield Tick(at=place(count * step), label=numbers.exact(count * step, desk.style))


# --- Lines ----------------------------------------------------------------------------------------


def _courses(desk: Desk, own: Owned, drawn: list[Rental], frame: _Frame) -> Iterator[Course]:
    spent = Fraction(own.capex.low) + own.running.low * frame.years
    ends = [
        (Fraction(0), own.capex.low),
        (frame.end, spent),
        (frame.end, own.undiscounted.low),
    ]
    yield Course(
        kind="own",
        dash=0,
        label=desk.word("own_curve_own").format(own=own.candidate),
        points=tuple((frame.x(at), frame.y(amount)) for at, amount in ends),
    )
    for place, rent in enumerate(drawn):
        yield Course(
            kind="rent",
            dash=place,
            label=desk.word("own_curve_rent").format(rent=rent.candidate),
            points=tuple((frame.x(at), frame.y(cost)) for at, cost in _rent(rent, frame)),
        )


def _rent(rent: Rental, frame: _Frame) -> Iterator[tuple[Fraction, Fraction]]:
    """(hours, rent paid by then), year after year."""
    steps = rent.steps
    assert steps is not None
    period, yearly = Fraction(steps.period.low), Fraction(rent.per_year.low)
    in_steps = steps.whole and frame.years * frame.a_year / period <= _MOST_STEPS
    paid = Fraction(0)
    for year in range(frame.years):
        start, paid = frame.a_year * year, yearly * year
        yield start, paid
        if in_steps:
            yield from _stepped(rent, start, paid, frame)
    yield frame.end, yearly * frame.years


def _stepped(
    rent: Rental, start: Fraction, paid: Fraction, frame: _Frame
) -> Iterator[tuple[Fraction, Fraction]]:
    steps = rent.steps
    assert steps is not None
    period, count = Fraction(steps.period.low), int(steps.least.low)
    level = paid + steps.base.low + steps.one.low * count
    yield start, level
    while count * period < frame.a_year:
        yield start + count * period, level
        level, count = level + steps.one.low, count + 1
        yield start + (count - 1) * period, level
    yield start + frame.a_year, level


# --- Points and words -----------------------------------------------------------------------------


def _points(drawn: list[Rental], frame: _Frame) -> Iterator[Point]:
    """Numbered by the order of the rents; neighbours have their numbers on different sides."""
    crossed = [(n, rent.crossing) for n, rent in enumerate(drawn, 1) if rent.crossing is not None]
    by_time = sorted(crossed, key=lambda told: told[1].used_hours.low)
    above = {number: place % 2 == 0 for place, (number, _) in enumerate(by_time)}
    for number, found in crossed:
        at, cost = Fraction(found.used_hours.low), Fraction(found.cost.low)
        yield Point(x=frame.x(at), y=frame.y(cost), number=number, above=above[number])


def _keys(desk: Desk, drawn: list[Rental]) -> Iterator[Parts]:
    for number, rent in enumerate(drawn, 1):
        found = rent.crossing
        if found is None:
            yield desk.say("own_key_none", rent=Code(rent.candidate))
            continue
        yield desk.say(
            "own_key",
            n=number,
            rent=Code(rent.candidate),
            hours=desk.amount(found.used_hours),
            years=desk.amount(found.years, years(desk, found.years)),
            cost=desk.amount(found.cost),
        )


def _said(desk: Desk, own: Owned, drawn: list[Rental], frame: _Frame) -> str:
    """The picture for who cannot see it: ends of the lines, and where they cross."""
    how, unit = desk.style, own.capex.unit

    def money(value: Fraction | int) -> str:
        return f"{numbers.rounded(value, 2, how)}{how.space}{unit}"

    last = f"{frame.years}{how.space}{how.counted('years', frame.years)}"
    told = [
        desk.word("own_said_own").format(
            own=own.candidate,
            start=money(own.capex.low),
            years=last,
            sold=money(own.undiscounted.low),
        )
    ]
    for number, rent in enumerate(drawn, 1):
        end = money(rent.undiscounted.low)
        told.append(desk.word("own_said_rent").format(rent=rent.candidate, end=end, years=last))
        if rent.crossing is None:
            told.append(desk.word("own_said_none").format(rent=rent.candidate))
            continue
        told.append(
            desk.word("own_said_crossing").format(
                n=number,
                rent=rent.candidate,
                hours=f"{numbers.rounded(rent.crossing.used_hours.low, 0, how)}{how.space}h",
                cost=money(rent.crossing.cost.low),
            )
        )
    return listed(told, "; ")
