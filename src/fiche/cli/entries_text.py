"""Figures of pieces for a terminal: a table in which a person finds an id, and what belongs to one figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from fiche.cli.entries import FAILURE, PLAN, QUANTITY, READING, RESULT, TOTAL, Entry
from fiche.cli.evidence_text import KINDS, MEMORIES
from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Capacity, Failure, Observation, Piece, Printed, Result
from fiche.kernel.record import record
from fiche.kernel.series import told
from fiche.report.imported import place_of

# Rows of counters, and of anything else, that one piece takes in the list of a whole fiche.
_MOST_COUNTERS, _MOST_OTHERS = 60, 20
_LABEL = 40
_FOLLOWS = "not printed so, it follows from what stands there and in other places"
_MARKS = (
    "speaker",
    "stage",
    "step",
    "buffer",
    "process",
    "pid",
    "type",
    "bus_id",
    "uuid",
    "host",
    "at_tokens",
)


@record
class Listed:
    """One row: an entry, for how many it stands, and in which word (`largest of 400`)."""

    entry: Entry
    count: int = 1
    words: str = ""


def listed(found: Sequence[Entry], *, whole: bool = False) -> Iterator[Listed]:
    """The rows of a piece's entries: a series takes one, under the id of its extreme; `whole`: every entry."""
    by_id = {one.id: one for one in found}
    if whole:
        yield from map(_alone, found)
        return
    for sort in (READING, PLAN):
        yield from _series([one for one in found if one.sort == sort], by_id)
    for sorts in ((TOTAL,), (FAILURE, QUANTITY), (RESULT,)):
        yield from map(_alone, [one for one in found if one.sort in sorts][:_MOST_OTHERS])


def _alone(entry: Entry) -> Listed:
    return Listed(entry=entry)


def _series(found: Sequence[Entry], by_id: dict[str, Entry]) -> Iterator[Listed]:
    given = [(one.id, one.told) for one in found if isinstance(one.told, Observation)]
    for row in told(given, _MOST_COUNTERS):
        one = row.series
        if row.alone:
            yield Listed(entry=by_id[row.id])
            continue
        word = "smallest" if one.first.stat == "free" else "largest"
        words = f"the same {one.count} times" if one.constant else f"{word} of {one.count}"
        if one.members > 1:
            words += f", on {one.members} devices or ranks"
        yield Listed(entry=by_id[row.id], count=one.count, words=words)


def entries_table(piece: Piece, found: Sequence[Entry], *, whole: bool = False) -> str:
    """A heading for the piece, then one row an entry or a series."""
    rows = list(listed(found, whole=whole))
    head = paragraph(f"{piece.id}: {_kinds(piece)}, {piece.file}", indent="  ")
    text = head + "".join(_table(some) for some in _apart(rows))
    left = len(found) - sum(row.count for row in rows)
    more = f"{left} more are listed by: fiche explain FICHE {piece.id}"
    return text + (paragraph(more, indent="    ") if left > 0 else "")


def _apart(rows: Iterable[Listed]) -> Iterator[list[Listed]]:
    """Ids of failures are long and say what they are of: they would make the other names narrow."""
    for _, some in groupby(rows, key=lambda row: isinstance(row.entry.told, Failure)):
        yield list(some)


def _table(rows: Sequence[Listed]) -> str:
    if isinstance(rows[0].entry.told, Failure):
        return table([_part(row.entry) for row in rows], whole=(0,), indent="    ")
    return table([_row(row) for row in rows], right=(2,), whole=(0,), indent="    ")


def _part(entry: Entry) -> tuple[str, str, str]:
    told = entry.printed or _joined(entry.name, *_whose(entry))
    return entry.id, told, place_of(entry.pointer)


def _row(row: Listed) -> tuple[str, str, str, str]:
    entry = row.entry
    of, place = _joined(entry.name, *_brief(entry)), place_of(entry.pointer)
    printed = entry.printed
    if _bounded(entry) and entry.figure is not None:
        printed = f"{entry.figure.low} to {entry.figure.high}"
    return entry.id, of, printed, f"{place} ({row.words})" if row.words else place


def _brief(entry: Entry) -> Iterator[str]:
    seen = entry.told
    if entry.sort == PLAN:
        yield "computed" if entry.computed else "a plan"
    if isinstance(seen, Observation | Result) and not entry.name.endswith(seen.stat):
        yield seen.stat.replace("_", " ")
    if isinstance(seen, Observation) and entry.computed:
        yield seen.phase.replace("_", " ")
    if isinstance(seen, Observation | Result) and seen.label != entry.name:
        yield seen.label if len(seen.label) <= _LABEL else f"{seen.label[:_LABEL]}…"
    yield from _whose(entry)


def _whose(entry: Entry) -> Iterator[str]:
    seen = entry.told
    if isinstance(seen, Result):
        return
    if seen.device_index is not None:
        yield f"device {seen.device_index}"
    if isinstance(seen, Observation | Failure) and seen.rank is not None:
        yield f"rank {seen.rank}"


# --- One of them --------------------------------------------------------------------------------


def about(entry: Entry, *, shown: bool = True, brief: bool = False) -> Iterator[str]:
    """What a reader must know beside the figure: as printed, whose, since when, and what it is not.

    `shown` is False where the place does not hold the figure; `brief` leaves out what was told of the
    failure already.
    """
    if _bounded(entry):
        yield f"not printed, known by its bounds: {entry.printed}"
    elif entry.printed:
        yield f"printed: {entry.printed}" if shown else f"{entry.printed}: {_FOLLOWS}"
    if brief:
        return
    match entry.told:
        case Observation():
            yield from _of_reading(entry, entry.told)
        case Failure():
            yield from _of_failure(entry, entry.told)
        case Capacity():
            yield _joined("total", entry.told.device_name, *_whose(entry))
        case Result():
            marks = (f"{key} {value}" for key, value in entry.told.marks.items())
            yield _joined(entry.told.stat, entry.told.label, *marks)
    if entry.run is not None and entry.sort == READING:
        yield f"of the run {entry.run.id}"
    if entry.sort == PLAN and not entry.computed:
        yield f"printed by {_program(entry.piece)}, read as {_kinds(entry.piece)}"


def _of_reading(entry: Entry, seen: Observation) -> Iterator[str]:
    if entry.sort == PLAN and not entry.computed:
        sort = "a budget that follows from settings" if seen.kind_of_origin == "budget" else ""
        yield f"a plan ({sort or 'an estimate'}): it was not measured, and nothing is compared with it"
    elif seen.kind_of_origin == "runtime_reported":
        yield "reported by the program of its own buffers"
    yield _joined(
        f"scope {seen.scope.replace('_', ' ')}",
        f"stat {seen.stat.replace('_', ' ')}",
        *_whose(entry),
        f"window {seen.window.replace('_', ' ')}" if seen.window else "",
        f"phase {seen.phase}" if seen.phase else "",
        *(f"{key} {seen.marks[key]}" for key in _MARKS if key in seen.marks),
    )
    if seen.label and seen.label != seen.counter:
        yield f"label: {seen.label}"


def _of_failure(entry: Entry, failure: Failure) -> Iterator[str]:
    words = (
        MEMORIES.get(failure.memory or "", ""),
        failure.backend or "",
        *_whose(entry),
        failure.speaker,
        failure.library or "",
        failure.component or "",
    )
    yield f"{KINDS.get(failure.message_kind, failure.message_kind)} ({_joined(*words)})"
    if entry.sort == FAILURE:
        if failure.recovered:
            yield "the program went on afterwards"
        yield "a failure is no need: neither the size asked for, nor used plus asked"


def _bounded(entry: Entry) -> bool:
    """True for a figure that follows from others: no program printed it."""
    value = getattr(entry.told, "value", None)
    return isinstance(value, Printed) and value.rounding == "bounds"


def _kinds(piece: Piece) -> str:
    """The kinds of which the file holds lines."""
    also = piece.reading.further.get("joined_kinds", ())
    return "+".join([piece.kind, *(also if isinstance(also, tuple) else ())])


def _program(piece: Piece) -> str:
    facts = piece.reading.facts
    told = [facts[path].value for path in ("engine.name", "engine.version") if path in facts]
    return " ".join(told) if told else "the program that wrote the file"


def _joined(*words: str) -> str:
    return ", ".join(word for word in words if word)


def marks(entry: Entry) -> dict[str, object]:
    """The same for machines, under the keys of decision.json; a plan is marked as one."""
    keys = ("device_index", "rank", "label", "phase", "window", "kind_of_origin", "message_kind")
    told = {key: getattr(entry.told, key, None) for key in keys}
    kept = {key: value for key, value in told.items() if value not in (None, "")}
    if entry.sort != PLAN:
        return kept
    return {**kept, "basis": "computed" if entry.computed else "planned"}


def counters_of(found: Iterable[Entry]) -> frozenset[str]:
    """The names of a piece's counters."""
    return frozenset(one.name for one in found if isinstance(one.told, Observation))
