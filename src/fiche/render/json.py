"""decision.json: the whole decision for machines, in one canonical form (E4).

The form is RFC 8785's (`canonical`). Bytes are integers (strings of digits beyond 2^53 - 1), every other
number is a decimal string, or a fraction where decimals never end; no float. Same decision, same bytes.
schemas/decision.schema.json describes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.kernel.comparison import CaseLoad
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.fact import Fact
from fiche.kernel.finding import Finding, SecondReading
from fiche.kernel.ledger import Ledger, ledger
from fiche.kernel.places import Places
from fiche.kernel.requirement import Candidate, Policy, Requirement
from fiche.kernel.workload import Case, Workload
from fiche.render._alternatives import alternatives
from fiche.render._bill import bill
from fiche.render._choice import choice
from fiche.render._constants import constants
from fiche.render._figures import condition, fact, figure, short
from fiche.render._identity import QUESTION, identity, piece_ends
from fiche.render._ownership import ownership
from fiche.render._pieces import piece
from fiche.render._settling import settling
from fiche.render._simulations import beside
from fiche.render._standing import commented, evidence, outcome, points, summary
from fiche.render.canonical import canonical

# Of the form: a reader of 1 reads every version of it, since nothing is renamed or taken away.
FORMAT = "fiche-decision/1"
# Of schemas/decision.schema.json.
# 1.0: first form.
# 1.1: `schema`, `fiche`, `rules`, `environment`, `report`, `points`, `procedure.period`; of a finding
#      `outcome`, `unknown` and `settles_if`; of a candidate `summary`; of a piece `collected`, `expires`,
#      `scope_counts`, `not_covered` and `spreads`; of a step `number`; of a simulation `window`;
#      `comments` where people commented.
# 1.2: of the fiche and of a piece `rights`, `confidentiality`, `keep_until`, `identifier`, `supersedes`;
#      of a piece `cites`.
SCHEMA, SCHEMA_VERSION = "decision.schema.json", "1.2"

STATUSES = ("retained", "to_confirm", "excluded")


def decision_bytes(decision: Decision) -> bytes:
    """The canonical bytes of decision.json."""
    return canonical(decision_document(decision))


def decision_document(decision: Decision) -> dict[str, Any]:
    """The decision as plain dicts, lists, texts and integers."""
    book = ledger(decision)
    places = Places.of(decision.fiche)
    fiche, ends = decision.fiche, piece_ends(decision)
    return {
        **_head(decision),
        "policy": _policy(fiche.policy, book, places),
        "inputs": [
            {
                "file": i.file,
                "role": i.role,
                "bytes": i.num_bytes,
                "sha256": i.sha256,
                "media_type": i.media_type,
            }
            for i in fiche.inputs
        ],
        "workload": _workload(fiche.workload, book, places),
        "figures": [figure(node, book, places) for _, node in sorted(book.figures.items())],
        "loads": [_load(one, book) for one in decision.loads],
        "pieces": [
            {**piece(p, book, places), **evidence(p, decision, ends.get(p.id))}
            for p in fiche.pieces
        ],
        "requirements": [_requirement(r, book, places) for r in fiche.requirements],
        "candidates": [
            {**_candidate(o, book, places), "summary": summary(o, decision)}
            for o in decision.outcomes
        ],
        "findings": [{**_finding(f, book), **outcome(f)} for f in decision.findings],
        "second_reading": [_second(s) for s in decision.second_readings],
        "workload_conditions": [condition(c) for c in decision.workload_conditions],
        "points": points(decision),
        "ranking": _ranking(decision),
        "shortlist": [o.candidate.id for o in decision.outcomes if o.status == "to_confirm"],
        "counts": counts(decision),
        "choice": None,
        "conditional_choice": decision.conditional_choice,
        "invalidated_by": [fact(f, places) for f in fiche.invalidated_by],
        **_simulated(decision, book),
        **commented(decision, places),
        **{
            key: told
            for part in (identity, bill, choice, settling, alternatives, ownership)
            for key, told in part(decision, book, places).items()
        },
        **constants(),
    }


def _head(decision: Decision) -> dict[str, Any]:
    fiche = decision.fiche
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "fiche", "version": decision.tool_version},
        "title": fiche.title,
        "date": fiche.date,
        "author": fiche.author,
        "language": fiche.language,
        "illustrative": fiche.illustrative,
        "question": QUESTION,
    }


def counts(decision: Decision) -> dict[str, int]:
    """How many candidates of each status and findings of each verdict; each adds up to its total."""
    numbers = {status: sum(o.status == status for o in decision.outcomes) for status in STATUSES}
    verdicts = {
        f"findings_{code}": sum(f.verdict.code == code for f in decision.findings)
        for code in ("admissible", "to_confirm", "exclude")
    }
    totals = {"candidates": len(decision.outcomes), "findings": len(decision.findings)}
    return {**numbers, **verdicts, **totals}


def _ranking(decision: Decision) -> list[str]:
    ranked = [o for o in decision.outcomes if o.rank is not None]
    return [o.candidate.id for o in sorted(ranked, key=lambda o: o.rank or 0)]


def _policy(policy: Policy, book: Ledger, places: Places) -> dict[str, Any]:
    spread = policy.machine_spread
    return {
        "name": policy.name,
        "version": policy.version,
        "sha256": policy.sha256,
        "strict": {name: list(facts) for name, facts in policy.strict.items()},
        "noted": {name: list(facts) for name, facts in policy.noted.items()},
        "typed_scope": policy.typed_scope,
        "tie_tolerance": book.of(policy.tie_tolerance).id,
        "machine_spread": None if spread is None else book.of(spread).id,
        **_bands(policy, book),
        **_ages(policy),
    }


def _ages(policy: Policy) -> dict[str, Any]:
    """When a piece counts no more; no key where the policy says nothing of it."""
    told = {
        "max_age": dict(policy.max_age),
        "changed": {name: list(facts) for name, facts in policy.changed.items()},
    }
    return {key: entries for key, entries in told.items() if entries}


def _bands(policy: Policy, book: Ledger) -> dict[str, Any]:
    """The guard bands that the policy declares; no key where it declares none."""
    told = {name: book.of(band).id for name, band in policy.guard_bands.items()}
    return {"guard_band": told} if told else {}


def _workload(load: Workload, book: Ledger, places: Places) -> dict[str, Any]:
    return {
        "facts": _facts(load.facts, places),
        "figures": {path: book.of(stated).id for path, stated in load.figures.items()},
        "cases": [_case(case, book, places) for case in load.cases],
        "reserve": [book.of(item).id for item in load.reserve],
        "margin": [book.of(item).id for item in load.margin],
        "method_targets": list(load.method_targets),
    }


def _facts(facts: Mapping[str, Fact], places: Places) -> dict[str, Any]:
    return {path: fact(told, places) for path, told in facts.items()}


def _case(case: Case, book: Ledger, places: Places) -> dict[str, Any]:
    return {
        "id": case.id,
        "role": case.role,
        "phases": list(case.phases),
        "dimensions": {name: book.of(size).id for name, size in case.dimensions.items()},
        "at": places.of_address(case.span),
    }


def _requirement(requirement: Requirement, book: Ledger, places: Places) -> dict[str, Any]:
    return {
        "id": requirement.id,
        "kind": requirement.kind,
        "level": requirement.level,
        "cases": list(requirement.cases),
        "implied": requirement.implied,
        "figures": {name: book.of(node).id for name, node in requirement.figures.items()},
        "facts": _facts(requirement.facts, places),
        "at": places.of_address(requirement.span),
        **_choices(requirement, places),
    }


def _choices(requirement: Requirement, places: Places) -> dict[str, Any]:
    """Lists of which one is enough; no key where there is none."""
    told = requirement.choices.items()
    listed = {name: [fact(one, places) for one in each] for name, each in told}
    return {"choices": listed} if listed else {}


def _load(load: CaseLoad, book: Ledger) -> dict[str, Any]:
    return {
        "owner": load.owner,
        "case": load.case,
        "items": [
            {
                "name": item.name,
                "figure": book.of(item.node).id,
                "resident": item.resident,
                "phases": list(item.phases),
                "per_device": item.per_device,
            }
            for item in load.items
        ],
        "phases": [
            {
                "phase": each.phase,
                "figure": book.of(each.total).id,
                "items": [book.of(item.node).id for item in each.items],
            }
            for each in load.phases
        ],
    }


def _candidate(outcome: Outcome, book: Ledger, places: Places) -> dict[str, Any]:
    who = outcome.candidate
    return {
        **_identity(who, book, places),
        "status": outcome.status,
        "verdict": outcome.verdict.code,
        "rank": outcome.rank,
        "tied_with": list(outcome.tied_with),
        "cost": None if outcome.cost is None else book.of(outcome.cost).id,
        "useful_margin": (
            None if outcome.useful_margin is None else book.of(outcome.useful_margin).id
        ),
        "schedule": None if outcome.schedule is None else fact(outcome.schedule, places),
        "conditions": [condition(c) for c in outcome.conditions],
    }


def _identity(who: Candidate, book: Ledger, places: Places) -> dict[str, Any]:
    change = who.change
    return {
        "id": who.id,
        "gpu": who.gpu,
        "card": None if who.card is None else who.card.name,
        "cards": book.of(who.cards).id,
        "offer": None if who.offer is None else who.offer.id,
        "seller": None if who.offer is None else who.offer.seller,
        "machine": who.machine,
        "baseline": who.baseline,
        "change": (
            None if change is None else {"path": change[0], "from": change[1], "to": change[2]}
        ),
        "other_users": None if who.other_users is None else fact(who.other_users, places),
        "at": places.of_address(who.span),
    }


def _finding(found: Finding, book: Ledger) -> dict[str, Any]:
    compared = {"need": found.need, "have": found.have, "margin": found.margin}
    return {
        "requirement": found.requirement,
        "kind": found.kind,
        "level": found.level,
        "candidate": found.candidate,
        "case": found.case,
        "device": found.device,
        "verdict": found.verdict.code,
        **{name: None if node is None else short(book.of(node)) for name, node in compared.items()},
        "need_words": found.need_words,
        "have_words": found.have_words,
        "reason_code": found.reason,
        "reason": found.text,
        "condition": "; ".join(c.text for c in found.conditions) or None,
        "conditions": [condition(c) for c in found.conditions],
        "pieces": list(found.pieces),
        "attested_by": list(found.attested_by),
        **({"sources": list(found.sources)} if found.sources else {}),
        **({"expected_piece": found.expects} if found.expects else {}),
        **({} if found.guard is None else {"guard": short(book.of(found.guard))}),
    }


def _second(second: SecondReading) -> dict[str, Any]:
    found = second.finding
    return {
        "candidate": found.candidate,
        "requirement": found.requirement,
        "case": found.case,
        "device": found.device,
        "would_be": second.would_be.code,
        "if_held": list(second.if_held),
    }


def _simulated(decision: Decision, book: Ledger) -> dict[str, Any]:
    """Simulations beside the formulas; no key where none is cited."""
    told = [beside(one, book) for one in decision.simulations]
    return {"simulations": told} if told else {}
