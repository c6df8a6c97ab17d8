"""The rows of a piece: what its importer found, one a reading, under the words of the source.

Nothing is added up, converted or filled in: a figure that is known between two bounds only has a row of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from operator import attrgetter

from fiche.archive.document import MOST_ROWS
from fiche.archive.entry import Row
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Capacity, Failure, Observation, Printed, Reading, Result, Run
from fiche.kernel.record import field_names, replace

# The field of a row, and the fact that fills it.
_FACTS = {
    "model": "model.name",
    "revision": "model.revision",
    "machine": "machine",
    "engine": "engine.name",
    "engine_version": "engine.version",
    "operation": "operation",
    "case": "case",
}
_OUTCOMES = {"success": "passed", "failure": "failed"}
_WHOLE = "whole_loop"
_PER_SECOND = 1_000_000_000
# A series may have millions of readings: what is kept of one is its largest, of what is free its smallest.
_LEAST = frozenset(("free", "device_free"))


def rows_of(reading: Reading, content: bytes = b"") -> tuple[Row, ...]:
    """Every row of a reading; `content` are the bytes of the file, which name the case of a record's phase."""
    cases = _Cases(content if reading.kind == "fiche_record" else b"")
    found = [
        *(row for run in reading.runs for row in _of_run(run, reading, cases)),
        *(_seen(one, reading.facts, "observed") for one in reading.observations),
        *(
            row
            for one in reading.failures
            if not _is_in_run(one, reading)
            for row in _failed(one, reading)
        ),
        *(row for one in reading.capacities for row in _capacity(one, reading)),
        *(row for one in reading.results for row in _result(one, reading)),
        *(_seen(one, reading.facts, "computed") for one in reading.planned),
    ]
    return tuple(_largest(found))[:MOST_ROWS]


def _is_in_run(failure: Failure, reading: Reading) -> bool:
    return any(run.failure is failure for run in reading.runs)


def _about(facts: Mapping[str, Fact], device: int | None) -> dict[str, str]:
    """What ran, and on what, as far as the facts say."""
    told = {name: facts[path].value for name, path in _FACTS.items() if path in facts}
    names = ("gpu", f"devices.{device}.name" if device is not None else "device", "device")
    card = next((facts[name].value for name in names if name in facts), "")
    return {**told, "card": card}


def _place(pointer: Pointer | None) -> str:
    if pointer is None:
        return ""
    return pointer.path if pointer.path is not None else f"line {pointer.line}"


def _device(facts: Mapping[str, Fact], index: int | None) -> str:
    if index is None:
        return ""
    backend = facts["backend"].value if "backend" in facts else ""
    return f"{'cuda' if backend in ('cuda', 'hip', 'rocm') else backend or 'device'}:{index}"


class _Cases:
    """The case that a record's phase names: the one word of it that no reading keeps."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._parsed: object = None

    def of(self, pointer: Pointer | None) -> str:
        """The case of the phase at a place; empty where it names none."""
        try:
            phase = self._phase(pointer) if pointer is not None and self._content else None
        except (ValueError, KeyError, IndexError, TypeError):
            return ""
        case = phase.get("case") if isinstance(phase, dict) else None
        return case if isinstance(case, str) else ""

    def _phase(self, pointer: Pointer) -> object:
        if pointer.path is None:
            return json.loads(
                self._content.split(b"\n", pointer.line or 0)[(pointer.line or 1) - 1]
            )
        if self._parsed is None:
            self._parsed = json.loads(self._content)
        here = self._parsed
        for part in pointer.path.split("/")[1:]:
            here = here[int(part)] if isinstance(here, list) else here[part]  # type: ignore[index]
        return here


def _of_run(run: Run, reading: Reading, cases: _Cases) -> Iterator[Row]:
    """One row of how it ended and how long it took, and one a reading."""
    facts = {**reading.facts, **run.facts}
    case = cases.of(run.pointer)
    ended = {
        "outcome": _ended(run),
        "phase": _WHOLE if run.whole_loop else ", ".join(run.phases),
        "which_pass": "first" if run.first_pass else "later" if run.phases else "",
        **({"case": case} if case else {}),
    }
    took = run.duration_ns
    lasted = (
        {"amount": _seconds(took), "unit": "s", "origin": "observed"} if took is not None else {}
    )
    row = {**_about(facts, None), **ended, "place": _place(run.pointer)}
    if lasted or run.phases:  # a message of failure is a run of which nothing else is known
        yield Row(**row, quantity="duration" if lasted else "", **lasted)
    abouts: dict[int | None, dict[str, str]] = {}
    for seen in run.observations:
        about = abouts.get(seen.device_index)
        if about is None:
            about = abouts[seen.device_index] = _on(facts, seen.device_index)
        yield _of_observation(seen, {**about, "phase": seen.phase, **ended}, "observed")
    if run.failure is not None:
        yield from (replace(each, **ended) for each in _failed(run.failure, reading))


def _ended(run: Run) -> str:
    """How it ended; an output that was checked and did not pass is no run that passed (C14)."""
    is_wrong = run.output_check.partition(":")[0].endswith("not passed")
    return "failed" if is_wrong else _OUTCOMES.get(run.outcome, "unknown")


def _seconds(nanoseconds: int) -> str:
    return _decimal(Fraction(nanoseconds, _PER_SECOND))


def _on(facts: Mapping[str, Fact], device: int | None) -> dict[str, str]:
    """What ran on a device, and which one that is."""
    return {**_about(facts, device), "device": _device(facts, device)}


def _seen(seen: Observation, facts: Mapping[str, Fact], origin: str) -> Row:
    return _of_observation(seen, {**_on(facts, seen.device_index), "phase": seen.phase}, origin)


def _of_observation(seen: Observation, told: dict[str, str], origin: str) -> Row:
    amount, unit = _reading(seen)
    if amount:
        told |= {"amount": amount, "unit": unit, "origin": origin}
    return Row(
        **told,
        quantity=f"{seen.counter}.{seen.stat}" if seen.stat else seen.counter,
        place=_place(seen.pointer),
    )


def _reading(seen: Observation) -> tuple[str, str]:
    if seen.value is not None:
        return _bytes(seen.value), "B"
    return ("", "") if seen.number is None else (_decimal(Fraction(seen.number)), seen.unit)


def _bytes(value: Printed) -> str:
    return "" if value.unavailable or value.value is None else str(value.value)


def _failed(failure: Failure, reading: Reading) -> Iterator[Row]:
    """A failure by its kind, and a row of each quantity that its message names."""
    base = Row(
        **_about(reading.facts, failure.device_index),
        device=_device(reading.facts, failure.device_index),
        phase=failure.phase,
        outcome="failed",
        place=_place(failure.pointer),
    )
    yield replace(base, quantity=failure.message_kind)
    for name, value in failure.quantities.items():
        amount = _bytes(value)
        if amount:
            yield replace(
                base, quantity=f"failure.{name}", amount=amount, unit="B", origin="observed"
            )


def _capacity(one: Capacity, reading: Reading) -> Iterator[Row]:
    about = _about(reading.facts, one.device_index)
    row = Row(
        **{**about, "card": about["card"] or one.device_name},
        device=_device(reading.facts, one.device_index),
        unit="B",
        origin="declared" if one.counter == "provider_declared" else "observed",
    )
    if amount := _bytes(one.value):
        yield replace(
            row, quantity=f"{one.counter}.capacity", amount=amount, place=_place(one.pointer)
        )


def _result(one: Result, reading: Reading) -> Iterator[Row]:
    """A score or a rate; where its printing leaves room, both ends of it."""
    name = f"{one.metric}.{one.stat}" if one.stat else one.metric
    row = Row(
        **{**_about(reading.facts, None), "case": one.label},
        unit=one.unit,
        origin="observed",
        place=_place(one.pointer),
    )
    text = one.low if one.low == one.high else _printed(one.text)
    if text is not None and one.low <= text <= one.high:
        yield replace(row, quantity=name, amount=_decimal(text))
        return
    yield replace(row, quantity=f"{name}.at_least", amount=_decimal(one.low))
    yield replace(row, quantity=f"{name}.at_most", amount=_decimal(one.high))


def _printed(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _decimal(value: Fraction) -> str:
    """The exact decimal; empty where it has no end: nothing is rounded."""
    if value.denominator == 1:
        return str(value.numerator)
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return ""
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


_WORDS = attrgetter(*(name for name in field_names(Row()) if name not in ("amount", "place")))


def _largest(rows: Iterable[Row]) -> Iterator[Row]:
    """One row of each series, under the reading that says most; nothing else is left out."""
    kept: dict[object, Row] = {}
    for row in rows:
        key = _WORDS(row) if row.amount else row
        other = kept.get(key)
        if other is None or _says_more(row, other):
            kept[key] = row
    yield from kept.values()


def _says_more(row: Row, other: Row) -> bool:
    if not row.amount or not other.amount:
        return False
    new, old = Fraction(row.amount), Fraction(other.amount)
    is_free = not _LEAST.isdisjoint(row.quantity.split("."))
    return new < old if is_free else new > old
