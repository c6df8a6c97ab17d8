"""Open conditions grouped into steps: what one run, one document or one entry answers, for whom (D1, D6).

One run of the whole loop on a candidate's own machine prints its total, shows that the software works there,
and holds the need of every case that it covers; so it is one step, whatever it settles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.evaluate import _commands
from fiche.evaluate._bench_asked import KINDS, bench_step
from fiche.evaluate._runs_asked import case_to_run, load_key, run_step
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.settlement import QUESTION, blocks, judged_again, open_of
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import field, record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.settling import DOCUMENT, ENTRY, MEASUREMENT, Settles, Step

_AUTHOR, _RUNNER = "author", "whoever can run"
_SHOWN_BY_A_RUN = ("record", "run")
# Kinds of requirement that the record of a run of the whole loop answers; how fast or how well it ran is none.
_IN_A_RECORD = frozenset({"memory", "capacity", "software", "precision", "placement"})


@record(eq=False)
class Open:
    """One open condition of one finding (None: of the workload, or of a cost that is only ranked).

    `ways` are the steps any one of which settles it; `decides` is False where no verdict waits for it.
    `seller` is who can supply it, where one can.
    """

    candidate: str
    finding: Finding | None
    condition: Condition
    level: str
    ways: tuple[str, ...]
    decides: bool
    seller: str = ""


@record(frozen=False, kw_only=False)
class Plan:
    """Steps by id, each made once, and every open condition with its ways."""

    judged: Judged
    steps: dict[str, Step] = field(default_factory=dict)
    opens: list[Open] = field(default_factory=list)
    of: dict[str, list[Open]] = field(default_factory=dict)
    answers: dict[str, dict[Settles, str]] = field(default_factory=dict)
    machines: dict[str, _commands.Place] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    offered: dict[tuple[str, str], str] = field(default_factory=dict)
    ran: dict[tuple[object, ...], str] = field(default_factory=dict)

    @property
    def decision(self) -> Decision:
        """What was judged."""
        return self.judged.decision

    def place(self, outcome: Outcome) -> _commands.Place:
        """Where the candidate's runs are made, under one name however often it is asked."""
        who = outcome.candidate
        if who.id not in self.machines:
            if not self.taken:
                self.taken.update(c.machine for c in self.decision.fiche.candidates)
            place = self._of_its_offer(who, _commands.place_of(who, self.taken))
            self.machines[who.id] = place
            self.taken.add(place.machine)
        return self.machines[who.id]

    def _of_its_offer(self, who: Candidate, place: _commands.Place) -> _commands.Place:
        """One offer is one machine to its seller, however many ways of using it are compared."""
        if place.is_told or who.offer is None:
            return place
        name = self.offered.setdefault((who.offer.id, who.gpu), place.machine)
        return replace(place, machine=name)

    def add(self, step: Step) -> str:
        """The step's id; one that is there already stays as it is."""
        self.steps.setdefault(step.id, step)
        return step.id

    def run(self, outcome: Outcome, case: str) -> str:
        """The step that runs a case; candidates that share machine and load share it."""
        place = self.place(outcome)
        key = load_key(outcome, place, case)
        if key not in self.ran:
            self.ran[key] = self.add(run_step(self.judged, outcome, place, case))
        return self.ran[key]

    def note(self, found: Open) -> None:
        """Keep an open condition, and what each of its ways answers."""
        self.opens.append(found)
        self.of.setdefault(found.candidate, []).append(found)
        answer = Settles(
            candidate=found.candidate,
            requirement="" if found.finding is None else found.finding.requirement,
            topic=found.condition.topic,
            case="" if found.finding is None else found.finding.case,
            level=found.level,
            threshold=found.condition.threshold,
            decides=found.decides,
        )
        for name in found.ways:
            self.answers.setdefault(name, {})[answer] = found.seller

    def close(self) -> None:
        """Tell each step what it answers, and who can supply it; one that answers nothing is none."""
        for name, told in self.answers.items():
            step = self.steps[name]
            seller = step.seller or next((one for one in told.values() if one), "")
            self.steps[name] = replace(step, settles=tuple(told), seller=seller)


def plan_of(judged: Judged) -> Plan:
    """Every open condition of every candidate that is not proven excluded, and the steps that answer them."""
    plan = Plan(judged)
    movable = [o for o in judged.decision.outcomes if o.verdict is not Verdict.EXCLUDE]
    for condition in judged.decision.workload_conditions if movable else ():
        way = plan.add(_entry(condition))
        plan.note(_open("", None, condition, "must", (way,), decides=True))
    for outcome in movable:
        _of_candidate(plan, outcome)
    plan.close()
    return plan


def _of_candidate(plan: Plan, outcome: Outcome) -> None:
    runs = {name: plan.run(outcome, name) for name in _cases(outcome)}
    asked = set()
    for finding in outcome.findings:
        for condition in open_of(finding):
            asked.add(condition)
            ways = _ways(plan, outcome, finding, condition, runs)
            decides = finding.level == "must" and _decides(finding, condition)
            found = _open(
                outcome.candidate.id, finding, condition, finding.level, ways, decides=decides
            )
            plan.note(replace(found, seller=_seller(outcome, condition)))
    for condition in outcome.cost_conditions:
        if condition.text not in {one.text for one in asked}:
            way = _written(plan, outcome, condition)
            plan.note(_open(outcome.candidate.id, None, condition, "order", (way,), decides=False))


def _open(
    candidate: str,
    finding: Finding | None,
    condition: Condition,
    level: str,
    ways: tuple[str, ...],
    *,
    decides: bool,
) -> Open:
    return Open(
        candidate=candidate,
        finding=finding,
        condition=condition,
        level=level,
        ways=ways,
        decides=decides,
    )


def _cases(outcome: Outcome) -> tuple[str, ...]:
    """The cases to run on the candidate's machine, each once; a run answers for all that it covers."""
    found: dict[str, None] = {}
    for finding in outcome.findings:
        told = open_of(finding)
        if finding.kind == "memory" and any(_by_run(one) for one in told if one.topic != "failure"):
            only_total = all(
                one.topic in (*QUESTION, "memory_available", "failure") for one in told
            )
            if not only_total:
                found.setdefault(case_to_run(finding, told), None)
    return tuple(found)


def _by_run(condition: Condition) -> bool:
    return any(word in condition.piece_kind for word in _SHOWN_BY_A_RUN)


def _decides(finding: Finding, condition: Condition) -> bool:
    """False where a verdict does not wait for it: an earlier failure, or what a settled conflict makes idle."""
    if not blocks(condition):
        return False
    conflicts = tuple(one for one in finding.conditions if one.topic == "conflict")
    if not conflicts or condition in conflicts:
        return True
    return judged_again(finding, conflicts, well=True) is Verdict.TO_CONFIRM


# --- Which steps answer a condition ---------------------------------------------------------------


def _ways(
    plan: Plan, outcome: Outcome, finding: Finding, condition: Condition, runs: Mapping[str, str]
) -> tuple[str, ...]:
    """Any one of these settles it: a run of this candidate where one can, else what is asked or written."""
    of_memory = finding.kind == "memory" and condition.topic not in QUESTION
    by_run = finding.kind in _IN_A_RECORD and _by_run(condition)
    if of_memory and runs and condition.topic != "failure":
        case = case_to_run(finding, open_of(finding))
        return (runs.get(case) or next(iter(runs.values())),)
    if by_run and finding.kind != "memory" and runs:
        return (next(iter(runs.values())),)
    if condition.topic == "memory_available":
        return tuple(_of_the_machine(plan, outcome, condition))
    if by_run and not condition.supplier.startswith(_AUTHOR):
        return tuple(_either(plan, outcome, finding, condition))
    bench = _benchmark(plan, outcome, finding, condition)
    return (bench or _written(plan, outcome, condition),)


def _benchmark(plan: Plan, outcome: Outcome, finding: Finding, condition: Condition) -> str:
    """The engine's own benchmark, one for all rates and times of a case; empty where none can be written."""
    if finding.kind not in KINDS or not condition.supplier.startswith(_RUNNER):
        return ""
    step = bench_step(plan.decision, outcome, finding, condition)
    return "" if step is None else plan.add(step)


def _of_the_machine(plan: Plan, outcome: Outcome, condition: Condition) -> Iterator[str]:
    """The machine's own print; where only other users are untold, the seller's word does as well."""
    place = plan.place(outcome)
    name = _commands.named("total", outcome.candidate.id)
    yield plan.add(
        Step(
            id=f"print:{_commands.named(outcome.candidate.id)}",
            kind=MEASUREMENT,
            text=tell(
                "have machine {machine} print what its devices have and who else uses them",
                machine=place.machine,
            ),
            supplier=condition.supplier,
            settles=(),
            machine=place.machine,
            commands=(_commands.environment(place, name),),
            is_ready=True,
            lines=_lines(outcome, place, name),
            seller=_seller(outcome, condition),
        )
    )
    if "quote" in condition.piece_kind:
        yield _written(plan, outcome, condition)


def _lines(outcome: Outcome, place: _commands.Place, name: str) -> tuple[str, ...]:
    told = (_commands.piece_line(name, f"{_commands.FOLDER}/{name}.json"),)
    return told if place.is_told else (_commands.machine_line(outcome.candidate, place), *told)


def _either(plan: Plan, outcome: Outcome, finding: Finding, condition: Condition) -> Iterator[str]:
    """What any run on the card shows, or a document says: the run of its last case, or the paper."""
    cases = outcome.candidate.workload.cases
    if cases:
        yield plan.run(outcome, cases[-1].id)
    if "document" in condition.piece_kind or not cases:
        yield _written(plan, outcome, condition)


def _written(plan: Plan, outcome: Outcome, condition: Condition) -> str:
    """An entry of the author's, an evaluation that somebody runs, or a document that somebody is asked for."""
    if condition.supplier.startswith(_AUTHOR) or not condition.supplier:
        return plan.add(_entry(condition))
    if condition.supplier.startswith(_RUNNER):
        return plan.add(_told("measure", MEASUREMENT, condition, ""))
    return plan.add(_told("ask", DOCUMENT, condition, _seller(outcome, condition)))


def _seller(outcome: Outcome, condition: Condition) -> str:
    offer = outcome.candidate.offer
    if offer is None:
        return ""
    return (
        offer.seller if "seller" in condition.supplier or condition.supplier == offer.seller else ""
    )


def _entry(condition: Condition) -> Step:
    return _told("state", ENTRY, condition, "")


def _told(verb: str, kind: str, condition: Condition, seller: str) -> Step:
    """One of the same words asked of the same person is one step, for however many candidates."""
    words = _commands.named(seller, condition.topic, _digest(condition.text))
    return Step(
        id=f"{verb}:{words.lower()}",
        kind=kind,
        text=condition.text,
        supplier=condition.supplier,
        settles=(),
        seller=seller,
    )


def _digest(text: str) -> str:
    """A few letters that tell two texts of one topic apart, the same on every machine."""
    found = 0
    for character in text:
        found = (found * 131 + ord(character)) % 1_679_616
    letters = ""
    for _ in range(4):
        found, place = divmod(found, 36)
        letters += "0123456789abcdefghijklmnopqrstuvwxyz"[place]
    return letters
