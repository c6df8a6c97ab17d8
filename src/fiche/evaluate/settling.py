"""What to settle next: steps in the order of their cost, what they turn, what to write to whom (D1, D6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fiche.evaluate.rejudge import Judged
from fiche.evaluate.settlement import STATED_FIRST
from fiche.kernel.figure import Number
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.settling import ENTRY, Effort, Flips, Settling, Step


def settling(judged: Judged) -> Settling | None:
    """What to settle next; None where nothing is open, nothing excluded, and no figure could turn anything."""
    from fiche.evaluate.flips import flips_of
    from fiche.evaluate.letters import letters_of
    from fiche.evaluate.sensitivity import sensitivities
    from fiche.evaluate.steps import plan_of

    plan = plan_of(judged)
    first = _first(plan.steps.values())
    for name, step in plan.steps.items():
        plan.steps[name] = _after(first, _priced(judged, step))
    chosen = _chosen(judged)
    steps = tuple(sorted(plan.steps.values(), key=lambda step: _cheapest(step, chosen)))
    flips = tuple(_in_order(one, steps) for one in flips_of(plan))
    turns = sensitivities(judged.decision)
    if not steps and not turns and all(one.status == "retained" for one in flips):
        return None
    return Settling(
        steps=steps,
        next=_next([one for one in flips if one.candidate == chosen], steps) or _next(flips, steps),
        flips=flips,
        letters=letters_of(plan),
        sensitivities=turns,
        unused=_unused(judged, steps),
        is_mixed=len({step.cost.unit for step in steps if step.cost is not None}) > 1,
    )


# --- What a step costs ----------------------------------------------------------------------------


def _priced(judged: Judged, step: Step) -> Step:
    """The step with the effort that the fiche states of it: the one that names most of it."""
    fiche = judged.decision.fiche
    if not fiche.efforts:
        return step
    candidates = _of(step, fiche.candidates)
    fitting = [one for one in fiche.efforts if _fits(one, step, candidates)]
    best = max(
        fitting,
        key=lambda one: sum(map(bool, (one.candidate, one.seller, one.machine))),
        default=None,
    )
    if best is None:
        return step
    return replace(step, cost=best.cost, hours=best.hours, because=best.because)


def _unused(judged: Judged, steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Efforts that are of no step: settled by now, or misspelt."""
    candidates = judged.decision.fiche.candidates
    told = judged.decision.fiche.efforts
    return tuple(
        one.topic
        for one in told
        if not any(_fits(one, step, _of(step, candidates)) for step in steps)
    )


def _of(step: Step, candidates: tuple[Candidate, ...]) -> list[Candidate]:
    mine = {one.candidate for one in step.settles}
    return [one for one in candidates if one.id in mine or "" in mine]


def _fits(effort: Effort, step: Step, candidates: list[Candidate]) -> bool:
    topics = {one.topic for one in step.settles}
    sellers = {c.offer.seller for c in candidates if c.offer is not None}
    return (
        effort.topic in (*topics, step.kind)
        and effort.candidate in ("", *(c.id for c in candidates))
        and effort.seller in ("", step.seller, *sellers)
        and effort.machine in ("", step.machine)
    )


def _chosen(judged: Judged) -> str:
    """The candidate that was chosen: what is open about it waits longest for an answer."""
    choice = judged.decision.fiche.choice
    return choice.chosen if choice is not None else ""


_Key = tuple[bool, str, Number, bool, Number, bool, bool, int, str]


def _cheapest(step: Step, chosen: str) -> _Key:
    """Known cost first, an unknown one never as nothing; then hours, what can begin, what answers most.

    Of steps that no cost tells apart, those for the chosen candidate come first.
    """
    money, hours = step.cost, step.hours
    answered = sum(one.decides for one in step.settles)
    return (
        money is None,
        "" if money is None else str(money.unit),
        0 if money is None else money.high or money.low,
        hours is None,
        0 if hours is None else hours.high or hours.low,
        bool(step.after),
        all(one.candidate not in ("", chosen) for one in step.settles) if chosen else False,
        -answered,
        step.id,
    )


def _in_order(flips: Flips, steps: tuple[Step, ...]) -> Flips:
    """Sets by what they cost together, where all of it is known; then fewest steps, then by name."""
    place = {step.id: number for number, step in enumerate(steps)}
    by_id = {step.id: step for step in steps}

    def key(names: tuple[str, ...]) -> tuple[bool, Number, int, tuple[str, ...]]:
        costs = [by_id[name].cost for name in names]
        known = [one.high or one.low for one in costs if one is not None]
        units = {one.unit for one in costs if one is not None}
        is_open = len(known) < len(costs) or len(units) > 1
        return is_open, 0 if is_open else sum(known), len(names), names

    retain = (tuple(sorted(names, key=place.__getitem__)) for names in flips.retain)
    against = (tuple(sorted(names, key=place.__getitem__)) for names in flips.exclude)
    exclude = tuple(sorted(against, key=lambda names: [place[name] for name in names]))
    return replace(flips, retain=tuple(sorted(retain, key=key)), exclude=exclude)


def _next(flips: Iterable[Flips], steps: tuple[Step, ...]) -> str:
    """The first step, in their order, of some candidate's cheapest set; one that waits for another is none."""
    wanted = {name for one in flips for names in one.retain[:1] for name in names}
    waits = {step.id for step in steps if step.after}
    return next((step.id for step in steps if step.id in wanted and step.id not in waits), "")


def _first(steps: Iterable[Step]) -> dict[str, tuple[str, ...]]:
    """By candidate, the entries without which its load has no size."""
    found: dict[str, tuple[str, ...]] = {}
    for step in steps:
        for one in step.settles if step.kind == ENTRY else ():
            if one.topic in STATED_FIRST and step.id not in found.get(one.candidate, ()):
                found[one.candidate] = (*found.get(one.candidate, ()), step.id)
    return found


def _after(first: Mapping[str, tuple[str, ...]], step: Step) -> Step:
    """A run of what is not stated yet comes after the entries that state it."""
    if step.commands or not step.id.startswith("run:"):
        return step
    mine = dict.fromkeys(one.candidate for one in step.settles)
    wanted = (name for who in mine for name in first.get(who, ()))
    return replace(step, after=tuple(dict.fromkeys(wanted)))
