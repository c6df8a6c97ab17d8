"""Does a piece speak of the question? Strict facts, executed dimensions, and on whose word (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _asked, _named
from fiche.criteria._days import day_of
from fiche.criteria._scope_words import contradictions, same, untold
from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact, written
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece, Run
from fiche.kernel.record import field, record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import listed, tell
from fiche.kernel.workload import Case, Workload

# Requests that merely wait are not resident (A4), so they do not enter what memory must cover.
NOT_RESIDENT = frozenset({"concurrent_requests"})
# What stands for a fact that nobody tells: a format really loaded is else the declared one (A1).
_STAND_IN = {"formats.loaded": "formats.storage"}
# Counts of a workload that are scope facts too.
_WAYS = tuple(
    f"placement.{kind}_parallel" for kind in ("tensor", "pipeline", "expert", "context", "data")
)
_COUNTED = ("placement.devices", "method.rank", *_WAYS)
# Asked for once either side tells them: what nobody mentions is no open point of its own.
_ONCE_TOLD = (
    *("formats.loaded", "formats.cache_key", "formats.cache_value", "formats.master"),
    *("placement.sharding", "placement.offload"),
    *_WAYS,
)


@record
class Scope:
    """How a run's scope stands to a question.

    Named differences, untold facts, typed facts that the file contradicts, the people whose word it
    takes, and what is typed but signed by nobody whose word counts.
    """

    differs: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unsigned: tuple[str, ...] = ()

    @property
    def covers(self) -> bool:
        """True when every strict fact is told, agrees, and somebody answers for it."""
        return not (self.short or self.contradicted)

    @property
    def disputed(self) -> bool:
        """True when only the contradiction between file and author keeps it from covering."""
        return bool(self.contradicted) and not self.short

    @property
    def short(self) -> tuple[str, ...]:
        """Why it does not cover, contradictions apart."""
        return (*self.differs, *self.untold, *self.unsigned)


@record
class Question:
    """What is asked of a piece: facts by dotted path, and the dimensions of one case.

    `counts` are stated numbers, which a piece need not tell but must not contradict. `untold` are the
    dimensions that the load does not state and would have to, `names` what tells the card's name from
    another's. `alone` is True for a placement of one
    device: then a run has no other device to confuse it with.
    """

    facts: Mapping[str, str]
    counts: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, Figure] = field(default_factory=dict)
    phases: tuple[str, ...] = ()
    case: str = ""
    untold: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @property
    def alone(self) -> bool:
        """One device is asked about, by the placement or for want of one."""
        return self.facts.get("placement.devices", "1") == "1"


def question(candidate: Candidate, case: Case | None = None) -> Question:
    """The question that a requirement puts to the pieces, for one candidate and case."""
    facts = {path: fact.value for path, fact in candidate.workload.facts.items()}
    facts["gpu"] = candidate.gpu
    counts = {path: str(figure.low) for path, figure in candidate.workload.figures.items()}
    facts |= {path: counts[path] for path in _COUNTED if path in counts}
    untold, names = _asked.untold(candidate, case), _named.tokens_of(candidate.card)
    if case is None:
        return Question(facts=facts, counts=counts, untold=untold, names=names)
    resident = {k: v for k, v in case.dimensions.items() if k not in NOT_RESIDENT}
    return Question(
        facts=facts,
        counts=counts,
        dimensions=resident,
        phases=case.phases,
        case=case.id,
        untold=untold,
        names=names,
    )


def scope_of(
    ask: Question,
    piece: Piece,
    run: Run | None,
    criterion: str,
    ground: Inquiry,
    also: tuple[str, ...] = (),
    told: Mapping[str, Fact] | None = None,
) -> Scope:
    """Compare the strict facts of a criterion; dimensions are another question (`_executed`).

    `also` names facts without which the criterion would mean nothing, whatever the policy lists. `told` are the
    `told_facts` of the run, where they are at hand.
    """
    told = told_facts(piece, run, ground) if told is None else told
    found = Tally()
    found.contradicted.extend(contradictions(piece, run).values())
    found.contradicted.extend(_named.misnamed(ask.names, ask.facts["gpu"], told))
    paths = tuple(strict_paths(ask, told, criterion, ground))
    if not paths:
        found.untold.append(
            tell(
                "policy '{policy}' lists no strict fact for {criterion}",
                policy=ground.policy.name,
                criterion=criterion,
            )
        )
    for path, names in dict.fromkeys((*paths, *((path, path) for path in also))):
        said = told.get(path, told.get(_STAND_IN.get(path, path)))
        _compare(path, names, ask, piece, said, found, ground)
    return found.scope()


class Tally:
    """A scope in the making."""

    def __init__(self) -> None:
        self.differs: list[str] = []
        self.untold: list[str] = []
        self.contradicted: list[str] = []
        self.by: list[str] = []
        self.unsigned: list[str] = []

    def scope(self) -> Scope:
        """The finished scope, each text once."""
        return Scope(
            differs=tuple(dict.fromkeys(self.differs)),
            untold=tuple(dict.fromkeys(self.untold)),
            contradicted=tuple(dict.fromkeys(self.contradicted)),
            by=tuple(dict.fromkeys(self.by)),
            unsigned=tuple(dict.fromkeys(self.unsigned)),
        )

    def sign(self, what: str, by: str, ground: Inquiry) -> None:
        """Count a typed fact on its author's word, where there is one and the policy lets it count."""
        if not by:
            self.unsigned.append(tell("{what}: typed, and nobody answers for it", what=what))
        elif ground.policy.typed_scope != "counts":
            self.unsigned.append(
                tell(
                    "{what}: on the word of {by} alone, which policy '{policy}' does not count",
                    what=what,
                    by=by,
                    policy=ground.policy.name,
                )
            )
        else:
            self.by.append(by)


def noted(
    ask: Question,
    piece: Piece,
    run: Run | None,
    criterion: str,
    ground: Inquiry,
    told: Mapping[str, Fact] | None = None,
) -> tuple[str, ...]:
    """Differences in what the policy only notes: shown, and without weight; `told` as of `scope_of`."""
    told = told_facts(piece, run, ground) if told is None else told
    paths = _listed(ask, told, ground.policy.noted.get(criterion, ()))
    return tuple(
        tell(
            "{written}: the question says {facts}, {piece} {told}",
            written=written(path),
            facts=ask.facts[path],
            piece=piece.id,
            told=told[path].value,
        )
        for path, _ in paths
        if path in ask.facts and path in told and not same(ask.facts[path], told[path].value)
    )


def _compare(
    path: str,
    names: str,
    ask: Question,
    piece: Piece,
    said: Fact | None,
    found: Tally,
    ground: Inquiry,
) -> None:
    asked = ask.facts.get(path, ask.counts.get(path, ask.facts.get(_STAND_IN.get(path, path))))
    if asked is None or said is None:
        found.untold.append(untold(written(names), asked, said))
    elif not same(asked, said.value):
        typed = piece.typed.get(path)
        if typed is None or not same(asked, typed.value):  # else it stands under contradicted
            made = day_of(piece)
            since = tell(" on {made}", made=made) if made and made < ground.date else ""
            found.differs.append(
                tell(
                    "{written}: the question says {asked}, the piece {said}{since}",
                    written=written(path),
                    asked=asked,
                    said=said.value,
                    since=since,
                )
            )
    elif not said.printed:
        found.sign(written(path), said.by, ground)


def strict_paths(
    ask: Question, told: Mapping[str, Fact], criterion: str, ground: Inquiry
) -> Iterator[tuple[str, str]]:
    """The (path to compare, name to print) pairs of a criterion's strict list, as the policy has it."""
    operation = ask.facts.get("operation", "")
    entries = (
        *ground.policy.strict.get(criterion, ()),
        *ground.policy.strict.get(f"{criterion}.{operation}", ()),
    )
    return _listed(ask, told, entries)


def _listed(
    ask: Question, told: Mapping[str, Fact], entries: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.endswith(".*"):
            yield from ((path, path) for path in _under(entry[:-1], ask.facts, told))
        elif "|" in entry:
            yield _alternative(entry, ask.facts, told), listed(entry.split("|"), " or ")
        elif _asked_for(entry, ask.facts, told):
            yield entry, entry


def _asked_for(entry: str, asked: Mapping[str, str], told: Mapping[str, Fact]) -> bool:
    """A split is of several devices; what another fact stands for is asked once somebody tells it."""
    if entry == "placement.split":
        return asked.get("placement.devices", "1") != "1"
    if entry in _WAYS and entry not in asked:
        return entry in told and told[entry].value != "1"  # one way is no split: nothing to answer
    return entry not in _ONCE_TOLD or entry in asked or entry in told


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
    for path, figure in base.figures.items():
        facts.setdefault(path, Fact(value=str(figure.low), address=case.address, by=by))
    return facts


def speaks_of(ask: Question, piece: Piece, told: Mapping[str, Fact]) -> bool:
    """True when the file, or the author, names the very card that is asked about."""
    cards = (told.get("gpu"), piece.typed.get("gpu"))
    return any(fact is not None and same(fact.value, ask.facts["gpu"]) for fact in cards)


def joined(*scopes: Scope) -> Scope:
    """One scope of several: it covers when each of them does."""
    found = Tally()
    for scope in scopes:
        found.differs.extend(scope.differs)
        found.untold.extend(scope.untold)
        found.contradicted.extend(scope.contradicted)
        found.by.extend(scope.by)
        found.unsigned.extend(scope.unsigned)
    return found.scope()
