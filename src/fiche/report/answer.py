"""Page one: the question, the answer for each candidate and device, the counts, the choice (D0, E1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.origin import Observed
from fiche.kernel.readings import failures
from fiche.kernel.requirement import Candidate
from fiche.report import chosen, points
from fiche.report.desk import Desk, joined
from fiche.report.devices import ranged
from fiche.report.parts import (
    Answer,
    Block,
    Box,
    Callout,
    Code,
    Mark,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Words,
)
from fiche.report.settling import next_line
from fiche.report.tested import asked_and_free, dimensions
from fiche.report.turning import holds, musts, turning
from fiche.report.unasked import unasked

# Page one has room for so many answers.
MOST_ANSWERS = 8


def opening(desk: Desk) -> tuple[Block, ...]:
    """Everything above the numbered sections."""
    return (*_banner(desk), _load(desk), _box(desk), _legend(desk), *chosen.callouts(desk))


def _banner(desk: Desk) -> Iterator[Block]:
    text = desk.decision.fiche.illustrative
    if text:
        yield Callout(
            kind="illustrative",
            title=desk.word("illustrative"),
            blocks=(Paragraph((Quoted(text),)),),
        )


def _load(desk: Desk) -> Paragraph:
    """Identity, and the dimensions of each case that an answer names; the rest is section workload."""
    facts = desk.decision.fiche.workload.facts
    name = facts.get("model.name") or facts.get("code.name")
    revision = facts.get("model.revision") or facts.get("code.revision")
    told: list[Parts] = [
        (Quoted(name.value, strong=True),) if name else (Words(desk.word("load_unnamed")),)
    ]
    if name:
        revised = desk.say("revision", revision=Code(revision.value)) if revision else None
        told.append(revised or (Words(desk.word("unpinned")),))
    for paths in (("operation",), ("formats.storage",), ("engine.name", "engine.version")):
        words = " ".join(facts[path].value for path in paths if path in facts)
        if words:
            told.append((Quoted(words),))
    lead = (Words(desk.word("load")), *joined(told), Words("."))
    return Paragraph((*lead, *_dimensions(desk)), tone="lead")


def _dimensions(desk: Desk) -> Iterator[Part]:
    outcomes = desk.decision.outcomes
    named = {found.case for outcome in outcomes for found in worst(outcome).values()}
    for case in desk.decision.fiche.workload.cases:
        if case.id in named and case.dimensions:
            told = dimensions(desk, case.dimensions)
            yield from desk.say("load_case", case=Code(case.id), dimensions=told)


def _legend(desk: Desk) -> Paragraph:
    """The marks in words, before the first table (E2)."""
    told: list[Parts] = []
    for kind, (word, title) in desk.language.marks.items():
        if kind != "unknown":
            told.append((Mark(kind, word), Words(f"{desk.style.space}{title}")))
    return Paragraph((Words(desk.word("marks_lead")), *joined(told, "; "), Words(".")), tone="note")


def _box(desk: Desk) -> Box:
    answers = tuple(a for outcome in desk.decision.outcomes for a in answers_of(desk, outcome))
    left = len(answers) - MOST_ANSWERS
    return Box(
        question=desk.word("question"),
        answers=answers[:MOST_ANSWERS],
        closing=(
            *_left(desk, left),
            candidate_counts(desk),
            musts(desk),
            *unasked(desk),
            turning(desk),
            *next_line(desk),
            *_owning(desk),
            chosen.sentence(desk),
            *chosen.order_line(desk),
            holds(desk),
        ),
    )


def _left(desk: Desk, count: int) -> Iterator[Parts]:
    """Answers that page one has no room for: said with their number, and the counts have them all."""
    if count > 0:
        yield desk.say("answers_left", n=count, noun=desk.counted("answers_noun", count))


def answers_of(desk: Desk, outcome: Outcome) -> Iterator[Answer]:
    """One answer per device, on its worst case; devices that say the same share one line."""
    alike: dict[tuple[object, ...], list[str]] = {}
    by_device = worst(outcome)
    for device, found in by_device.items():
        alike.setdefault(_sameness(desk, found), []).append(device)
    for place, devices in enumerate(alike.values()):
        yield _answer(desk, outcome, by_device[devices[0]], devices, first=place == 0)
    if not by_device:
        state = desk.state("to_confirm", desk.language.answers)
        sentence = (Words(desk.word("no_memory_finding")),)
        yield Answer(state=state, subject=subject(desk, outcome, []), sentences=(sentence,))


def worst(outcome: Outcome) -> dict[str, Finding]:
    """The finding that decides the memory of each device (D0, D4)."""
    by_device: dict[str, list[Finding]] = {}
    for found in outcome.findings:
        if found.kind == "memory" and found.level == "must":
            by_device.setdefault(found.device, []).append(found)
    return {device: most_demanding(found) for device, found in by_device.items()}


def most_demanding(findings: Iterable[Finding]) -> Finding:
    """The worst verdict; among equals the largest need, then the later case: that decides (D0)."""

    def key(placed: tuple[int, Finding]) -> tuple[int, int, int]:
        place, found = placed
        return (found.verdict, 0 if found.need is None else found.need.low.__ceil__(), place)

    return max(enumerate(findings), key=key)[1]


def _sameness(desk: Desk, found: Finding) -> tuple[object, ...]:
    return (found.verdict, found.case, desk.compared(found), found.text, found.pieces)


def _answer(
    desk: Desk, outcome: Outcome, found: Finding, devices: list[str], *, first: bool
) -> Answer:
    """What becomes of a candidate on all musts is said once, with the first of its devices."""
    named = _subject(desk, outcome, devices)
    return Answer(
        state=desk.state(found.verdict.code, desk.language.answers),
        subject=(*named, *_standing(desk, outcome)) if first else named,
        sentences=(joined(_sentences(desk, outcome, found), " "),),
    )


def subject(desk: Desk, outcome: Outcome, devices: list[str]) -> Parts:
    """Of whom an answer is, and what becomes of them on all musts."""
    return (*_subject(desk, outcome, devices), *_standing(desk, outcome))


def _subject(desk: Desk, outcome: Outcome, devices: list[str]) -> Parts:
    """The candidate, what it changes of its baseline (D10), its card, and the devices spoken of."""
    who = outcome.candidate
    card = who.card.name if who.card else who.gpu
    change = changed(desk, who)
    told: list[Parts] = [
        (Code(who.id), *desk.say("aside", told=change)) if change else (Code(who.id),)
    ]
    told.append((Quoted(card),))
    named = [device for device in devices if device]
    if named:
        key = "on_device" if len(named) == 1 else "every_device"
        told.append(desk.say(key, device=Code(named[0]), devices=Code(", ".join(ranged(named)))))
    return joined(told)


def changed(desk: Desk, who: Candidate) -> Parts:
    """The one thing that a candidate changes; nothing for a baseline."""
    if who.change is None:
        return ()
    path, before, after = who.change
    was = Quoted(before) if before else Missing(desk.word("not_told"))
    sides = {"before": was, "after": Quoted(after)}
    return desk.say("changed", baseline=Code(who.baseline), path=Code(path), **sides)


def _sentences(desk: Desk, outcome: Outcome, found: Finding) -> Iterator[Parts]:
    if found.reason == "proven_failure":
        yield (*_failed(desk, found), Words("."))
    else:
        yield (*_amounts(desk, outcome, found), Words("."))
        if found.verdict is not Verdict.ADMISSIBLE:
            yield _left_open(desk, outcome, found)
    if found.pieces and found.verdict is not Verdict.TO_CONFIRM:
        yield desk.say("rests_on", pieces=desk.references(found.pieces))


def _left_open(desk: Desk, outcome: Outcome, found: Finding) -> Parts:
    """The points that keep it open, by number; else its reason."""
    named = points.names(desk, points.of_finding(desk, found))
    if named:
        return desk.say("answer_open", points=named)
    if outcome.status == "excluded" and found.verdict is not Verdict.EXCLUDE:
        return (Words(desk.word("answer_moot")),)
    told = desk.open_on(found) or found.text
    return (*desk.legible(desk.language.sentence(told)), Words("."))


def _amounts(desk: Desk, outcome: Outcome, found: Finding) -> Parts:
    """Need, capacity and useful margin in the case that decides."""
    need, have = desk.compared(found)
    told: Parts = desk.say(
        "of_memory",
        need=(*need, *_defined(desk, found.need), *_so_far(desk, outcome, found)),
        have=(*have, *_defined(desk, found.have)),
    )
    if found.case:
        told += desk.say("in_case", case=Code(found.case))
    if found.margin is not None:
        told += desk.say("with_margin", margin=desk.amount(found.margin))
        kept = desk.kept()
        told += desk.say("with_kept", kept=kept) if kept else ()
    return told


def _failed(desk: Desk, found: Finding) -> Parts:
    """What excludes is that it ran out, not a number beside a number: what it asked for, what was free."""
    told: Parts = desk.legible(desk.language.sentence(found.text))
    if found.case:
        told += desk.say("in_case", case=Code(found.case))
    cited = [piece for piece in desk.decision.fiche.pieces if piece.id in found.pieces]
    named = next((each for piece in cited for each in failures(piece)), None)
    if named is None:
        return told
    asked, free = asked_and_free(desk, named[2], named[0])
    return (*told, *desk.say("ran_out", asked=asked, free=free))


def _owning(desk: Desk) -> Iterator[Parts]:
    """What each plan of owning says; its words are loaded where there is one."""
    if desk.decision.ownerships:
        from fiche.report import ownership

        yield from ownership.page_one(desk)


def _so_far(desk: Desk, outcome: Outcome, found: Finding) -> Parts:
    """What arithmetic alone says where nothing firm tells the need (D9)."""
    estimate = estimate_of(desk, outcome, found)
    if found.need is not None or estimate is None or not estimate.low:
        return ()
    return desk.say("so_far", estimate=desk.listed(estimate))


def estimate_of(desk: Desk, outcome: Outcome, found: Finding | None) -> Node | None:
    """The envelope of the case that decides for this candidate, the candidate's own if it has one."""
    name = f"{found.case}.envelope" if found is not None and found.case else "envelope"
    listed = desk.book.figures
    return listed.get(f"{outcome.candidate.id}/{name}", listed.get(name))


def _defined(desk: Desk, node: Node | None) -> Parts:
    """What was counted; a peak says that it is one (C3)."""
    told = desk.definition(node)
    if node is not None and isinstance(node.origin, Observed) and node.origin.stat == "peak":
        told += desk.say("of_stat", stat=desk.term(node.origin.stat))
    return desk.say("of_definition", definition=told) if told else ()


def _standing(desk: Desk, outcome: Outcome) -> Parts:
    """What becomes of the candidate on all musts: memory alone retains nobody (D1)."""
    rank = desk.say("ranked", rank=outcome.rank) if outcome.rank is not None else ()
    told = desk.say("standing", state=desk.status(outcome.status), rank=rank)
    if outcome.cost is None:
        return told
    cost: Parts = (desk.amount(outcome.cost),)
    if outcome.bill is not None and outcome.bill.basis:
        cost = desk.say(f"basis_{outcome.bill.basis}", amount=cost)
    return (*told, *desk.say("package_at", cost=cost))


def candidate_counts(desk: Desk) -> Parts:
    """How many candidates of each status; the parts add up to the total."""
    outcomes = desk.decision.outcomes
    return desk.say(
        "counts",
        total=len(outcomes),
        noun=desk.counted("candidates", len(outcomes)),
        **{
            status: sum(outcome.status == status for outcome in outcomes)
            for status in ("retained", "to_confirm", "excluded")
        },
    )
