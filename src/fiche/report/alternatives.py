"""Candidates as one change of a baseline: what differs, what still holds, what to measure anew (D10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.alternative import Alternative, Anew, Cover, Shift, Turned
from fiche.kernel.finding import Verdict
from fiche.kernel.requirement import Requirement
from fiche.report import numbers
from fiche.report.desk import Desk, cell, columns, joined, row, short_label
from fiche.report.parts import (
    Code,
    Missing,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """One table for each baseline; None where no candidate changes one."""
    groups: dict[str, list[Alternative]] = {}
    for one in desk.decision.alternatives:
        groups.setdefault(one.baseline, []).append(one)
    if not groups:
        return None
    tables = tuple(
        _table(desk, place, baseline, told)
        for place, (baseline, told) in enumerate(groups.items(), 1)
    )
    return Section(id="alternatives", title=desk.word("alternatives_title"), blocks=tables)


def _table(desk: Desk, place: int, baseline: str, told: list[Alternative]) -> Table:
    return Table(
        id=f"alternatives-{place}",
        caption=desk.word("alternatives_caption").format(baseline=baseline),
        columns=columns(
            desk,
            "alternative",
            "alternative_load",
            "alternative_verdicts",
            "alternative_pieces",
        ),
        rows=tuple(_row(desk, one) for one in told),
        notes=((Words(desk.word("alternatives_note")),),),
    )


def _row(desk: Desk, one: Alternative) -> Row:
    was = Quoted(one.before) if one.before else Missing(desk.word("not_told"))
    change = desk.say("alternative_change", before=was, after=Quoted(one.after))
    return row(
        cell((Code(one.candidate),), (Code(one.path),), change),
        cell(*_load(desk, one), *_package(desk, one)),
        cell(*_verdicts(desk, one)),
        cell(*_pieces(desk, one), *_anew(desk, one)),
    )


# --- Numbers --------------------------------------------------------------------------------------


def _load(desk: Desk, one: Alternative) -> Iterator[Parts]:
    """Items that differ, equal ones of several cases once; then the phase that changes most."""
    alike: dict[tuple[object, ...], tuple[Shift, list[str]]] = {}
    for each in one.items:
        alike.setdefault(_sameness(each), (each, []))[1].append(each.case)
    for each, cases in alike.values():
        node = each.before if each.after is None else each.after
        label = each.name if node is None else short_label(node)
        yield _line(desk, (Quoted(label),), cases, each)
    names = {each.name for each in one.items}
    most = max(one.phases, key=_change, default=None)
    if most is not None and len(names) > 1:
        named = desk.say("alternative_phase", phase=desk.term(most.phase))
        yield _line(desk, named, [most.case], most)
    if not one.items:
        yield (Words(desk.word("alternative_no_load")),)


def _sameness(each: Shift) -> tuple[object, ...]:
    told = each.difference
    return (each.name, each.case) if told is None else (each.name, told.low, told.high)


def _line(desk: Desk, named: Parts, cases: list[str], each: Shift) -> Parts:
    told = [Code(case) for case in dict.fromkeys(cases) if case]
    where = (Words(", "), *joined(told)) if told else ()
    return (*named, *where, Words(": "), _difference(desk, each))


def _change(each: Shift) -> int:
    told = each.difference
    return 0 if told is None else max(abs(told.low.__floor__()), abs((told.high or 0).__ceil__()))


def _difference(desk: Desk, each: Shift) -> Part:
    """With its sign; what cannot be bounded is not known, and never zero."""
    told = each.difference
    if told is None:
        return Missing(desk.word("not_known"))
    return desk.amount(told, numbers.difference(told, desk.style))


def _package(desk: Desk, one: Alternative) -> Iterator[Parts]:
    """Cost and useful margin: from, to and the difference, where they are not the same."""
    paid = next((each for each in one.totals if each.name == "payable"), None)
    if paid is not None and one.cost is not None and paid.after is one.cost.after:
        paid = None  # what is compared is what is paid
    named = {"package_cost": one.cost, "alternative_payable": paid}
    for key, each in {**named, "useful_margin": one.useful_margin}.items():
        if each is not None:
            told = (
                Words(desk.word(key) + ": "),
                desk.amount(each.before),
                Words(" → "),
                desk.amount(each.after),
            )
            more = (Words(", "), _difference(desk, each)) if each.difference is not None else ()
            yield (*told, *more)


# --- Verdicts and pieces --------------------------------------------------------------------------


def _verdicts(desk: Desk, one: Alternative) -> Iterator[Parts]:
    before, after = (desk.status(status) for status in one.status)
    yield (before, Words(" → "), after)
    for each in _together(one.turned):
        yield _turned(desk, *each)
    yield desk.say("alternative_kept", n=one.kept, noun=desk.counted("requirements", one.kept))


def _together(turned: Iterable[Turned]) -> list[tuple[Turned, list[str]]]:
    """Cases and devices of one requirement that turn alike share a line."""
    alike: dict[tuple[object, ...], tuple[Turned, list[str]]] = {}
    for each in turned:
        key = (each.requirement, each.before, each.after, each.reason, each.topics)
        place = " ".join(part for part in (each.case, each.device) if part)
        alike.setdefault(key, (each, []))[1].extend([place] if place else [])
    return list(alike.values())


def _turned(desk: Desk, each: Turned, places: list[str]) -> Parts:
    where = (Words(", "), *joined([Code(place) for place in places])) if places else ()
    sides = (_verdict(desk, each.before), Words(" → "), _verdict(desk, each.after))
    return (Code(each.requirement), *where, Words(": "), *sides, *_why(desk, each))


def _why(desk: Desk, each: Turned) -> Parts:
    """The open points, or the row of the rule that decides."""
    if each.reason == "open" and each.topics:
        told = joined([Words(desk.topic(topic)) for topic in each.topics])
        return desk.say("aside", told=told)
    return desk.say("aside", told=desk.legible(each.text)) if each.text else ()


def _verdict(desk: Desk, verdict: Verdict | None) -> Part:
    return Missing(desk.word("not_asked_for")) if verdict is None else desk.verdict(verdict)


def _pieces(desk: Desk, one: Alternative) -> Iterator[Parts]:
    for key, covers in (("still_covers", one.covering), ("no_longer_covers", one.not_covering)):
        if covers:
            yield desk.say(key, pieces=joined([_cover(each) for each in covers], "; "))


def _cover(each: Cover) -> Parts:
    asked = joined([Code(name) for name in each.requirements])
    return (Reference(each.piece), Words(" ("), *asked, Words(")"))


def _anew(desk: Desk, one: Alternative) -> Iterator[Parts]:
    """What is to be measured, then what is measured already: a changed format recovers its quality (D7)."""
    done = [each for each in one.anew if each.done]
    for each in one.anew:
        if not each.done:
            yield _to_measure(desk, each)
    if done:
        names = joined([Words(desk.word(f"anew_{each.what}_name")) for each in done])
        yield desk.say("anew_done", names=names)


def _to_measure(desk: Desk, each: Anew) -> Parts:
    asked = _required(desk, each)
    least = asked.figures.get("at_least") if asked is not None else None
    if each.what == "quality" and asked is not None and least is not None:
        metric = asked.facts["metric"].value if "metric" in asked.facts else asked.id
        least_told = desk.amount(least)
        return desk.say("anew_quality_of", metric=Quoted(metric), least=least_told)
    return (Words(desk.word(f"anew_{each.what}")),)


def _required(desk: Desk, each: Anew) -> Requirement | None:
    found = (one for one in desk.decision.fiche.requirements if one.id == each.asked)
    return next(found, None)
