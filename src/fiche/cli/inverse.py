"""`fiche estimate --solve`: how far one dimension can go on one device, and what ends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.cli.load_rows import gaps, short, without_empty
from fiche.cli.terminal import paragraph, table
from fiche.cli.usage import together, unknown
from fiche.cli.variables import SOLVABLE, Variable, variable
from fiche.evaluate.inverse import Inverse, Largest, inverse
from fiche.evaluate.varied import Varied, varied
from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Estimator
from fiche.kernel.number import Misread
from fiche.kernel.quantity import parse_bytes
from fiche.kernel.record import record
from fiche.kernel.workload import Case, Workload
from fiche.registry import members
from fiche.report.numbers import TERMINAL, exact_bytes, memory

_NOT_EXCLUDED = "not excluded: what must be in memory together is at most what it can have."
_FITS = "envelope fits: the sum of all maxima is at most what it surely has."


@record
class Room:
    """What one device has, in bytes: `most` at most, by label; `least` surely, by a machine's print."""

    name: str
    most: int
    least: int | None
    words: str


@record(eq=False)
class Solved:
    """One case: the variable, its answer, and the load that was asked."""

    case: Case | None
    asked: Varied
    answer: Inverse


@record(eq=False)
class Solution:
    """An inverse question answered for every case."""

    variable: Variable
    room: Room
    positions: int | None
    cases: tuple[Solved, ...]


def solution(workload: Workload, name: str, on: str | None) -> Solution:
    """Answer one inverse question.

    Raises:
        Refused: F701 a word or a card that is not known, F702 no card is named, or nothing of the load
            depends on the variable.
    """
    if name not in SOLVABLE:
        raise Refused([unknown("variable to solve for", name, SOLVABLE)])
    if on is None:
        raise Refused([together("--solve asks for a device", "add --on GPU or --on '24 GiB'")])
    asked = variable(name)
    load = asked.put(workload, "1" if name != "context" else str(_most_new(workload) + 1))
    room = room_of(on)
    solved = tuple(_solved(load, case, asked, room) for case in load.cases or (None,))
    if not any(each.asked.moves for each in solved):
        message = f"nothing of this load depends on {name}, as far as it is told"
        raise Refused([together(message, "state the operation and what the model's layers keep")])
    positions = load.model.positions if load.model is not None and name == "context" else None
    return Solution(
        variable=asked,
        room=room,
        positions=int(positions.low) if positions is not None and positions.low else None,
        cases=solved,
    )


def _most_new(workload: Workload) -> int:
    return max((variable("context").beside(case) for case in workload.cases), default=0)


def _solved(load: Workload, case: Case | None, asked: Variable, room: Room) -> Solved:
    estimators = members("fiche.estimators", Estimator)
    ready = varied(load, case, estimators, asked.leaf(case), asked.beside(case))
    return Solved(case=case, asked=ready, answer=inverse(ready, room.most, room.least))


def room_of(on: str) -> Room:
    """The room of a card of the catalog, or of stated bytes.

    Raises:
        Refused: F701 there is no such card.
    """
    stated = parse_bytes(on)
    if not isinstance(stated, Misread):
        held = int(stated.value)
        return Room(name=on, most=held, least=held, words="as typed")
    from fiche.load.catalog import builtin_catalog

    cards = builtin_catalog().cards
    card = cards.get(on)
    if card is None or "nominal_binary" not in card.figures:
        raise Refused([unknown("card", on, cards)])
    return _of_card(card)


def _of_card(card: Card) -> Room:
    most = int(card.figures["nominal_binary"].low)
    shown = min(card.sightings, key=lambda seen: seen.low, default=None)
    if shown is None:
        return Room(name=card.id, most=most, least=None, words="no machine with it was seen")
    words = f"the least that a machine with it printed: {shown.printed} ({shown.counter})"
    return Room(name=card.id, most=most, least=shown.low, words=words)


def solution_text(found: Solution) -> str:
    """The answers as a table, what ends each, and last what the envelope leaves out."""
    text = f"Largest {found.variable.name} on {found.room.name}, by arithmetic alone: no verdict.\n"
    text += _room(found.room) + "\n"
    rows = [row for each in found.cases for row in _rows(each)]
    header = ("case", "bound", found.variable.counts or "value", "what takes most there")
    cells, heads, kept = without_empty(rows, header)
    text += table(cells, header=heads, right=[p for p, column in enumerate(kept) if column == 2])
    text += _positions(found)
    text += "\n" + paragraph(_NOT_EXCLUDED) + paragraph(_FITS)
    return text + gaps(words for each in found.cases for words in each.asked.left_out)


def _room(room: Room) -> str:
    if room.least == room.most:
        return paragraph(f"It has {_amount(room.most)}, {room.words}.", indent="  ")
    text = paragraph(f"At most {_amount(room.most)}, by its label.", indent="  ")
    if room.least is None:
        return text + paragraph(f"At least: unknown, {room.words}.", indent="  ")
    return text + paragraph(f"At least {_amount(room.least)}: {room.words}.", indent="  ")


def _positions(found: Solution) -> str:
    if found.positions is None:
        return ""
    return paragraph(f"The model's own positions end at {_count(found.positions)} tokens.")


def _amount(held: int) -> str:
    return f"{exact_bytes(held)} ({memory(held, 'GiB', TERMINAL)})"


def _count(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _rows(each: Solved) -> Iterator[tuple[str, ...]]:
    name = each.case.id if each.case is not None else ""
    excluded, fits = each.answer.not_excluded, each.answer.fits
    yield (name, "not excluded up to", *_told(excluded, (), 0))
    yield (name, "envelope fits up to", *_told(fits, each.asked.unknown, 1))


def _told(answer: Largest | None, unknown: tuple[str, ...], side: int) -> tuple[str, str]:
    if answer is None and unknown:
        return "unknown", f"{', '.join(unknown)}: unknown, and may grow with it"
    if answer is None:
        return "unknown", "the least that the device has is unknown"
    if answer.value is None:
        return "no end", "nothing that is known grows with it"
    if answer.value == 0:
        return "none", _too_much(answer, side)
    return _count(answer.value), short(answer.limited_by)


def _too_much(answer: Largest, side: int) -> str:
    """The sum at the smallest value, which is more than there is already."""
    point = answer.point
    whole = point.envelope[1] if side else point.floor[0]
    told = "" if whole is None else f"{memory(whole, 'GiB', TERMINAL)} with 1 already, most of it "
    return f"{told}{short(answer.limited_by)}"


def solution_json(found: Solution) -> dict[str, Any]:
    """The same for programs; bytes are whole numbers."""
    return {
        "format": "fiche-solution/1",
        "variable": found.variable.name,
        "unit": found.variable.counts,
        "device": {
            "name": found.room.name,
            "most_bytes": found.room.most,
            "least_bytes": found.room.least,
            "least_from": found.room.words,
        },
        "positions": found.positions,
        "cases": [
            {
                "case": each.case.id if each.case is not None else "",
                "not_excluded_up_to": _json(each.answer.not_excluded),
                "envelope_fits_up_to": _json(each.answer.fits),
                "left_out": list(each.asked.left_out),
                "unknown": list(each.asked.unknown),
            }
            for each in found.cases
        ],
    }


def _json(answer: Largest | None) -> dict[str, Any]:
    if answer is None:
        return {"known": False, "value": None, "unlimited": False, "limited_by": ""}
    return {
        "known": True,
        "value": answer.value,
        "unlimited": answer.value is None,
        "limited_by": answer.limited_by,
    }
