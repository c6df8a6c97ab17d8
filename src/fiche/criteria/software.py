"""Software: does the engine run on the card, and in the version required (D3).

A version is what a record of the very machine prints, or what a document of it attests: a requested environment
is a preference. What has no place in the order of versions settles nothing, and is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fiche.criteria import _claims, _conditions
from fiche.criteria._capacity import machine_of
from fiche.criteria._scope import question, scope_of, told_facts
from fiche.criteria._told import comparison, with_noted
from fiche.criteria.precision import ANSWERS
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.number import Misread
from fiche.kernel.piece import Piece
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking
from fiche.kernel.specifier import Specifier
from fiche.kernel.version import Version, parse_version

# Names that go for one component.
_ALIASES = {"pytorch": "torch", "hip": "rocm", "nvidia-driver": "driver"}
# Where a record prints the version of a component, by the component's name.
_PATHS = {
    "driver": "driver",
    "python": "python",
    "torch": "framework.version",
    "cuda": "runtime",
    "rocm": "runtime",
}
# What must be told, and told otherwise means another component: a HIP runtime is no CUDA (D8).
_OF: Mapping[str, tuple[str, frozenset[str]]] = {
    "torch": ("framework.name", frozenset({"torch", "pytorch"})),
    "cuda": ("backend", frozenset({"cuda"})),
    "rocm": ("backend", frozenset({"hip", "rocm"})),
}


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the versions that pieces show against the constraint, or compatibility itself."""
    claims = tuple(
        _versions(requirement, candidate, ground)
        if "component" in requirement.facts
        else _compatible(candidate, ground)
    )
    unstated = "component" in requirement.facts and not _LIMITS.intersection(requirement.facts)
    if unstated:  # of a want: a must names its versions (F314)
        return (
            Comparison(
                required=False, conditions=(_conditions.unstated("compatibility", (_KEYS,)),)
            ),
        )
    lacking = _lacking(requirement, candidate, claims)
    found = comparison(_wanted(requirement, candidate), claims, (lacking,))
    return (with_noted(found, question(candidate), "software", ground),)


def _compatible(candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """The engine at its version has run on this card, or its document says that it refuses it."""
    ask = question(candidate)
    for piece, run in _claims.succeeded(ground):
        scope = scope_of(ask, piece, run, "software", ground)
        if scope.covers:
            yield Claim(piece=piece.id, answer="yes", text=tell("ran"), by=scope.by)
    for piece, item in _claims.attested("software", candidate, ground):
        answer = item.words.get("answer")
        if (
            answer is not None
            and not _claims.offered(piece)
            and _claims.vouched(item, ground)
            and _of_engine(candidate, item.words)
        ):
            word = "yes" if answer.value == "supported" else "no"
            text = ANSWERS.get(answer.value, answer.value)
            yield Claim(piece=piece.id, answer=word, text=text, by=_claims.people(item))


def _of_engine(candidate: Candidate, told: Mapping[str, Fact]) -> bool:
    facts = candidate.workload.facts
    named = facts.get("engine.name"), facts.get("engine.version")
    return all(
        fact is not None and key in told and _plain(told[key].value) == _plain(fact.value)
        for key, fact in zip(("component", "version"), named, strict=True)
    )


def _versions(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    component = _component(requirement.facts["component"].value, candidate)
    for piece, item in _claims.delivered("software", candidate, ground):
        told = _component(item.words["component"].value, candidate)
        installed = told == component and "answer" not in item.words
        if installed and _claims.vouched(item, ground):
            version = item.words["version"].value
            yield Claim(
                piece=piece.id,
                answer=_meets(requirement, version),
                text=version,
                by=_claims.people(item),
            )
    for piece in ground.pieces:
        yield from _printed(requirement, component, candidate, piece, ground)


def _printed(
    requirement: Requirement, component: str, candidate: Candidate, piece: Piece, ground: Inquiry
) -> Iterator[Claim]:
    """A record of the candidate's own machine prints its versions; another machine's say nothing."""
    facts = told_facts(piece, piece.reading.runs[0] if piece.reading.runs else None, ground)
    by = machine_of(piece, candidate, ground)
    if by is None:
        return
    for path in _paths(component, facts):
        if facts[path].printed:
            version = facts[path].value
            yield Claim(piece=piece.id, answer=_meets(requirement, version), text=version, by=by)
            return


def _component(name: str, candidate: Candidate) -> str:
    """A component by the one name that it has here; `engine` is that of the workload."""
    told = _plain(name)
    engine = candidate.workload.facts.get("engine.name")
    if told == "engine" and engine is not None:
        told = _plain(engine.value)
    return _ALIASES.get(told, told)


def _paths(component: str, facts: Mapping[str, Fact]) -> Iterator[str]:
    """Where these facts tell the component's version: its own place, the engine's, or among the libraries."""
    path = _PATHS.get(component, "")
    if path in facts and _is_of(component, facts):
        yield path
    engine = facts.get("engine.name")
    if engine is not None and _plain(engine.value) == component and "engine.version" in facts:
        yield "engine.version"
    for path in facts:
        room, dot, name = path.partition(".")
        if dot and room in ("libraries", "extensions") and _plain(name) == component:
            yield path


def _is_of(component: str, facts: Mapping[str, Fact]) -> bool:
    """A runtime without its backend goes for CUDA, as tools print it; ROCm's says that it is."""
    path, words = _OF.get(component, ("", frozenset()))
    told = facts.get(path)
    return component != "rocm" if told is None else told.value.casefold() in words


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-")


def _meets(requirement: Requirement, told: str) -> str:
    """`yes` or `no`; empty where a version that is compared has no place in the order."""
    answers = [*_specified(requirement, told), *_bounded(requirement, told)]
    return "no" if "no" in answers else "" if "" in answers else "yes"


def _specified(requirement: Requirement, told: str) -> Iterator[str]:
    fact = requirement.facts.get("specifier")
    if fact is not None:
        yield _ANSWERS[Specifier(fact.value).holds(told)]


def _bounded(requirement: Requirement, told: str) -> Iterator[str]:
    version = parse_version(told)
    for name, holds in _HOLDS.items():
        if name not in requirement.facts:
            continue
        limit = parse_version(requirement.facts[name].value)
        if isinstance(version, Misread) or isinstance(limit, Misread):
            yield ""
        else:
            same = limit.scheme == version.scheme
            yield _ANSWERS[holds(version, limit) if same else None]


_ANSWERS = {True: "yes", False: "no", None: ""}
_KEYS = ("specifier", "version", "at_least", "at_most")
_LIMITS = frozenset(_KEYS)
_HOLDS: dict[str, Callable[[Version, Version], bool]] = {
    "at_least": lambda version, limit: version >= limit,
    "at_most": lambda version, limit: version <= limit,
    "version": lambda version, limit: version == limit,
}


def _wanted(requirement: Requirement, candidate: Candidate) -> str:
    if "component" not in requirement.facts:
        facts = candidate.workload.facts
        told = [facts[p].value for p in ("engine.name", "engine.version") if p in facts]
        return listed(told, " ") or tell("the workload's software")
    signs = {"at_least": ">=", "at_most": "<=", "version": "=="}
    bounds = [
        tell("{sign} {facts}", sign=s, facts=requirement.facts[n].value)
        for n, s in signs.items()
        if n in requirement.facts
    ]
    specifier = requirement.facts.get("specifier")
    asked = [] if specifier is None else [specifier.value.replace(" ", "").replace(",", ", ")]
    return listed([requirement.facts["component"].value, *asked, *bounds], " ")


def _lacking(
    requirement: Requirement, candidate: Candidate, claims: tuple[Claim, ...]
) -> Condition:
    wanted = _wanted(requirement, candidate)
    where = candidate.machine or tell("the machine offered")
    unordered = _claims.undecided(claims)
    apart = (
        tell(" ({unordered}, which has no order with it)", unordered=listed(unordered, "; "))
        if unordered
        else ""
    )
    if "component" in requirement.facts:
        text = tell_asking(
            "have {where} print its version of {wanted}, or a document of it attest one{apart}",
            ("Have {where} print its version of {wanted}, or a document of it attest one{apart}"),
            where=where,
            wanted=wanted,
            apart=apart,
        )
    else:
        text = tell_asking(
            "show that {wanted} works on {gpu}: a run on {where}, or the software's own document",
            ("Show that {wanted} works on {gpu}: a run on {where}, or the software's own document"),
            wanted=wanted,
            gpu=candidate.gpu,
            where=where,
        )
    return _conditions.compatibility(text, supplier=tell("operator or seller"), threshold=wanted)


MEMBER = Criterion(
    name="software",
    title=tell("Software and versions"),
    compare=compare,
    expects=tell("record of the machine, or document that names the version"),
    settles=tell(
        "With a component, a must states its versions: one that meets the bounds admits, another excludes, "
        "one without a place in the order of versions is to confirm. Without a component, a run of the engine"
        " at its version on this card admits, and so does the engine's own document; one that refuses the "
        "card excludes. A sheet or a quote does neither."
    ),
)
