"""`fiche diff` in a terminal: what changed by kind, then which verdicts moved, by what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fiche.cli.diff_json import counts
from fiche.cli.terminal import paragraph, table
from fiche.kernel.difference import Change, Detail, Difference, Move, Side, Standing
from fiche.report import numbers

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": "~"}
_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "~": "\x1b[33m"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_TITLES = {
    "tool": "Tool",
    "fiche": "Fiche",
    "workload": "Workload",
    "assumption": "Assumptions",
    "margin": "Margins",
    "requirement": "Requirements",
    "candidate": "Candidates",
    "offer": "Offers",
    "card": "Cards of the catalog",
    "piece": "Pieces",
    "policy": "Policy",
    "purchase": "Purchase",
    "input": "Files read",
    "choice": "Choice",
    "invalidated_by": "What would void it, as the author says",
}
_WORDS = {
    "admissible": "Admissible",
    "to_confirm": "To confirm",
    "exclude": "Excluded",
    "retained": "Retained",
    "excluded": "Excluded",
    None: "not asked",
}
_LONGEST, _FEW = 72, 4
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,52}\b")
_BYTES = re.compile(r"(?<![\w.])(\d{7,}) B\b(?!/)")
# Values that are lists of words; a sentence with commas is none.
_LISTS = frozenset({"phases", "cases", "strict", "noted", "changed", "method_targets"})
_NO_BREAK = "\N{NO-BREAK SPACE}"


def diff_text(found: Difference, *, width: int, colour: bool) -> str:
    """The whole text; no colour says anything that a sign does not."""
    lines = "".join(_parts(found, width)).split("\n")
    return "\n".join(_painted(line, colour) for line in lines)


def _painted(line: str, colour: bool) -> str:
    sign = line[2:3]
    if not colour or not line.startswith("  ") or sign not in _COLOURS or line[3:4] != " ":
        return f"{_BOLD}{line}{_PLAIN}" if colour and line[:1].isalpha() and line else line
    return f"{_COLOURS[sign]}{line}{_PLAIN}"


def _parts(found: Difference, width: int) -> Iterator[str]:
    yield table(
        [("A", *_side(found.before)), ("B", *_side(found.after))], whole=(1,), columns=width
    )
    if found.empty:
        yield "\nNothing differs.\n"
        return
    yield from _changes(found, width)
    yield from _verdicts(found, width)
    if found.standings:
        yield "\nCandidates with another status or rank\n"
        rows = [_standing(one) for one in found.standings]
        yield table(rows, indent="  ", whole=(1,), columns=width)


def _side(side: Side) -> tuple[str, str]:
    what = "decision.json" if side.kind == "decision" else "fiche"
    return side.name, f"{what}, dated {side.date}, by fiche {side.tool}"


# --- Changes --------------------------------------------------------------------------------------


def _changes(found: Difference, width: int) -> Iterator[str]:
    told = counts(found)
    parts = " + ".join(f"{told[what]} {what}" for what in _SIGNS)
    yield "\n" + paragraph(
        f"{told['changes']} {_plural('change', told['changes'])}: {parts}", columns=width
    )
    for kind in dict.fromkeys(one.kind for one in found.changes):
        yield f"\n{_title(kind)}\n"
        rows = [row for one in found.changes if one.kind == kind for row in _rows(one)]
        yield table(rows, indent="  ", columns=width)


def _title(kind: str) -> str:
    return _TITLES.get(kind, kind.replace("_", " ").capitalize())


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _rows(one: Change) -> Iterator[tuple[str, str, str]]:
    """A row a detail; of what came or went, its first words."""
    sign, name = _SIGNS[one.what], one.name or _title(one.kind).lower()
    if one.what == "renamed":
        yield sign, name, f"renamed, was {one.details[0].before}; its content is the same"
        return
    if one.what != "changed":
        yield sign, name, "" if _summary(one) == _value(name) else _summary(one)
        return
    for place, detail in enumerate(one.details[:_FEW]):
        yield (sign if not place else "", name if not place else "", _detail(one, detail))
    more = len(one.details) - _FEW
    if more > 0:
        yield "", "", f"and {more} more (--json has all)"


def _summary(one: Change) -> str:
    """What it is, in few words."""
    side = "after" if one.what == "added" else "before"
    shown = [(d.name, getattr(d, side)) for d in one.details if getattr(d, side)]
    words = [_value(value) if not name else f"{name} {_value(value)}" for name, value in shown]
    more = len(words) - _FEW
    return "; ".join(words[:_FEW]) + (f"; and {more} more" if more > 0 else "")


def _detail(one: Change, detail: Detail) -> str:
    name = f"{detail.name} " if detail.name else ""
    before, after = detail.before, detail.after
    rule = one.name.partition(".")[0] if one.kind == "policy" else one.name
    listed = _LISTS & {detail.name, rule}
    if before is not None and after is not None and listed:
        return name + _listed(before.split(", "), after.split(", "))
    old, new = (("none" if side is None else _value(side)) for side in (before, after))
    if old == new and before is not None and after is not None:  # alike once rounded or cut
        old, new = before, after
    return f"{name}{old} -> {new}"


def _listed(before: Sequence[str], after: Sequence[str]) -> str:
    """Of a list what is in one side alone."""
    gone = [f"-{each}" for each in before if each not in after]
    come = [f"+{each}" for each in after if each not in before]
    return " ".join([*come, *gone]) or "in another order"


def _value(text: str) -> str:
    """Legible, and not longer than a line: digests by their start, many bytes in GiB as well."""
    short = _BYTES.sub(_gibibytes, _DIGEST.sub(r"\1…", text))
    return short if len(short) <= _LONGEST else f"{short[: _LONGEST - 1]}…"


def _gibibytes(found: re.Match[str]) -> str:
    count = int(found[1])
    told = numbers.memory(count, how=numbers.TERMINAL)
    exact = "" if numbers.whole(count) else f" ({numbers.exact_bytes(count)})"
    return (told + exact).replace(" ", _NO_BREAK)


# --- Verdicts -------------------------------------------------------------------------------------


def _verdicts(found: Difference, width: int) -> Iterator[str]:
    told = counts(found)
    yield "\n" + paragraph(_sum(found, told), columns=width)
    if found.moves:
        yield table(list(_move_rows(found)), indent="  ", columns=width)
    if not found.rejudged:
        yield paragraph(_NOT_TRIED, columns=width)
    elif found.moves and found.grouped:
        yield paragraph(_BY_KIND, columns=width)


_NOT_TRIED = (
    "Nothing was judged again, for a decision.json has no files to try a change with: named is what a "
    "verdict's own pieces, words and numbers lead to."
)
_BY_KIND = "There are so many changes that those of one kind were tried together."


def _sum(found: Difference, told: dict[str, int]) -> str:
    """How many verdicts moved, by what; the parts add up."""
    words = {
        "alone": "by changes of one kind alone" if found.grouped else "by one change alone",
        "any": "by any of several",
        "together": "by several together",
        "named": "by what they name",
        "unattributed": "by what no trial found" if found.rejudged else "by what they do not name",
    }
    parts = " + ".join(
        f"{told[f'moved_{how}']} {text}" for how, text in words.items() if told[f"moved_{how}"]
    )
    moved = f"{told['moved']} of {told['verdicts']} {_plural('verdict', told['verdicts'])} moved"
    moved += f": {parts}" if parts else ""
    reworded = f", {told['reworded']} of them for another reason" if told["reworded"] else ""
    return f"{moved}; {told['stayed']} stayed{reworded}"


def _move_rows(found: Difference) -> Iterator[tuple[str, str, str, str, str]]:
    """A row a verdict; those of a candidate or a requirement that came or went in one row (--json has each)."""
    whole: dict[tuple[str, str], list[Move]] = {}
    for move in found.moves:
        of = _came_or_went(move, found)
        if of is None:
            yield _sign(move), move.candidate, _what(move), _turn(move), _by(move, found)
        else:
            whole.setdefault(of, []).append(move)
    for (kind, name), moves in whole.items():
        sides = [move.after if move.before is None else move.before for move in moves]
        told = " + ".join(
            f"{sides.count(code)} {_WORDS[code].lower()}" for code in _VERDICTS if code in sides
        )
        what = f"{len(moves)} {_plural('verdict', len(moves))} of the {kind}"
        yield _sign(moves[0]), name, what, told, f"with the {kind}"


_VERDICTS = ("admissible", "to_confirm", "exclude")


def _came_or_went(move: Move, found: Difference) -> tuple[str, str] | None:
    """The candidate, else the requirement, that only one side has."""
    if move.before is not None and move.after is not None:
        return None
    whole = {one.id for one in found.changes if one.what in ("added", "removed")}
    names = (("candidate", move.candidate), ("requirement", move.requirement))
    return next((of for of in names if f"{of[0]}:{of[1]}" in whole), None)


def _sign(move: Move) -> str:
    return "+" if move.before is None else "-" if move.after is None else "~"


def _what(move: Move) -> str:
    return ", ".join(part for part in (move.requirement, move.case, move.device) if part)


def _turn(move: Move) -> str:
    turn = f"{_WORDS.get(move.before, move.before)} -> {_WORDS.get(move.after, move.after)}"
    return turn.replace(" -> ", f"{_NO_BREAK}-> ")


def _by(move: Move, found: Difference) -> str:
    ids = {one.id: one for one in found.changes}
    names = [_called(ids[name]) for name in move.by if name in ids]
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    shown = names[:_FEW]
    match move.how:
        case "alone":
            return f"by {_and(shown)}{more}"
        case "any":
            return f"by {' or by '.join(shown)}{more}, each alone"
        case "together":
            return f"by {_and(shown)}{more}, together"
        case "named":
            return f"names {_and(shown)}{more}"
        case _:
            return "found by no trial" if found.rejudged else "names no change"


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)


def _called(one: Change) -> str:
    """The kind in one word, and the name; what is said of the fiche as a whole needs no kind."""
    if one.kind == "fiche":
        return f"the {one.name}"
    return f"{one.kind.replace('_', ' ')} {one.name}".strip()


def _standing(one: Standing) -> tuple[str, str, str]:
    sign = "+" if one.before is None else "-" if one.after is None else "~"
    before, after = (
        "not there" if status is None else _WORDS.get(status, status) + _rank(rank)
        for status, rank in ((one.before, one.rank_before), (one.after, one.rank))
    )
    return sign, one.candidate, f"{before} -> {after}"


def _rank(rank: int | None) -> str:
    return "" if rank is None else f", rank {rank}"
