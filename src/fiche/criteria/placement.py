"""Placement: several cards are no pool; they need a placement by software that was itself seen to work (D4).

What verifies it is a run on that many devices, placed that way, by that engine at that version: no document
says that a split of this model works. One device needs no placement.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._scope import Question, question, scope_of
from fiche.criteria._told import comparison, with_noted
from fiche.criteria._used import held_on
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Run
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.spoken import spoken

_WORDS = ("placement.split", "placement.sharding", "placement.offload")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the runs that were placed that way, or the one device that needs no placement."""
    devices = candidate.workload.figures.get("placement.devices")
    if devices is None and candidate.cards.low > 1:
        return (_unplaced(candidate),)
    asked = candidate.cards if devices is None else devices
    if asked.low == 1 or asked.low > _shown(candidate).low:
        return (_counted(asked, _shown(candidate)),)
    ask = question(candidate)
    claims, short = _runs(ask, int(asked.low), ground)
    wanted = _wanted(candidate, asked)
    found = comparison(wanted, claims, (_lacking(wanted, candidate, short),))
    return (with_noted(found, ask, "placement", ground),)


def _shown(candidate: Candidate) -> Figure:
    """The devices that its cards show to software: a module shows several."""
    card = candidate.card
    each = card.figures.get("devices") if card is not None else None
    return candidate.cards if each is None else candidate.cards * each


def _counted(asked: Figure, there: Figure) -> Comparison:
    """One device of one or several needs no placement; more devices than there are have no place."""
    return Comparison(
        need_low=asked,
        need_high=asked,
        have_low=there,
        have_high=there,
        need_shown=asked,
        have_shown=there,
        need_words=tell("{asked} devices", asked=asked.low),  # devices and cards have no distance
        have_words=tell("{there} cards", there=there.low),
    )


def _runs(
    ask: Question, num_devices: int, ground: Inquiry
) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Claims of the runs that cover the placement, and how the first of the others falls short."""
    found, short = [], list[str]()
    for piece, run in _claims.succeeded(ground):
        scope = scope_of(ask, piece, run, "placement", ground)
        idle = tuple(_idle(run, num_devices))
        if scope.covers and not idle:
            text = tell("ran on {num_devices} devices", num_devices=num_devices)
            found.append(Claim(piece=piece.id, answer="yes", text=text, by=scope.by))
        elif not short:
            why = (*scope.short, *scope.contradicted, *idle)
            short = [
                tell("{piece} does not cover: {why}", piece=piece.id, why=listed(why[:3], "; "))
            ]
    return tuple(found), tuple(short)


def _idle(run: Run, num_devices: int) -> Iterator[str]:
    """A run that was given several devices and left some alone has placed nothing on them."""
    held = held_on(run)
    used = sum(most > 0 for most in held.values())
    if len(held) >= num_devices > used:
        yield tell("memory was held on {used} of {held} devices", used=used, held=len(held))


def _wanted(candidate: Candidate, devices: Figure) -> str:
    facts = candidate.workload.facts
    told = [spoken(facts[path].value) for path in _WORDS if path in facts]
    engine = [facts[path].value for path in ("engine.name", "engine.version") if path in facts]
    how = listed((tell("{count} devices", count=devices.low), *told))
    return tell("{how} by {engine}", how=how, engine=" ".join(engine)) if engine else how


def _unplaced(candidate: Candidate) -> Comparison:
    text = tell(
        "state on how many of the {cards} cards the load is placed, and how it is split: "
        "several cards are not one pool",
        cards=candidate.cards.low,
    )
    return Comparison(
        need_words=tell("a stated placement"),
        have_words=tell("{cards} cards", cards=candidate.cards.low),
        conditions=(_conditions.placement(text),),
    )


def _lacking(wanted: str, candidate: Candidate, short: tuple[str, ...]) -> Condition:
    near = tell(" ({short})", short=short[0]) if short else ""
    return Condition(
        topic="placement",
        text=tell(
            "run this load on {gpu} placed as stated ({wanted}) and import the record{near}",
            gpu=candidate.gpu,
            wanted=wanted,
            near=near,
        ),
        threshold=wanted,
        supplier=tell("whoever can run it"),
        piece_kind=tell("record"),
    )


MEMBER = Criterion(
    name="placement",
    title=tell("Placement on several devices"),
    compare=compare,
    expects=tell("record of a run placed that way on that many devices"),
    settles=tell(
        "A successful run of the engine at its version on that many of these cards, placed as stated, admits; "
        "one device needs none. More devices than there are cards excludes. A document admits nothing."
    ),
)
