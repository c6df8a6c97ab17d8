"""Pieces that no verdict rests on, and the first reason why: what somebody attached and nothing weighs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.criteria import _claims
from fiche.criteria._executed import load_of, phases_of
from fiche.criteria._scope import Question, Scope, joined, question, scope_of
from fiche.criteria._stale import reasons
from fiche.evaluate._ground import ground_of
from fiche.kernel import trace
from fiche.kernel.address import Pointer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.origin import Declared, Observed
from fiche.kernel.piece import Piece, Result, Run
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.simulation import SIMULATION
from fiche.kernel.spoken import spoken

_PIECE, _NEITHER, _FICHE = "the piece does not say", "told neither by", "the fiche does not say"
_SCORE = "score"
_NAMED = 3
_NOTHING = tell(
    "it holds no run, no total of a device and no score: its figures are shown, and "
    "nothing is compared with them"
)


@record
class Unused:
    """A piece by its id, and the first reason why no verdict rests on it."""

    piece: str
    why: str


def unused(decision: Decision) -> tuple[Unused, ...]:
    """Every piece that neither a verdict nor a cost or date rests on, in the fiche's order."""
    used = {name for found in decision.findings for name in found.pieces}
    used.update(_cited(decision.fiche))
    shown = set(_shown(decision))
    ground = ground_of(decision.fiche)
    return tuple(
        Unused(piece=piece.id, why=_why(piece, decision, ground))
        for piece in decision.fiche.pieces
        if piece.id not in used and piece.sha256 not in shown and not _beside(piece, decision)
    )


def _cited(fiche: Fiche) -> Iterator[str]:
    """The pieces that the record of the choice names, those of similar orders, and of plans to own."""
    choice = fiche.choice
    if choice is not None:
        yield from (part.piece for part in (choice.replaces, choice.price) if part is not None)
    yield from (order.piece for order in fiche.similar_orders)
    told = (figure.origin for plan in fiche.plans for figure in plan.figures.values())
    yield from (origin.by for origin in told if isinstance(origin, Declared))


def _beside(piece: Piece, decision: Decision) -> bool:
    """A simulation that is set beside the formulas, or could be a need of the second reading."""
    return any(one.piece == piece.id and not one.short for one in decision.simulations)


def _shown(decision: Decision) -> Iterator[str]:
    """The digests of the pieces that a cost or a date was read from, or that are an offer's document."""
    files = {piece.id: piece.sha256 for piece in decision.fiche.pieces}
    for outcome in decision.outcomes:
        offer = outcome.candidate.offer
        if offer is not None and "quote" in offer.facts:
            yield files.get(offer.facts["quote"].value, "")
        places: list[object] = [outcome.schedule.address] if outcome.schedule is not None else []
        for leaf in trace.leaves(outcome.cost) if outcome.cost is not None else ():
            places += [leaf.origin.address] if isinstance(leaf.origin, Declared) else []
            places += [leaf.origin.pointer] if isinstance(leaf.origin, Observed) else []
        yield from (place.sha256 for place in places if isinstance(place, Pointer))


def _why(piece: Piece, decision: Decision, ground: Inquiry) -> str:
    """The first reason, by what the piece is able to answer."""
    candidates = decision.fiche.candidates
    if piece.reading.kind == SIMULATION:
        nearest = min((c.short for c in decision.simulations if c.piece == piece.id), key=len)
        return _of_a_simulation(nearest)
    for candidate in candidates:
        stale = next(reasons(piece, "memory", candidate, ground), None)
        if stale is not None:
            return tell("out of date: {stale}", stale=stale)
    if piece.attested:
        spoken = any(_claims.about(piece, candidate) for candidate in candidates)
        if spoken:
            return _of_attested(piece, decision, ground)
        return tell("it attests facts of no candidate: name its offer, machine or gpu under scope")
    if piece.reading.runs:
        return _of_runs(piece, candidates, ground)
    scores = [result for result in piece.reading.results if result.unit == _SCORE]
    if scores:
        return _of_scores(piece, scores, decision, ground)
    if any(_is_rate(result) for result in piece.reading.results):
        return _of_rates(piece, decision, ground)
    if piece.reading.capacities:
        return _of_totals(piece, candidates)
    if _asked_of_machines(piece, decision):
        return _of_prints(piece, candidates)
    if piece.reading.shape == "document" or piece.reading.kind == "document":
        return tell("nothing of it is quoted under attests")
    return _NOTHING


# What a requirement may ask of a machine, by the first words of the facts that tools print.
_PRINTED = {
    "compute_capability": ("devices.",),
    "ecc": ("ecc", "devices."),
    "host_memory": ("host_memory_bytes",),
    "interconnect": ("interconnect", "links."),
    "software": ("driver", "runtime", "framework.", "libraries."),
}


def _asked_of_machines(piece: Piece, decision: Decision) -> bool:
    """It prints what some requirement asks of a machine."""
    asked = {one.kind for one in decision.fiche.requirements}
    words = tuple(word for kind in sorted(asked & _PRINTED.keys()) for word in _PRINTED[kind])
    return any(path.startswith(words) for path in piece.reading.facts)


def _of_attested(piece: Piece, decision: Decision, ground: Inquiry) -> str:
    """What it attests is asked for by nobody, is not of a machine it does not name, or others decide it."""
    asked = {one.kind for one in decision.fiche.requirements}
    facts = dict.fromkeys(item.fact for item in piece.attested if item.fact in asked)
    if not facts:
        return tell("no requirement asks for what it attests")
    silent = [fact for fact in facts if not _speaks(fact, piece, decision, ground)]
    if silent:
        told = _listed([spoken(fact) for fact in silent])
        return tell("it names a card and no machine or offer, so it attests no {facts}", facts=told)
    return tell("the catalog, or other pieces, decide what it attests")


def _speaks(fact: str, piece: Piece, decision: Decision, ground: Inquiry) -> bool:
    return any(
        told is piece
        for candidate in decision.fiche.candidates
        for told, _ in _claims.attested(fact, candidate, ground)
    )


def _of_a_simulation(short: tuple[str, ...]) -> str:
    """A difference first; where there is none, all words that the fiche has to say, with what was run."""
    differs = [text for text in short if _FICHE not in text]
    if differs:
        return tell("it simulates another thing: {difference}", difference=differs[0])
    said = [text.replace(f": {_FICHE}; the piece ran with", "") for text in short]
    return tell("the fiche does not say what it ran with: {names}", names=_listed(said))


def _of_runs(piece: Piece, candidates: Iterable[Candidate], ground: Inquiry) -> str:
    """How the nearest of its runs falls short of the nearest question."""
    runs = [run for run in piece.reading.runs if run.outcome == "failure" or run.whole_loop]
    if not runs:
        return tell("it holds no run of the whole loop: phases locate a problem and admit nothing")
    found = [_scope(ask, piece, run, ground) for ask in _questions(candidates) for run in runs]
    return _first(found) or tell("other pieces decide what it answers")


def _scope(ask: Question, piece: Piece, run: Run, ground: Inquiry) -> Scope:
    facts = scope_of(ask, piece, run, "memory", ground)
    if run.outcome == "failure":
        return joined(facts, load_of(ask, piece, run, "larger", ground))
    ran = load_of(ask, piece, run, "smaller", ground)
    return joined(facts, ran, phases_of(ask, piece, run, ground))


def _questions(candidates: Iterable[Candidate]) -> Iterator[Question]:
    for candidate in candidates:
        for case in candidate.workload.cases or (None,):
            yield question(candidate, case)


def _of_scores(piece: Piece, scores: list[Result], decision: Decision, ground: Inquiry) -> str:
    """Whether it has the score that is asked for at all, then how its scope falls short."""
    asked = [
        one
        for one in decision.fiche.requirements
        if one.kind == "quality" and "metric" in one.facts
    ]
    if not any(_of_metric(one, result) for one in asked for result in scores):
        names = listed(
            (
                tell(
                    "{metric} on {dataset}",
                    metric=one.facts["metric"].value,
                    dataset=one.facts["dataset"].value,
                )
                for one in asked
                if "dataset" in one.facts
            ),
            " or ",
        )
        return (
            tell("it has no score of {names}", names=names)
            if names
            else tell("no requirement names a metric of it")
        )
    found = [
        scope_of(question(candidate), piece, None, "quality", ground)
        for candidate in decision.fiche.candidates
    ]
    return _first(found) or tell("its score settles nothing: see what is still missing")


_PERFORMANCE = ("throughput", "latency", "duration")


def _is_rate(result: Result) -> bool:
    return result.unit == "s" or result.unit.endswith("/s")


def _of_rates(piece: Piece, decision: Decision, ground: Inquiry) -> str:
    """Whether a rate or a time is asked for at all, then how the scope of a benchmark falls short."""
    asked = [one.kind for one in decision.fiche.requirements if one.kind in _PERFORMANCE]
    if not asked:
        return tell(
            "no requirement asks for its rates and times: they are shown, and nothing is "
            "compared with them"
        )
    found = [
        scope_of(question(candidate), piece, None, kind, ground)
        for candidate in decision.fiche.candidates
        for kind in dict.fromkeys(asked)
    ]
    return _first(found) or tell("its rates and times settle nothing: see what is still missing")


def _of_metric(requirement: Requirement, result: Result) -> bool:
    metric, dataset = requirement.facts["metric"].value, requirement.facts.get("dataset")
    return (
        dataset is not None
        and dataset.value == result.label
        and metric.partition(",")[0] == result.metric.partition(",")[0]
    )


def _of_totals(piece: Piece, candidates: Iterable[Candidate]) -> str:
    return _elsewhere(piece, candidates) or (
        tell("other pieces, or the label, bound what the machine offers")
    )


def _of_prints(piece: Piece, candidates: Iterable[Candidate]) -> str:
    return _elsewhere(piece, candidates) or (
        tell(
            "other pieces decide what it prints of the machine, or it settles nothing that is asked"
        )
    )


def _elsewhere(piece: Piece, candidates: Iterable[Candidate]) -> str:
    """Why it is of no candidate's machine; empty where it is of one."""
    machines = {candidate.machine for candidate in candidates if candidate.machine}
    told = piece.reading.facts.get("machine") or piece.typed.get("machine")
    if told is None:
        return tell("machine untold")
    return (
        ""
        if told.value in machines
        else tell("no candidate names its machine {machine}", machine=told.value)
    )


def _first(found: list[Scope]) -> str:
    """The first reason of the scope that falls short by least: a difference, else what is untold."""
    scope = min(found, key=lambda one: len(one.short) + len(one.contradicted))
    if scope.differs:
        return scope.differs[0]
    by_piece, by_fiche = (
        [text.partition(":")[0] for text in scope.untold if any(word in text for word in words)]
        for words in ((_PIECE, _NEITHER), (_FICHE,))
    )
    executed = {text.partition(":")[0] for text in scope.untold if "what was executed" in text}
    if by_piece:
        names = sorted(dict.fromkeys("case" if n in executed else n for n in by_piece), key=_order)
        return tell("{names} untold", names=_listed(names))
    if by_fiche:
        return tell("the fiche does not say {names}", names=_listed(by_fiche))
    return next(iter((*scope.untold, *scope.contradicted, *scope.unsigned)), "")


def _order(name: str) -> int:
    """What a person can tell most easily comes first."""
    return {"gpu": 0, "case": 1}.get(name, 2)


def _listed(names: list[str]) -> str:
    more, first = len(names) - _NAMED, listed(names[:_NAMED])
    return tell("{names} and {more} more", names=first, more=more) if more > 0 else first
