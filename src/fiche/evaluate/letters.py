"""What is asked of each seller, as one text to send: plain numbered sentences, with the value wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fiche.evaluate import _commands
from fiche.evaluate._to_sellers import renamed, to_the_seller
from fiche.evaluate.steps import Plan
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.record import replace
from fiche.kernel.said import listed, tell
from fiche.kernel.settling import DOCUMENT, Letter, Request, Step

# What the buyer can pay at most is not told to who is asked for a price.
_BETWEEN_US = frozenset({"cost", "duration"})


def letters_of(plan: Plan) -> tuple[Letter, ...]:
    """One letter a seller, by name; what has no named seller is in none."""
    decision = plan.decision
    asked: dict[str, list[Step]] = {}
    for step in plan.steps.values():
        if step.seller and step.settles:
            asked.setdefault(step.seller, []).append(step)
    outcomes = {outcome.candidate.id: outcome for outcome in decision.outcomes}
    return tuple(_letter(decision, outcomes, name, asked[name]) for name in sorted(asked))


def _letter(
    decision: Decision, outcomes: Mapping[str, Outcome], seller: str, asked: list[Step]
) -> Letter:
    choice = decision.fiche.choice
    ordered = "" if choice is None or choice.order is None else choice.order.date
    about = (outcomes.get(one.candidate) for step in asked for one in step.settles)
    offers = {
        o.candidate.offer.id: None
        for o in about
        if o is not None and o.candidate.offer is not None and o.candidate.offer.seller == seller
    }
    return Letter(
        seller=seller,
        offers=tuple(offers),
        date=ordered or decision.fiche.date,
        requests=_once(request for step in asked for request in _requests(outcomes, step)),
    )


def _once(requests: Iterable[Request]) -> tuple[Request, ...]:
    """Two runs on one machine ask for the same print, and for the same access."""
    found: dict[tuple[str, str], Request] = {}
    for one in requests:
        found.setdefault((one.offer, one.text), one)
    return tuple(found.values())


def _requests(outcomes: Mapping[str, Outcome], step: Step) -> Iterator[Request]:
    """What one step asks: of a document its words, of a run access to the machine and its total."""
    of = next((outcomes[s.candidate] for s in step.settles if s.candidate in outcomes), None)
    offer = "" if of is None or of.candidate.offer is None else of.candidate.offer.id
    thresholds = dict.fromkeys(
        one.threshold for one in step.settles if one.threshold and one.topic not in _BETWEEN_US
    )
    level = "must" if any(one.level != "want" for one in step.settles) else "want"
    asked = Request(step=step.id, text="", offer=offer, level=level)
    if step.kind == DOCUMENT:
        text = _by_name(to_the_seller(step.text), of)
        wanted = listed((one for one in thresholds if one not in text), "; ")
        yield replace(asked, text=text, threshold=_by_name(wanted, of))
        return
    yield replace(asked, text=_printed(step, of))
    if step.id.startswith("run:"):
        text = tell(
            "Let us run our own load on that machine, before the order or as the acceptance test at "
            "delivery."
        )
        yield replace(asked, text=text)


def _printed(step: Step, of: Outcome | None) -> str:
    machine = step.machine
    command = _commands.line(
        *("fiche", "environment", "--machine", machine),
        *("--output", f"{_commands.named(machine)}.json"),
    )
    card = "" if of is None else _by_name(of.candidate.gpu, of)
    return tell(
        "Have the machine of this offer ({card}) print the total memory of its card as a framework sees it "
        "(in PyTorch: torch.cuda.get_device_properties(0).total_memory), in bytes, with ECC as delivered, and "
        "who else uses the card. Send us the file that this command of fiche, a free program, writes: "
        "{command}",
        card=card,
        command=command,
    )


def _by_name(text: str, of: Outcome | None) -> str:
    """A card by its name: its id in a catalog says nothing to a seller."""
    if of is None or of.candidate.card is None:
        return text
    return renamed(text, of.candidate.gpu, of.candidate.card.name)
