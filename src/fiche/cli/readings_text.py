"""Counters of a file of evidence on a terminal: what each is, of whom, as printed, what it means, where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.cli.terminal import paragraph, table
from fiche.kernel.address import Pointer
from fiche.kernel.piece import NotObserved, Observation, Reading
from fiche.kernel.readings import observed
from fiche.kernel.series import Told, told
from fiche.report.imported import decimal, place_of
from fiche.report.numbers import TERMINAL, fine

_MEASURED = "Measured, or reported by the program of its own buffers:"
_PLANNED = "Planned, not measured (budgets and estimates: nothing is compared with them):"
_SHOWN_MARKS = ("start", "stage", "step", "buffer", "process", "pid", "at_tokens")
_SAMPLED = {"samples": "samples taken", "sample_period_s": "seconds between them"}
_MOST_LINES = 6
# A terminal's page: beyond, one row stands for a series, then for all ranks that have it.
_MOST_ROWS = 40
_SCOPES = {
    "process_allocator": "allocator",
    "process": "process",
    "device": "whole device",
    "component": "one buffer",
    "host_process": "process, host",
    "host": "whole host",
}


def readings(seen: Sequence[Observation], *, planned: bool = False) -> Iterator[str]:
    """One row a reading of a short series, one row for all of a long one."""
    if not seen:
        return
    yield "\n"
    yield paragraph(_PLANNED if planned else _MEASURED, indent="  ")
    numbered = ((str(place), each) for place, each in enumerate(seen))
    rows = [_row(row) for row in told(numbered, _MOST_ROWS)]
    header = ("counter", "of", "as printed", "means", "place")
    yield table(rows, header=header, right=(2, 3), indent="    ")


def _row(row: Told) -> tuple[str, ...]:
    seen = row.seen
    said = [seen.phase or seen.label]
    said += [f"{key} {seen.marks[key]}" for key in _SHOWN_MARKS if key in seen.marks]
    words = ", ".join(word for word in said if word and word != seen.counter)
    stat = seen.stat.replace("_", " ")
    counter = seen.counter if seen.counter.endswith(seen.stat) else f"{seen.counter}, {stat}"
    place = place_of(seen.pointer)
    return (
        f"{counter}: {words}" if words else counter,
        _whose(seen),
        _printed(seen),
        _meaning(seen),
        f"{place} ({how})" if (how := how_many(row)) else place,
    )


def how_many(row: Told) -> str:
    """For how many readings a row stands, and how often its own line is printed again."""
    if row.repeats:
        return f"printed on {row.repeats + 1} lines"
    if row.alone:
        return ""
    one = row.series
    of = f"{one.count} readings" + (
        f" of {one.members} ranks or devices" if one.members > 1 else ""
    )
    if one.constant and not one.left_out:
        return f"the same in {of}"
    return f"{'smallest' if one.first.stat == 'free' else 'largest'} of {of}"


def _whose(seen: Observation) -> str:
    """The scope, and whose it is: device, slice, rank."""
    told = [_SCOPES.get(seen.scope, seen.scope)]
    told += [f"device {seen.device_index}"] if seen.device_index is not None else []
    mig = seen.marks.get("mig")
    if isinstance(mig, dict):
        told.append("MIG " + " ".join(f"{key} {value}" for key, value in mig.items()))
    told += [f"rank {seen.rank}"] if seen.rank is not None else []
    told += [str(seen.marks["speaker"])] if "speaker" in seen.marks else []
    return ", ".join(told)


def _printed(seen: Observation) -> str:
    if seen.value is not None:
        return seen.value.text
    return "" if seen.number is None else f"{decimal(seen.number)} {seen.unit}".strip()


def _with_unit(text: str) -> str:
    """As printed; the plain number of a key that counts bytes says so."""
    return f"{text} B" if text.isdecimal() else text


def _meaning(seen: Observation) -> str:
    """The figure in one family of units, whatever label the program gave it; --json has the bytes."""
    if seen.value is None:
        return "" if seen.number is not None else "not available"
    told = observed(seen, "")
    return "not available" if told is None else fine(told, TERMINAL)


def stated(reading: Reading) -> Iterator[str]:
    """What the file itself says of its scope, with the place of each fact."""
    shown = {each.pointer for each in reading.observations if each.stat in ("total", "capacity")}
    rows = [(path, fact.value, _place(fact.address)) for path, fact in reading.facts.items()]
    rows += [
        (
            f"total of {'a device' if one.device_index is None else f'device {one.device_index}'}",
            f"{_with_unit(one.value.text)}, {one.counter}, {one.device_name}".rstrip(", "),
            place_of(one.pointer),
        )
        for one in reading.capacities
        if one.counter != "oom_total_capacity" and one.pointer not in shown
    ]
    rows += [(name, str(count), "") for name, count in reading.counters.items()]
    rows += [
        (words, f"{reading.further[key]}", "")
        for key, words in _SAMPLED.items()
        if isinstance(reading.further.get(key), int | float | str)
    ]
    if rows:
        yield "\n"
        yield table(rows, header=("the file states", "", "place"), indent="  ")


def _place(address: object) -> str:
    return place_of(address) if isinstance(address, Pointer) else ""


def set_aside(texts: Sequence[NotObserved]) -> Iterator[str]:
    """What looks like evidence and is none: each text once, with its places."""
    told: dict[tuple[str, str], list[str]] = {}
    for text in texts:
        told.setdefault((text.reason, text.text[:200]), []).append(place_of(text.pointer))
    if told:
        yield "\n"
    for (reason, words), places in told.items():
        more = f" and {len(places) - _MOST_LINES} more" if len(places) > _MOST_LINES else ""
        where = ", ".join(places[:_MOST_LINES]) + more
        yield paragraph(f"not evidence ({reason}), {where}: {words}", indent="  ")
