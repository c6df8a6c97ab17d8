"""From a decision to a report in one language: pure, and every number of it is the decision's own."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.custody import highest
from fiche.kernel.decision import Decision
from fiche.kernel.record import replace
from fiche.report import candidates, criteria, missing, numbers
from fiche.report.answer import opening
from fiche.report.desk import Desk
from fiche.report.parts import Chrome, Code, Parts, Quoted, Report, Section, Words
from fiche.report.translated import translated
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

_Say = Callable[[Desk], Section | None]

# What a terminal shows of a decision.
_BRIEF: tuple[_Say, ...] = (candidates.section, missing.section, criteria.section)


def _signed() -> tuple[_Say, ...]:
    """The pages that are signed: one that answers, one that proves. Loaded only where they are told."""
    from fiche.report import (
        cited,
        elimination,
        held,
        others,
        peak,
        points,
        scope,
        summed,
    )

    return (
        points.section,
        elimination.section,
        summed.section,
        _owning_drawn,
        cited.section,
        peak.section,
        others.section,
        held.section,
        scope.section,
        scope.method,
        scope.voices,
        scope.attached,
    )


def _recorded() -> tuple[_Say, ...]:
    """The minutes of a choice, where one is on record."""
    from fiche.report import choice

    return (choice.section, _procedure)


def _behind() -> tuple[_Say, ...]:
    """What an engineer audits."""
    from fiche.report import (
        bill,
        evidence,
        invalidation,
        load,
        method,
        need,
        observed,
        remedies,
        settling,
        workload,
    )

    return (
        candidates.section,
        missing.in_full,
        criteria.section,
        bill.section,
        settling.section,
        _alternatives,
        _owning,
        remedies.section,
        need.section,
        load.section,
        _simulation,
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


# Sections of what most decisions have none of: their words are loaded where there is some.


def _owning_drawn(desk: Desk) -> Section | None:
    if not desk.decision.ownerships:
        return None
    from fiche.report import ownership

    return ownership.drawn(desk)


def _owning(desk: Desk) -> Section | None:
    if not desk.decision.ownerships:
        return None
    from fiche.report import ownership

    return ownership.section(desk)


def _procedure(desk: Desk) -> Section | None:
    if desk.decision.procedure is None:
        return None
    from fiche.report import procedure

    return procedure.section(desk)


def _alternatives(desk: Desk) -> Section | None:
    if not desk.decision.alternatives:
        return None
    from fiche.report import alternatives

    return alternatives.section(desk)


def _simulation(desk: Desk) -> Section | None:
    if all(piece.reading.simulation is None for piece in desk.decision.fiche.pieces):
        return None
    from fiche.report import simulation

    return simulation.section(desk)


_ATTACHED = ("attachment", "relation", "bytes", "sha256")


def view(decision: Decision, language: Language = ENGLISH) -> Report:
    """Say a decision in a language."""
    desk = Desk.of(decision, language)
    signed, record, annex = (
        _placed(desk, told, place)
        for told, place in ((_signed(), "brief"), (_recorded(), "record"), (_behind(), "annex"))
    )
    return _report(desk, (*signed, *record, *annex), marked=True)


def brief(decision: Decision, language: Language = ENGLISH) -> Report:
    """The answer, the open points and the verdicts, without what stands behind them."""
    desk = Desk.of(decision, language)
    return _report(desk, _placed(desk, _BRIEF, "brief"))


def _placed(desk: Desk, sections: tuple[_Say, ...], place: str) -> tuple[Section, ...]:
    told = (section(desk) for section in sections)
    return tuple(replace(one, place=place) for one in told if one is not None)


def _report(desk: Desk, sections: tuple[Section, ...], *, marked: bool = False) -> Report:
    fiche = desk.decision.fiche
    made = Report(
        language=desk.language.tag,
        style=desk.style,
        title=fiche.title,
        date=fiche.date,
        author=fiche.author,
        tool=desk.word("tool").format(version=desk.decision.tool_version),
        eyebrow=_eyebrow(desk),
        opening=opening(desk),
        sections=sections,
        chrome=_chrome(desk, whole=marked),
    )
    return translated(_reviewed(made, desk, marked=marked), desk.language)


def _reviewed(report: Report, desk: Desk, *, marked: bool) -> Report:
    """With what people said of it, and marks where it belongs; loaded where there is any."""
    review = desk.decision.review
    if review is None:
        return report
    from fiche.report.comments import commented, listed

    return (commented if marked else listed)(report, desk, review)


def _confidentiality(desk: Desk) -> str:
    """The highest level that the fiche or a piece of it says, in words; it stands on every page."""
    fiche = desk.decision.fiche
    level = highest((fiche.custody, *(piece.custody for piece in fiche.pieces)))
    return desk.term(f"confidentiality.{level}") if level else ""


def _eyebrow(desk: Desk) -> Parts:
    fiche = desk.decision.fiche
    level = _confidentiality(desk)
    told: Parts = (Words(level, strong=True), Words(" · ")) if level else ()
    told += (Words(desk.word("eyebrow"), strong=True), Words(" · "))
    told += desk.say("dated", date=Code(fiche.date))
    if fiche.author:
        told += (Words(" · "), *desk.say("by", author=Quoted(fiche.author)))
    return told


def _chrome(desk: Desk, *, whole: bool) -> Chrome:
    return Chrome(
        skip=desk.word("skip"),
        contents=desk.word("contents"),
        annex=desk.word("annex_title"),
        annex_lead=desk.word("annex_lead"),
        foot=_foot(desk),
        cut=desk.word("letters_left"),
        digest=desk.word("digest"),
        download=desk.word("download"),
        attachments_caption=desk.word("attachments_caption"),
        attachments_columns=tuple(desk.word(key) for key in _ATTACHED),
        attachments_note=(Words(desk.word("attachments_note")),),
        decision_role=desk.word("decision_role"),
        page=_page(desk),
        codes=_codes(desk),
        texts=_texts(desk) if whole else (),
    )


def _foot(desk: Desk) -> str:
    """What stands at the foot of every page of paper."""
    fiche = desk.decision.fiche
    level = _confidentiality(desk)
    return (f"{level} · " if level else "") + desk.word("foot").format(
        tool=desk.word("tool").format(version=desk.decision.tool_version),
        policy=fiche.policy.name,
        version=fiche.policy.version,
        date=numbers.dated(fiche.date, desk.style),
    )


def _page(desk: Desk) -> tuple[tuple[str, str], ...]:
    """What a screen says besides the report: phrases whose places a script fills."""
    told = desk.language.phrases.items()
    return tuple((key.removeprefix("page_"), text) for key, text in told if key.startswith("page_"))


def _texts(desk: Desk) -> tuple[tuple[str, str], ...]:
    """Loaded only where a whole report is made."""
    from fiche.report.panel import texts

    return texts(desk)


def _codes(desk: Desk) -> tuple[tuple[str, str], ...]:
    """Words of the codes that a script finds in decision.json."""
    language = desk.language
    kinds = {f"kind.{code}": word for code, (_, word) in language.marks.items()}
    marks = {f"mark.{code}": word for code, (word, _) in language.marks.items()}
    states = {f"status.{code}": word for code, word in language.statuses.items()}
    verdicts = {f"verdict.{code}": word for code, word in language.verdicts.items()}
    return tuple({**kinds, **marks, **states, **verdicts}.items())
