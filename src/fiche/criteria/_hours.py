"""The hours of a rental: as stated, or as the work takes by an observed throughput (D2, D9)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.criteria import _conditions
from fiche.criteria._words import number_text
from fiche.criteria._work import Needed, needed_of
from fiche.kernel import trace
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Assumed
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import listed, tell


@record
class Hours:
    """`asked` are the hours that are rented, `needed` those that the work takes; None is untold.

    `open` keeps a cost from admitting; `guesses` say what would make an assumed one firm, which a second
    reading takes as it stands. `short` says that the work takes longer than the stated term, `apart` what
    measurements of one thing show where they differ.
    """

    asked: Figure | None
    needed: Figure | None
    open: tuple[Condition, ...] = ()
    guesses: tuple[Condition, ...] = ()
    short: str = ""
    apart: str = ""
    pieces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()

    @property
    def firm(self) -> bool:
        """True where the hours are told and rest on no guess."""
        return self.asked is not None and trace.firm(self.asked)


def hours_of(candidate: Candidate, ground: Inquiry) -> Hours:
    """The hours of one candidate's rental. The stated term is what is bought, whatever the work takes."""
    stated = candidate.workload.figures.get("duration")
    work = needed_of(candidate, ground) or Needed()
    asked = stated if stated is not None else work.hours
    return Hours(
        asked=asked,
        needed=work.hours,
        open=tuple(_open(stated, work)),
        short=_short(candidate, stated, work),
        apart=work.apart if stated is None else "",
        guesses=tuple(_guesses(stated, work)),
        pieces=work.pieces,
        by=work.by,
    )


def _open(stated: Figure | None, work: Needed) -> Iterator[Condition]:
    if stated is None and work.hours is None:
        yield work.condition or duration()


def _short(candidate: Candidate, stated: Figure | None, work: Needed) -> str:
    """A term that is shorter than what the work was seen to take; a guess of either settles nothing.

    It contradicts the piece, and is no mere open point: without the piece there would be none (DESIGN 4).
    """
    hours = work.hours
    if stated is None or hours is None or hours.high is None or hours.high <= stated.low:
        return ""
    if not (trace.firm(hours) and trace.firm(stated)):
        return ""
    return tell(
        "the work takes {rounded} h on {gpu} by {pieces}, and {stated} h are to be rented",
        rounded=_rounded(hours.high),
        gpu=candidate.gpu,
        pieces=listed(work.pieces),
        stated=number_text(stated.low),
    )


def _rounded(hours: Number) -> str:
    """Up to a tenth of an hour: never less than what is needed."""
    return number_text(Fraction((hours * 10).__ceil__(), 10))


def _guesses(stated: Figure | None, work: Needed) -> Iterator[Condition]:
    if stated is not None and isinstance(stated.origin, Assumed):
        yield _conditions.document(
            "duration",
            tell(
                "{stated} h are assumed by {by}: state how many hours are rented, "
                "or measure how long the work takes",
                stated=number_text(stated.low),
                by=stated.origin.by,
            ),
            supplier=tell("author of the fiche"),
        )
    elif stated is None and work.guess and work.condition is not None:
        yield work.condition


def duration() -> Condition:
    """Nobody says how long the work takes (D9)."""
    return Condition(
        topic="duration",
        text=tell("state how many hours the work takes, with the reason"),
        supplier=tell("author of the fiche"),
        piece_kind=tell("fiche"),
    )
