"""Measured rates and times against a question: in which scope, of which load, and on whose word (D3, D6, D8).

A figure answers where every strict fact agrees and its load covers the question: one that keeps the limit was
taken under as much in every dimension or more, one that misses it under as much or less. What a rate itself
counts, and how many requests run beside each other, must be the same. A card's name, a price or a sheet are no
measurement: nothing here looks at them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fiche.criteria import _asked, _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared, meets
from fiche.criteria._scope import Question, Scope, Tally, joined, noted, question, scope_of
from fiche.criteria._traffic import CONCURRENCY, RATE, Ran, traffic
from fiche.criteria._words import number_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Number
from fiche.kernel.piece import Piece, Result
from fiche.kernel.readings import results
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.workload import Case

# What lies in memory at once is no load that a client brings (A4).
_NOT_EXECUTED = frozenset({"resident_sequences"})


@record
class Reading:
    """A figure that answers by its name: where it stands, as it is compared, and how a reader is told.

    `implied` is True where it is only what another figure lets one conclude, as `text` says.
    """

    piece: Piece
    figure: Figure
    text: str
    result: Result | None = None
    by: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    implied: bool = False


@record
class Asked:
    """A criterion's question about one case: its name, its threshold, and its load.

    `what` is asked for, `said` is the threshold in words. `equal` are the dimensions in which another value is
    another question; in the rest more is harder. `conditions` are what the fiche has to say first: until then
    nothing answers.
    """

    criterion: str
    candidate: Candidate
    case: Case | None
    threshold: Threshold
    what: str
    said: str
    load: Mapping[str, Number]
    equal: frozenset[str] = frozenset()
    conditions: tuple[Condition, ...] = ()


def cases_of(requirement: Requirement, candidate: Candidate) -> tuple[Case | None, ...]:
    """The cases that a requirement is about: those it names, else all; None for a load without one."""
    cases = candidate.workload.cases
    named = tuple(c for c in cases if c.id in requirement.cases or not requirement.cases)
    return named or (None,)


def load_of(
    requirement: Requirement, case: Case | None, left_out: frozenset[str] = frozenset()
) -> dict[str, Number]:
    """The load that is asked about: the case's dimensions, and the requirement's own traffic.

    Where no requests wait, those in memory at once are those that run beside each other (A4).
    """
    told = {} if case is None else {name: size.low for name, size in case.dimensions.items()}
    if CONCURRENCY not in told and "resident_sequences" in told:
        told[CONCURRENCY] = told["resident_sequences"]
    own = {CONCURRENCY: "concurrency", RATE: "request_rate"}
    own_told = {
        name: requirement.figures[key].low
        for name, key in own.items()
        if key in requirement.figures
    }
    if own_told:
        told.pop(CONCURRENCY, None)
    told |= own_told
    return {k: v for k, v in told.items() if k not in _NOT_EXECUTED and k not in left_out}


def open_load(
    candidate: Candidate, case: Case | None, load: Mapping[str, Number]
) -> tuple[Condition, ...]:
    """What the fiche would have to say of the load before any figure answers."""
    topics = [one for one in _asked.untold(candidate, case) if one != "concurrency"]
    traffic_told = any(name in load for name in (CONCURRENCY, RATE, "batch", "microbatch"))
    found = tuple(_asked.conditions(tuple(topics)))
    return found if traffic_told or "microbatch" in topics else (*found, _conditions.traffic())


def answered(asked: Asked, readings: list[Reading], ground: Inquiry) -> Comparison:
    """One comparison: every reading that answers, the worst of those that settle it shown."""
    values, short, concluded = [], [], []
    ask = question(asked.candidate, asked.case)
    for one in readings:
        scope = _scope(asked, one, ask, ground)
        why = (*one.doubts, *scope.short, *scope.contradicted)
        if why or asked.conditions:
            short.append((one.piece.id, tuple(dict.fromkeys(why))))
            continue
        values.append(
            Value(
                piece=one.piece.id,
                figure=one.figure,
                by=tuple(dict.fromkeys((*scope.by, *one.by))),
                text=one.text,
                noted=noted(ask, one.piece, None, asked.criterion, ground),
            )
        )
        concluded += (
            [tell("{piece}: {one}", piece=one.piece.id, one=one.text)] if one.implied else []
        )
    found = compared(asked.threshold, values, lambda: _lacking(asked, short), spread=True)
    found = replace(found, concluded=tuple(dict.fromkeys(concluded)))
    case = "" if asked.case is None else asked.case.id
    if not asked.conditions:
        return replace(found, case=case)
    return replace(found, case=case, conditions=(*asked.conditions, *found.conditions))


def _scope(asked: Asked, one: Reading, ask: Question, ground: Inquiry) -> Scope:
    facts = scope_of(ask, one.piece, None, asked.criterion, ground)
    return joined(facts, executed(asked, one, ground))


def executed(asked: Asked, one: Reading, ground: Inquiry) -> Scope:
    """Dimension by dimension, in the direction that the figure would settle (DESIGN 4, scope)."""
    found = Tally()
    kept = meets(asked.threshold, one.figure) is not False
    printed = {} if one.result is None else traffic(one.piece, one.result)
    typed, by = _typed(one.piece, ground)
    for name, wanted in sorted(asked.load.items()):
        ran = printed.get(name, typed.get(name))
        if ran is None:
            found.untold.append(
                tell(
                    "{name}: the piece does not say; the question is {wanted}",
                    name=name,
                    wanted=number_text(wanted),
                )
            )
            continue
        if _apart(ran, wanted, kept, same=name in asked.equal):
            mean = tell(" on average") if ran.mean else ""
            found.differs.append(
                tell(
                    "{name}: executed {text}{mean}, the question is {wanted}",
                    name=name,
                    text=_text(ran),
                    mean=mean,
                    wanted=number_text(wanted),
                )
            )
        elif name not in printed:
            found.sign(tell("executed {name}", name=name), by, ground)
        if name in printed and name in typed and not _within(printed[name], typed[name]):
            found.contradicted.append(
                tell(
                    "{name}: the file prints {text}, the scope typed {text2}",
                    name=name,
                    text=_text(printed[name]),
                    text2=_text(typed[name]),
                )
            )
    return found.scope()


def _typed(piece: Piece, ground: Inquiry) -> tuple[dict[str, Ran], str]:
    """Dimensions that a person typed: one by one, else through a case of the fiche; and who."""
    case = piece.typed.get("case")
    stated = next((c for c in ground.base.cases if case and c.id == case.value), None)
    told = {**(load_of(_NOTHING, stated) if stated else {}), **_low(piece.typed_dimensions)}
    by = piece.typed_by or next((fact.by for fact in piece.typed.values() if fact.by), "")
    return {name: Ran(low=value, high=value) for name, value in told.items()}, by


_NOTHING = Requirement(id="", kind="", level="", span=None, figures={}, facts={})


def _low(figures: Mapping[str, Figure]) -> dict[str, Number]:
    return {name: figure.low for name, figure in figures.items()}


def _apart(ran: Ran, wanted: Number, kept: bool, *, same: bool) -> bool:
    below, above = ran.low < wanted, ran.high > wanted
    if same:
        return ran.high < wanted or ran.low > wanted
    return below if kept else above


def _within(printed: Ran, typed: Ran) -> bool:
    return printed.low <= typed.high and typed.low <= printed.high


def _text(ran: Ran) -> str:
    if ran.low == ran.high:
        return _short(ran.low)
    return tell("{short} to {short2}", short=_short(ran.low), short2=_short(ran.high))


def _short(value: Number) -> str:
    """A mean of many requests with one decimal; the comparison itself uses all of them."""
    return number_text(value if value == int(value) else Fraction(round(value * 10), 10))


def _lacking(asked: Asked, short: list[tuple[str, tuple[str, ...]]]) -> Condition:
    """What to measure, and how the nearest of what there is falls short."""
    near = min(short, key=lambda told: (len(told[1]), told[0]), default=None)
    tail = ""
    if near is not None and near[1]:
        tail = tell(
            "; nearest piece: {near}, which does not answer: {near2}",
            near=near[0],
            near2=listed(near[1][:3], "; "),
        )
    at = listed(
        tell("{name} {value}", name=name, value=number_text(value))
        for name, value in sorted(asked.load.items())
    )
    under = tell(" under the load of case '{case}'", case=asked.case.id) if asked.case else ""
    load = tell("{under} ({at})", under=under, at=at) if at else under
    cards = number_text(asked.candidate.cards.low)
    return _conditions.measured(
        asked.criterion,
        tell(
            "measure the {what} on {cards} x {gpu}{load}, with the model, the formats and "
            "the engine of this workload, and import the result{tail}",
            what=asked.what,
            cards=cards,
            gpu=asked.candidate.gpu,
            load=load,
            tail=tail,
        ),
        threshold=asked.said,
    )


def printed(ground: Inquiry) -> Iterator[tuple[Piece, str, Result, Figure]]:
    """Every result of every piece with its name."""
    for piece in ground.pieces:
        for name, result, figure in results(piece):
            yield piece, name, result, figure


def attested(fact: str, ground: Inquiry) -> Iterator[tuple[Mapping[str, str], Reading]]:
    """Figures that documents state, with their words, each as a reading without a result."""
    for piece in ground.pieces:
        for item in piece.attested:
            if item.fact != fact or not _claims.vouched(item, ground):
                continue
            sold = tell("a {kind} says what is offered, and measures nothing", kind=piece.kind)
            why = (sold,) if _claims.offered(piece) else ()
            yield (
                {key: told.value for key, told in item.words.items()},
                Reading(
                    piece=piece,
                    figure=item.terms["value"],
                    text="",
                    by=_claims.people(item),
                    doubts=why,
                ),
            )
