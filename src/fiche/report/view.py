"""From a decision to a report in one language: pure, and every number of it is the decision's own."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.decision import Decision
from fiche.report import (
    alternatives,
    bill,
    candidates,
    choice,
    criteria,
    evidence,
    invalidation,
    load,
    method,
    missing,
    need,
    observed,
    ownership,
    procedure,
    remedies,
    settling,
    simulation,
    workload,
)
from fiche.report.answer import opening
from fiche.report.desk import Desk
from fiche.report.parts import Chrome, Code, Parts, Quoted, Report, Section, Words

# In reading order: what a committee decides on, then what an engineer audits.
_SECTIONS: tuple[Callable[[Desk], Section | None], ...] = (
    candidates.section,
    missing.section,
    criteria.section,
    bill.section,
    choice.section,
    procedure.section,
    settling.section,
    alternatives.section,
    ownership.section,
    remedies.section,
    need.section,
    load.section,
    simulation.section,
    observed.section,
    workload.section,
    evidence.section,
    method.assumptions,
    evidence.environment,
    invalidation.section,
    method.limits,
    method.method,
    method.recheck,
)
_BRIEF = 3
_ATTACHED = ("attachment", "relation", "bytes", "sha256")


def view(decision: Decision, language: str = "en") -> Report:
    """Say a decision in a language.

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    return _report(Desk.of(decision, language), _SECTIONS)


def brief(decision: Decision, language: str = "en") -> Report:
    """The answer, the open points and the verdicts, without what stands behind them.

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    return _report(Desk.of(decision, language), _SECTIONS[:_BRIEF])


def _report(desk: Desk, sections: tuple[Callable[[Desk], Section | None], ...]) -> Report:
    fiche = desk.decision.fiche
    return Report(
        language=desk.language.tag,
        title=fiche.title,
        date=fiche.date,
        author=fiche.author,
        tool=desk.word("tool").format(version=desk.decision.tool_version),
        eyebrow=_eyebrow(desk),
        opening=opening(desk),
        sections=tuple(told for section in sections if (told := section(desk)) is not None),
        chrome=_chrome(desk),
    )


def _eyebrow(desk: Desk) -> Parts:
    fiche = desk.decision.fiche
    told: Parts = (Words(desk.word("eyebrow"), strong=True), Words(" · "))
    told += desk.say("dated", date=Code(fiche.date))
    if fiche.author:
        told += (Words(" · "), *desk.say("by", author=Quoted(fiche.author)))
    return told


def _chrome(desk: Desk) -> Chrome:
    return Chrome(
        skip=desk.word("skip"),
        contents=desk.word("contents"),
        digest=desk.word("digest"),
        download=desk.word("download"),
        attachments_caption=desk.word("attachments_caption"),
        attachments_columns=tuple(desk.word(key) for key in _ATTACHED),
        attachments_note=(Words(desk.word("attachments_note")),),
        decision_role=desk.word("decision_role"),
    )
