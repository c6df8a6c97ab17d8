"""ECC: how the memory of the cards is set on the machine as delivered; that a card can is not that it is.

A catalog's `yes` says that the memory can run with ECC, and it may be switched off. A `no` settles it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._told import CATALOG, Machine, card_fact, comparison, machines, people
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking

_STATES = frozenset({"on", "off"})


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the state that the machine prints or its seller attests, of every card."""
    wanted, row = requirement.facts["state"].value, card_fact(candidate.card, "ecc")
    claims = tuple(_claims_of(wanted, candidate, row, ground))
    return (
        comparison(
            tell("ECC {wanted}", wanted=wanted), claims, (_lacking(wanted, candidate, row),), row
        ),
    )


def _claims_of(
    wanted: str, candidate: Candidate, row: Fact | None, ground: Inquiry
) -> Iterator[Claim]:
    if row is not None and row.value == "no":
        yield Claim(piece=CATALOG, answer=_answer(wanted, "off"), text=tell("the card has no ECC"))
    for piece, item in _claims.attested("ecc", candidate, ground):
        if _claims.vouched(item, ground):
            told = item.words["state"].value
            by = _claims.people(item)
            yield Claim(
                piece=piece.id,
                answer=_answer(wanted, told),
                text=tell("ECC {told}", told=told),
                by=by,
            )
    for machine in machines(candidate, ground):
        facts = _of_devices(machine, int(candidate.cards.low))
        states = [fact.value for fact in facts]
        if states and _STATES.issuperset(states):
            worst = next((state for state in states if state != wanted), wanted)
            yield Claim(
                piece=machine.piece,
                answer=_answer(wanted, worst),
                text=tell("ECC {worst}", worst=worst),
                by=people(machine, facts),
            )


def _of_devices(machine: Machine, num_cards: int) -> list[Fact]:
    """The state of each of the cards; where all of a machine agree, that of all. None where one is untold."""
    shared = machine.facts.get("ecc")
    if shared is not None:
        return [shared]
    each = [machine.facts.get(f"devices.{index}.ecc") for index in range(num_cards)]
    told = [fact for fact in each if fact is not None]
    return told if len(told) == num_cards else []


def _answer(wanted: str, told: str) -> str:
    return "yes" if told == wanted else "no"


def _lacking(wanted: str, candidate: Candidate, row: Fact | None) -> Condition:
    can = tell("; the catalog says that it can, not that it is set") if row is not None else ""
    where = (
        tell("machine {machine}", machine=candidate.machine)
        if candidate.machine
        else tell("the machine offered")
    )
    return _conditions.document(
        "ecc",
        tell_asking(
            "have {where} print the ECC state of its {gpu} (nvidia-smi -q, or a record), or its seller "
            "attest it as delivered{can}",
            (
                "Have {where} print the ECC state of its {gpu} (nvidia-smi -q, or a "
                "record), or its seller attest it as delivered{can}"
            ),
            where=where,
            gpu=candidate.gpu,
            can=can,
        ),
        threshold=tell("ECC {wanted}", wanted=wanted),
        supplier=tell("seller, before the order; acceptance test at delivery"),
    )


MEMBER = Criterion(
    name="ecc",
    title=tell("ECC as delivered"),
    compare=compare,
    expects=tell("print of the machine, or its seller's document"),
    settles=tell(
        "The state that is asked for, on every card, admits; the other state excludes. A card that can run "
        "with ECC is to confirm until a piece says how this machine is set."
    ),
    needs=(("state",),),
)
