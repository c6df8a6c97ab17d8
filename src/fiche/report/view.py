"""From a decision to a report in one language: pure, and every number of it is the decision's own."""

from __future__ import annotations

from fiche.kernel.decision import Decision
from fiche.report import candidates, criteria, evidence, method, missing, need, observed, workload
from fiche.report.answer import opening
from fiche.report.desk import Desk
from fiche.report.parts import Chrome, Code, Parts, Quoted, Report, Words

_ATTACHED = ("attachment", "relation", "bytes", "sha256")


def view(decision: Decision, language: str = "en") -> Report:
    """Say a decision in a language.

    Raises:
        Refused: F602 fiche has no words in this language.
    """
    desk = Desk.of(decision, language)
    fiche = decision.fiche
    return Report(
        language=desk.language.tag,
        title=fiche.title,
        date=fiche.date,
        author=fiche.author,
        tool=desk.word("tool").format(version=decision.tool_version),
        eyebrow=_eyebrow(desk),
        opening=opening(desk),
        sections=(
            missing.section(desk),
            candidates.section(desk),
            criteria.section(desk),
            need.section(desk),
            observed.section(desk),
            workload.section(desk),
            evidence.section(desk),
            method.assumptions(desk),
            evidence.environment(desk),
            method.limits(desk),
            method.method(desk),
            method.recheck(desk),
        ),
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
