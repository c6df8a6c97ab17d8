"""The end of the signed pages: scope, what would void it, method, opinions, attachments (E3, E4, law 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fiche.kernel.choice import Choice, Opinion
from fiche.kernel.invalidation import Invalidation
from fiche.report.desk import Desk, joined
from fiche.report.invalidation import turns
from fiche.report.parts import Code, Paragraph, Parts, Quoted, Section, Words

_MOST_EVENTS, _MOST_VALUES, _MOST_VOICES = 12, 6, 6
_SHORT = 16
# A name that a shell takes as it is, and that stands in one line.
_NAMEABLE, _PLAIN = 32, re.compile(r"[\w./:@%+-]+", re.ASCII)


def section(desk: Desk) -> Section:
    """What it says and no more; each event that would void it, with its value."""
    events = [e for e in desk.decision.invalidations if e.kind not in ("author", "assumption")]
    named = _named(desk, events)
    told = [_event(desk, *each) for each in list(named.items())[:_MOST_EVENTS]]
    left = len(named) - _MOST_EVENTS
    told += [desk.say("void_left", n=left)] if left > 0 else []
    lines: list[Parts] = [(Words(desk.word("limit_scope")),)]
    if told:
        lines.append(desk.say("void_line", told=joined(told, "; ")))
    stated = [(Quoted(fact.value),) for fact in desk.decision.fiche.invalidated_by]
    if stated:
        lines.append(desk.say("void_says_author", told=joined(stated, "; ")))
    return Section(id="scope", title=desk.word("scope_title"), blocks=tuple(map(Paragraph, lines)))


def _named(desk: Desk, events: Iterable[Invalidation]) -> dict[str, list[Parts]]:
    """By name: events of one kind share it, and what two of them say alike is said once."""
    named: dict[str, list[Parts]] = {}
    for event in events:
        values = named.setdefault(lowered(desk.word(f"void_{event.kind}")), [])
        told = () if event.values else joined(list(turns(desk, event)))
        if told and told not in values:
            values.append(told)
    return named


def _event(desk: Desk, named: str, values: list[Parts]) -> Parts:
    """With its bounds or its days, where it has any; the words of the load stand in the annex."""
    what, left = (Words(named),), len(values) - _MOST_VALUES
    values = [*values[:_MOST_VALUES], *([desk.say("musts_more", n=left)] if left > 0 else [])]
    return desk.say("void_valued", what=what, value=joined(values, "; ")) if values else what


def lowered(text: str) -> str:
    """A heading inside a sentence; an abbreviation keeps its capitals."""
    return text[:1].lower() + text[1:]


def method(desk: Desk) -> Section:
    """The policy by digest, the rule in short, and what holds near a limit."""
    policy = desk.decision.fiche.policy
    named = desk.say(
        "rule_policy",
        name=Code(policy.name),
        version=Code(policy.version),
        digest=Code(policy.sha256[:_SHORT]),
    )
    short = desk.say("rule_short", section=desk.word("method_title"))
    told = joined([named, _bands(desk), short], " ")
    return Section(id="rule", title=desk.word("rule_title"), blocks=(Paragraph(told),))


def _bands(desk: Desk) -> Parts:
    """The decision rule for values near their limit, as the policy declares it."""
    bands = desk.decision.fiche.policy.guard_bands
    if not bands:
        return (Words(desk.word("rule_no_bands")),)
    told = [
        desk.say(
            "rule_bands_of",
            amount=desk.amount(band),
            kind=desk.language.kinds.get(kind, desk.term(kind)),
        )
        for kind, band in bands.items()
    ]
    return desk.say("rule_bands", bands=joined(told))


# --- Opinions -------------------------------------------------------------------------------------


def voices(desk: Desk) -> Section | None:
    """Who agrees and who has a reservation, and what the decision replaces; None where nobody chose."""
    choice = desk.decision.fiche.choice
    if choice is None:
        return None
    lines = joined([*_opinions(desk, choice), *_replaces(desk, choice)], " ")
    return Section(id="voices", title=desk.word("voices_title"), blocks=(Paragraph(lines),))


def _opinions(desk: Desk, choice: Choice) -> Iterator[Parts]:
    told = [_voice(desk, one) for one in choice.opinions[:_MOST_VOICES]]
    left = len(choice.opinions) - _MOST_VOICES
    told += [desk.say("musts_more", n=left)] if left > 0 else []
    yield desk.say("voices", told=joined(told, "; ")) if told else desk.say("voices_none")


def _voice(desk: Desk, one: Opinion) -> Parts:
    stances = {True: "voices_reserve", False: "voices_agree", None: "voices_silent"}
    stance = (Words(desk.word(stances[one.reservation]), strong=bool(one.reservation)),)
    key = "voices_one" if one.role else "voices_one_alone"
    return desk.say(key, by=Quoted(one.by), role=Quoted(one.role), stance=stance)


def _replaces(desk: Desk, choice: Choice) -> Iterator[Parts]:
    before = choice.replaces
    if before is None:
        yield desk.say("voices_replaces_none")
        return
    what, digest = Quoted(before.what), before.digest
    key = "voices_replaces_at" if digest else "voices_replaces"
    yield desk.say(key, what=what, digest=Code(digest[:_SHORT]))


# --- What is attached -----------------------------------------------------------------------------


def _walked(desk: Desk) -> str:
    """What to explain first: a criterion of a candidate, by the names that the pages above print."""
    for found in desk.decision.findings:
        parts = (found.candidate, found.requirement, found.case, found.device)
        name = "/".join(filter(None, parts))
        if len(name) <= _NAMEABLE and _PLAIN.fullmatch(name):
            return name
    return "ID"


def attached(desk: Desk) -> Section:
    """How to take the attachments out and re-check them; what the annex holds and how to print it."""
    told = desk.say(
        "attached_line",
        detach=Code("pdfdetach -saveall report.pdf"),
        digest=Code("sha256sum FILE"),
        explain=Code(f"fiche explain FICHE {_walked(desk)}"),
    )
    annex = desk.say("annex_line", command=Code("fiche report --annex"))
    return Section(
        id="attached",
        title=desk.word("attached_title"),
        blocks=(Paragraph(joined([told, desk.say("built_short"), annex], " ")),),
    )
