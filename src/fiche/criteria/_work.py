"""Hours that the work takes on one candidate: its amount over a throughput seen in scope (C14, D2).

A throughput is of a model, its formats, an engine and a card: what another card did says nothing here (D8).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.criteria._lost import lost
from fiche.criteria._scope import Question, Scope, question, scope_of
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, bare, either
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.piece import Piece, Result
from fiche.kernel.readings import results
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import HOUR
from fiche.kernel.work import Throughput, Work

# Without these a throughput would be of anything, whatever the policy lists.
_ALWAYS = ("gpu", "engine.name", "engine.version")
_CRITERION, _ELSE = "throughput", "quality"


@record
class Needed:
    """`hours` that the work takes: None where nobody says it, and `condition` says what would.

    `guess` is True where it rests on somebody's word alone, for a throughput that nobody observed. `apart` says
    what pieces in scope show where they differ.
    """

    hours: Figure | None = None
    guess: bool = False
    apart: str = ""
    condition: Condition | None = None
    pieces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


def needed_of(candidate: Candidate, ground: Inquiry) -> Needed | None:
    """The hours that the work of a candidate's workload takes; None where no work is stated."""
    work = candidate.workload.work
    if work is None:
        return None
    seen = [_seen(told, work, candidate, ground) for told in work.measured]
    found = [one for one in seen if one.rate is not None]
    if found:
        return _measured(work, found, candidate)
    lacking = _lacking(work, candidate, [one.why for one in seen if one.why])
    if work.assumed is None:
        return Needed(condition=lacking)
    return Needed(hours=_hours(work, work.assumed, candidate), guess=True, condition=lacking)


@record
class _Seen:
    """A throughput as one piece shows it; `why` it does not count where it does not."""

    piece: str
    rate: Figure | None = None
    why: str = ""
    by: tuple[str, ...] = ()


def _seen(told: Throughput, work: Work, candidate: Candidate, ground: Inquiry) -> _Seen:
    name = told.piece.value
    piece = next((one for one in ground.pieces if one.id == name), None)
    if piece is None:
        return _Seen(piece=name, why=tell("{name} is left aside", name=name))
    named = list(rates_of(piece, told, work))
    if len(named) != 1:
        return _Seen(
            piece=name,
            why=tell(
                "{name} {which}", name=name, which=_which(told, work, [each for _, each in named])
            ),
        )
    scope = _scope(candidate, piece, ground)
    short = (*lost(piece, named[0][1]), *scope.short, *scope.contradicted)
    if short:
        return _Seen(
            piece=name,
            why=tell("{name} does not cover: {short}", name=name, short=listed(short[:3], "; ")),
        )
    if named[0][0].low <= 0:
        return _Seen(piece=name, why=tell("{name} shows no work done", name=name))
    return _Seen(piece=name, rate=named[0][0], by=scope.by)


def _which(told: Throughput, work: Work, named: list[Result]) -> str:
    """None of the name, or several of which nobody says which is meant."""
    if not named:
        return tell("has no result {metric} in {of}/s", metric=told.metric.value, of=work.of)
    of = listed(dict.fromkeys(listed(filter(None, (r.label, r.stat)), " ") for r in named))
    return tell(
        "has several results {metric} ({of}): say 'label' or 'stat'",
        metric=told.metric.value,
        of=of,
    )


def rates_of(piece: Piece, told: Throughput, work: Work) -> Iterator[tuple[Figure, Result]]:
    """The results of a piece that the work names, in what it counts."""
    for _, result, figure in results(piece):
        same = result.metric == told.metric.value and result.unit == f"{work.of}/s"
        chosen = told.stat in ("", result.stat) and told.label in ("", result.label)
        if same and chosen:
            yield figure, result


def _scope(candidate: Candidate, piece: Piece, ground: Inquiry) -> Scope:
    """By the policy's facts of a throughput, or else of quality, and never without card and engine."""
    ask = question(candidate)
    listed = _CRITERION if ground.policy.strict.get(_CRITERION) else _ELSE
    return scope_of(ask, piece, None, listed, ground, also=(*_ALWAYS, *_cards(ask)))


def _cards(ask: Question) -> tuple[str, ...]:
    return ("placement.devices",) if not ask.alone or "placement.devices" in ask.facts else ()


def _measured(work: Work, found: list[_Seen], candidate: Candidate) -> Needed:
    """Two pieces that differ are never averaged: both readings stand."""
    rates = [one.rate for one in found if one.rate is not None]
    rate = rates[0]
    for other in rates[1:]:
        rate = either(rate, other, tell("two measurements in scope"))
    return Needed(
        hours=_hours(work, rate, candidate),
        apart=_apart(found),
        pieces=tuple(dict.fromkeys(one.piece for one in found)),
        by=tuple(dict.fromkeys(name for one in found for name in one.by)),
    )


def _apart(found: list[_Seen]) -> str:
    """What several pieces show, where it is not the same."""
    told = [(one.piece, figure_text(one.rate)) for one in found if one.rate is not None]
    if len({text for _, text in told}) < 2:
        return ""
    return listed(tell("{piece} shows {text}", piece=piece, text=text) for piece, text in told)


def _hours(work: Work, rate: Figure, candidate: Candidate) -> Figure:
    second = Figure(low=Fraction(1, 3600), high=Fraction(1, 3600), unit=HOUR, origin=_UNIT)
    hours = bare(work.amount) / bare(rate) * second
    return hours.named(f"{candidate.id}/work.hours", tell("hours that the work takes"))


_UNIT = Stated(span=None)


def _lacking(work: Work, candidate: Candidate, why: list[str]) -> Condition:
    # The one that falls short by least: what another card did is far away.
    apart = (
        tell(" ({why})", why=min(why, key=lambda text: (text.count(";"), len(text)))) if why else ""
    )
    guess = ""
    if work.assumed is not None and isinstance(work.assumed.origin, Assumed):
        guess = tell(": the one at hand is assumed by {by}", by=work.assumed.origin.by)
    return Condition(
        topic="duration",
        text=tell(
            "measure how many {of} a second {gpu} does with this model, its formats and this "
            "engine, and import the result{guess}{apart}",
            of=work.of,
            gpu=candidate.gpu,
            guess=guess,
            apart=apart,
        ),
        supplier=tell("whoever can run it"),
        piece_kind=tell("result of a benchmark"),
    )
