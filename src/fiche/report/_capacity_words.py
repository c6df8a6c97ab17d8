"""What the picture of page one says in words: every number of it, marked, and what its signs mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from fiche.kernel import trace
from fiche.kernel.figure import Figure, Node
from fiche.report._needs import Asked, Held, have_text, labelled, need_text
from fiche.report.bar import parts_of_need
from fiche.report.desk import Desk, joined
from fiche.report.parts import Code, Part, Parts, Quoted, Swatch, Words

# Smaller items are counted, and stand by name where the load is told.
MOST_ITEMS = 4
_SHADES = 3


def label_of(desk: Desk, group: Asked) -> str:
    """The words beside a need's bar."""
    case = group.found.case
    return desk.word("pic_needs").format(case=case) if case else desk.word("pic_needs_untold")


def caption(desk: Desk, groups: Sequence[Asked], left: int) -> tuple[Parts, ...]:
    """A line for each need, and one that explains the signs in use."""
    lines = [_line(desk, group) for group in groups]
    if left:
        lines.append((Words(desk.counted("pic_left", left).format(count=left)),))
    signs = joined(_signs(desk, groups), " · ")
    return (*lines, signs) if signs else tuple(lines)


def in_short(desk: Desk, groups: Sequence[Asked], left: int) -> tuple[Parts, ...]:
    """What the first need is made of, and the first of several items, whose colours would else say nothing.

    And the signs; the annex has a line for each need.
    """
    stacked = (g for g in groups[1:] if g.need is not None and _stacked(desk, g.need))
    told = [groups[0]] if _stacked(desk, groups[0].need) else [groups[0], *islice(stacked, 1)]
    made = joined([_need(desk, group) for group in told], " ")
    signs = joined(_signs(desk, groups), " · ")
    more = (Words(" "), Words(desk.counted("pic_left", left).format(count=left))) if left else ()
    return ((*made, *more), signs) if signs else ((*made, *more),)


def _stacked(desk: Desk, need: Figure | None) -> bool:
    return need is not None and len(parts_of_need(desk, need)) > 1


def said(desk: Desk, groups: Sequence[Asked]) -> str:
    """The picture for who cannot see it: each need, what each candidate has, and the answer."""
    told = []
    for group in groups:
        told.append(plain(_need(desk, group)))
        for held in group.held:
            answer = desk.language.answers[held.found.verdict.code]
            told.append(f"{plain(_have(desk, group, held)).rstrip('.')}: {answer}.")
    return " ".join(told)


def plain(parts: Parts) -> str:
    """Parts as their words alone."""
    return "".join(_plain(part) for part in parts)


def _plain(part: Part) -> str:
    return getattr(part, "text", "") or getattr(part, "word", "") or getattr(part, "piece", "")


def _line(desk: Desk, group: Asked) -> Parts:
    told = [_need(desk, group), *_beside(desk, group), *(_have(desk, group, h) for h in group.held)]
    return joined(told, " ")


# --- The need -------------------------------------------------------------------------------------


def _need(desk: Desk, group: Asked) -> Parts:
    case = group.found.case
    tail = "" if case else "_untold"
    fillings: dict[str, Part] = {"case": Code(case)} if case else {}
    if group.need is None:
        return desk.say(f"pic_no_need{tail}", **fillings)
    items = _items(desk, group)
    if len(items) == 1:
        return desk.say(f"pic_need{tail}", items=items[0], **fillings)
    whole = desk.amount(group.need, need_text(desk, group))
    told = joined(items, " + ")
    return desk.say(f"pic_need{tail}_sum", items=told, whole=whole, **fillings)


def _items(desk: Desk, group: Asked) -> list[Parts]:
    need = group.need
    assert need is not None
    shade = 0
    told: list[Parts] = []
    parts = parts_of_need(desk, need)
    for item in parts:
        kind = trace.basis(item)
        if kind == "computed":
            kind, shade = f"computed-{shade % _SHADES}", shade + 1
        text = need_text(desk, group) if len(parts) == 1 else ""
        told.append((Swatch(kind), Quoted(label(desk, item)), Words(" "), desk.listed(item, text)))
    if len(told) <= MOST_ITEMS:
        return told
    largest = sorted(range(len(parts)), key=lambda n: -parts[n].low)[:MOST_ITEMS]
    rest = len(told) - MOST_ITEMS
    smaller = desk.counted("pic_smaller", rest).format(count=rest)
    return [*(told[n] for n in sorted(largest)), (Words(smaller),)]


def label(desk: Desk, node: Node) -> str:
    """What a number is, in the report's language, without its explanation."""
    told = desk.told(node.label)
    return desk.term(re.split(r"\s*[(:]", told, maxsplit=1)[0] or node.id)


def _beside(desk: Desk, group: Asked) -> Iterator[Parts]:
    if group.floor is not None:
        yield desk.say("pic_floor", floor=desk.amount(group.floor))
    if not group.firm:
        yield (Words(desk.word("pic_not_firm")),)
    margins = [] if group.is_open or group.need is None else desk.decision.fiche.workload.margin
    if margins:
        told = [
            (Swatch("margin"), Quoted(label(desk, margin)), Words(" "), desk.amount(margin))
            for margin in margins
        ]
        yield desk.say("pic_keep", items=joined(told, " + "))


# --- What there is --------------------------------------------------------------------------------


def _have(desk: Desk, group: Asked, held: Held) -> Parts:
    who = _who(desk, held)
    if held.several:
        from fiche.report.capacities import span

        least, most = span(held.several)
        ends = {"least": desk.amount(least), "most": desk.amount(most)}
        return desk.say("pic_have_many", who=who, **ends)
    if held.low is not None and held.found.margin is not None:
        margin = desk.amount(held.found.margin)
        return desk.say(
            "pic_have_margin",
            who=who,
            have=desk.amount(held.low, have_text(desk, group, held.low)),
            margin=margin,
        )
    if held.low is not None:
        return desk.say(
            "pic_have", who=who, have=desk.amount(held.low, have_text(desk, group, held.low))
        )
    if held.high is not None:
        return desk.say(
            "pic_have_most", who=who, have=desk.amount(held.high, have_text(desk, group, held.high))
        )
    return desk.say("pic_have_none", who=who)


def _who(desk: Desk, held: Held) -> Parts:
    if len(held.who) <= 2:
        return joined([Code(name) for name in held.who])
    return (Words(desk.counted("pic_candidates", len(held.who)).format(count=len(held.who))),)


def _signs(desk: Desk, groups: Sequence[Asked]) -> Iterator[Parts]:
    """What is solid, hatched and open, where the picture has it."""
    held = [one for group in groups for one in group.held]
    single = [one for one in held if not one.several]
    drawn = {
        "sure": any(one.low is not None for one in single),
        "most": any(one.low is None and one.high is not None for one in single)
        or any(labelled(one.high) for one in single),
        "open": any(group.is_open and group.need is not None for group in groups),
        "free": any(one.found.margin is not None and one.low is not None for one in single),
    }
    for kind, there in drawn.items():
        if there:
            yield (Swatch(kind), Words(desk.word(f"pic_{kind}")))
    if any(g.need is not None and g.need.low != g.need.high for g in groups):
        yield (Swatch("range"), Words(desk.word("pic_range")))
    if any(group.floor is not None for group in groups):
        yield (Words(f"▲ {desk.word('pic_floor_sign')}"),)
    if any(one.failed for one in single):
        yield (Words(f"✕ {desk.word('pic_failure')}"),)
