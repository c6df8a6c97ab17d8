"""Does a piece speak of the question? Strict facts, executed dimensions, and on whose word (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece, Run
from fiche.kernel.requirement import Candidate
from fiche.kernel.workload import Case, Workload

# Requests that merely wait are not resident (A4), so they do not enter what memory must cover.
NOT_RESIDENT = frozenset({"concurrent_requests"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How a run's scope stands to a question: named differences, untold facts, attesting people."""

    differs: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unsigned: tuple[str, ...] = ()

    @property
    def covers(self) -> bool:
        """True when every strict fact is told, agrees, and somebody answers for it."""
        return not (self.differs or self.untold or self.contradicted or self.unsigned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a piece: facts by dotted path, and the dimensions of one case."""

    facts: Mapping[str, str]
    dimensions: Mapping[str, Figure] = field(default_factory=dict)
    phases: tuple[str, ...] = ()
    case: str = ""


def question(candidate: Candidate, case: Case | None = None) -> Question:
    """The question that a requirement puts to the pieces, for one candidate and case."""
    facts = {path: fact.value for path, fact in candidate.workload.facts.items()}
    facts["gpu"] = candidate.gpu
    for path in ("placement.devices", "method.rank"):
        if path in candidate.workload.figures:
            facts[path] = str(candidate.workload.figures[path].low)
    if case is None:
        return Question(facts=facts)
    resident = {k: v for k, v in case.dimensions.items() if k not in NOT_RESIDENT}
    return Question(facts=facts, dimensions=resident, phases=case.phases, case=case.id)


def scope_of(
    ask: Question, piece: Piece, run: Run | None, criterion: str, ground: Inquiry
) -> Scope:
    """Compare the strict facts of a criterion; dimensions are another question (`covers_*`)."""
    told = told_facts(piece, run, ground)
    differs: list[str] = []
    untold: list[str] = []
    by: list[str] = []
    unsigned: list[str] = []
    for path, names in strict_paths(ask, told, criterion, ground):
        asked = ask.facts.get(path)
        said = told.get(path)
        if asked is None or said is None:
            untold.append(_untold(names, asked, said))
        elif asked.casefold() != said.value.casefold():
            differs.append(f"{path}: the question says {asked}, the piece {said.value}")
        elif not said.printed:
            (by if said.by else unsigned).append(said.by or path)
    return Scope(
        differs=tuple(differs),
        untold=tuple(untold),
        contradicted=contradictions(piece, run),
        by=tuple(dict.fromkeys(by)),
        unsigned=tuple(unsigned),
    )


def _untold(path: str, asked: str | None, said: Fact | None) -> str:
    if asked is None and said is None:
        return f"{path}: told neither by the fiche nor by the piece"
    if asked is None and said is not None:
        return f"{path}: the fiche does not say; the piece ran with {said.value}"
    return f"{path}: the piece does not say; the question is {asked}"


def strict_paths(
    ask: Question, told: Mapping[str, Fact], criterion: str, ground: Inquiry
) -> Iterator[tuple[str, str]]:
    """The (path to compare, name to print) pairs of a criterion's strict list, as the policy has it."""
    operation = ask.facts.get("operation", "")
    entries = [
        *ground.policy.strict.get(criterion, ()),
        *ground.policy.strict.get(f"{criterion}.{operation}", ()),
    ]
    for entry in entries:
        if entry.endswith(".*"):
            yield from ((path, path) for path in _under(entry[:-1], ask.facts, told))
        elif entry == "placement.split" and ask.facts.get("placement.devices", "1") == "1":
            continue
        else:
            yield _alternative(entry, ask.facts, told), entry.replace("|", " or ")


def _under(prefix: str, asked: Mapping[str, str], told: Mapping[str, Fact]) -> list[str]:
    return sorted({path for path in (*asked, *told) if path.startswith(prefix)})


def _alternative(entry: str, asked: Mapping[str, str], told: Mapping[str, Fact]) -> str:
    """Of `model.revision|model.digest`, one that disagrees, else one told twice, else the first."""
    options = entry.split("|")
    both = [path for path in options if path in asked and path in told]
    apart = [p for p in both if asked[p].casefold() != told[p].value.casefold()]
    return (apart or both or options)[0]


def told_facts(piece: Piece, run: Run | None, ground: Inquiry) -> dict[str, Fact]:
    """All scope facts of a run: attested through a typed case, typed one by one, or printed.

    Typing `case: limit` attests that the run executed that case of this fiche's workload as written.
    What the file prints wins over what somebody typed.
    """
    typed = dict(piece.typed)
    return {
        **(
            _attested_workload(ground.base, typed["case"].by, typed["case"])
            if "case" in typed
            else {}
        ),
        **typed,
        **piece.reading.facts,
        **(run.facts if run else {}),
    }


def _attested_workload(base: Workload, by: str, case: Fact) -> dict[str, Fact]:
    facts = {p: Fact(value=f.value, address=case.address, by=by) for p, f in base.facts.items()}
    for path in ("placement.devices", "method.rank"):
        if path in base.figures:
            value = str(base.figures[path].low)
            facts[path] = Fact(value=value, address=case.address, by=by)
    return facts


def contradictions(piece: Piece, run: Run | None) -> tuple[str, ...]:
    """Typed facts that the file itself contradicts: a conflict, never an average."""
    printed = {**piece.reading.facts, **(run.facts if run else {})}
    return tuple(
        f"{path}: the file prints {printed[path].value}, the scope typed {fact.value}"
        for path, fact in piece.typed.items()
        if path in printed and printed[path].value.casefold() != fact.value.casefold()
    )


def executed(piece: Piece, run: Run, ground: Inquiry) -> dict[str, Figure]:
    """Executed dimensions: printed by the file, else typed, else those of the typed case."""
    typed_case = piece.typed.get("case")
    cases = {case.id: case for case in ground.base.cases}
    stated = cases[typed_case.value].dimensions if typed_case and typed_case.value in cases else {}
    return {**stated, **piece.typed_dimensions, **run.executed}


def shortfalls(ask: Question, ran: Mapping[str, Figure]) -> tuple[str, ...]:
    """Why a success does not cover: dimensions it did not reach, or does not tell (D6)."""
    return tuple(_compared(ask, ran, "smaller"))


def excesses(ask: Question, ran: Mapping[str, Figure]) -> tuple[str, ...]:
    """Why a failure does not cover: dimensions that went beyond the question, or are untold."""
    return tuple(_compared(ask, ran, "larger"))


def _compared(ask: Question, ran: Mapping[str, Figure], wrong: str) -> Iterator[str]:
    for name, wanted in sorted(ask.dimensions.items()):
        if name not in ran:
            yield f"{name}: the piece does not say what was executed; the question is {wanted.low}"
        elif (ran[name].low < wanted.low) if wrong == "smaller" else (ran[name].low > wanted.low):
            yield f"{name}: executed {ran[name].low}, the question is {wanted.low}"


def missing_phases(ask: Question, run: Run) -> tuple[str, ...]:
    """Phases of the question that a run did not go through."""
    return tuple(phase for phase in ask.phases if phase not in run.phases)
