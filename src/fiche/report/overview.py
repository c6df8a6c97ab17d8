"""An archive's holdings as a report of the usual make: which model on which card, by whom it is said."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.holdings import ANSWERS, Holdings
from fiche.report import numbers, overview_entries, overview_pairs
from fiche.report._changes_told import Teller
from fiche.report.desk import joined
from fiche.report.link_parts import Link
from fiche.report.parts import (
    Block,
    Box,
    Chrome,
    Code,
    Paragraph,
    Parts,
    Quoted,
    Report,
    Section,
    Words,
)
from fiche.report.translated import translated
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

DOCUMENT = "overview.json"
KINDS = ("decision", "fiche", "record", "piece", "catalog", "policy")
_ATTACHED = ("attachment", "relation", "bytes", "sha256")
_METHOD = ("verdicts", "ranges", "names", "counts")


def overview(held: Holdings, tool: str, language: Language = ENGLISH) -> Report:
    """Say what an archive holds in a language; `tool` is the version that counted it."""
    teller = Teller(language, "overview")
    sections = [
        *overview_pairs.sections(teller, held),
        overview_entries.latest(teller, held),
        overview_entries.leaving(teller, held),
        *overview_entries.named(teller, held),
        _method(teller),
    ]
    made = Report(
        language=language.tag,
        style=language.style,
        title=teller.word("title"),
        date=held.day,
        author="",
        tool=language.phrases["tool"].format(version=tool),
        eyebrow=_eyebrow(teller, held),
        opening=tuple(_opening(teller, held)),
        sections=tuple(sections),
        chrome=_chrome(teller, held, tool),
    )
    return translated(made, language)


def _eyebrow(teller: Teller, held: Holdings) -> Parts:
    dated = teller.say("as_of", day=Code(held.day))
    return (Words(teller.word("eyebrow"), strong=True), Words(" · "), *dated)


# --- What comes first -----------------------------------------------------------------------------


def _opening(teller: Teller, held: Holdings) -> Iterator[Block]:
    lead = teller.say(
        "lead",
        entries=teller.counted("entries", held.entries),
        files=teller.counted("files", held.files),
        bytes=numbers.memory(held.num_bytes, "GiB", teller.language.style),
        archive=Code(held.archive),
    )
    yield Paragraph(lead, tone="lead")
    if held.narrowed:
        told = [
            teller.say(f"narrowed_{key}", part=Quoted(part)) for key, part in held.narrowed.items()
        ]
        yield Paragraph(teller.say("narrowed", told=joined(told)))
    yield Box(question=teller.word("question"), answers=(), closing=tuple(_closing(teller, held)))


def _closing(teller: Teller, held: Holdings) -> Iterator[Parts]:
    yield _pairs(teller, held)
    kinds = [
        teller.counted(f"kind_{kind}", held.kinds[kind]) for kind in KINDS if held.kinds.get(kind)
    ]
    if kinds:
        yield teller.say("kinds", told=joined(kinds))
    apart = {"superseded": held.superseded, "unplaced": held.unplaced}
    told = [teller.counted(key, count) for key, count in apart.items() if count]
    if told:
        yield teller.say("apart", told=joined(told))
    if held.leaving_total:
        form = teller.language.form(teller.word("leaving_line"), held.leaving_total)
        section = Link(teller.word("leaving_title"), "leaving")
        yield teller.filled(form, n=held.leaving_total, day=Code(held.soon), section=section)
    beside = {
        "with_confidential": held.confidential,
        "withheld": held.withheld,
        "withheld_internal": held.withheld_internal,
        "damaged": held.damaged,
    }
    for key, count in beside.items():
        if count:
            yield teller.counted(key, count)


def _pairs(teller: Teller, held: Holdings) -> Parts:
    """All pairs by what is known of them; the counts add up."""
    if not held.pairs:
        return (Words(teller.word("no_pairs")),)
    told = [
        teller.say(f"count_{answer}", n=held.answers[answer])
        for answer in ANSWERS
        if held.answers.get(answer)
    ]
    return teller.say(
        "pairs",
        pairs=teller.counted("pair", held.pairs),
        models=teller.counted("models", held.models),
        cards=teller.counted("cards", held.cards),
        told=joined(told),
    )


# --- How, and around it ---------------------------------------------------------------------------


def _method(teller: Teller) -> Section:
    blocks = tuple(Paragraph((Words(teller.word(f"method_{key}")),)) for key in _METHOD)
    return Section(id="how", title=teller.word("method_title"), blocks=blocks)


def _chrome(teller: Teller, held: Holdings, tool: str) -> Chrome:
    phrases = teller.language.phrases
    date = numbers.dated(held.day, teller.language.style)
    themes = ("theme", "theme_device", "theme_light", "theme_dark")
    return Chrome(
        skip=phrases["skip"],
        contents=phrases["contents"],
        annex=phrases["annex_title"],
        annex_lead=phrases["annex_lead"],
        foot=teller.word("foot").format(tool=phrases["tool"].format(version=tool), date=date),
        cut=phrases["letters_left"].replace("decision.json", DOCUMENT),
        digest=teller.word("digest"),
        download=phrases["download"],
        attachments_caption=phrases["attachments_caption"],
        attachments_columns=tuple(phrases[key] for key in _ATTACHED),
        attachments_note=(Words(teller.word("attachments")),),
        decision_role=teller.word("document"),
        page=tuple((key, phrases[f"page_{key}"]) for key in themes),
        codes=(),
        document=DOCUMENT,
    )
