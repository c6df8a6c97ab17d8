"""The pieces that verdicts rest on, in few words each: nature, what they speak of and what not (D3, E4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.address import Pointer
from fiche.kernel.figure import Figure, Node
from fiche.kernel.gaps import reaches
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Piece
from fiche.kernel.places import place_of
from fiche.kernel.scope_told import not_covered, printed_facts
from fiche.kernel.trace import inputs
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

_MOST, _SHORT, _FEW_PLACES, _FEW_FACTS, _DEEP = 12, 10, 1, 5, 2
_COUNTED = lazy(r"(line|page) (\d+)")
_OWN = ("gpu", "machine", "offer", "case")
_NATURES = ("quote", "datasheet", "document", "result")
_MEASURED = ("record", "fiche_record")


def section(desk: Desk) -> Section:
    """One row a piece; what no verdict rests on is counted."""
    title = desk.word("cited_title")
    pieces, left, unused = shown(desk)
    block: Block = Paragraph((Words(desk.word("pieces_none")),))
    if pieces:
        places = _places(desk)
        block = Table(
            id="cited",
            caption=desk.word("cited_caption"),
            columns=columns(desk, "piece", "nature", "speaks_of", "locator", "sha_short:narrow"),
            rows=tuple(_row(desk, piece, places.get(piece.id, ())) for piece in pieces),
            notes=tuple(_notes(desk, left, unused)),
        )
    return Section(id="cited", title=title, blocks=(block,))


def shown(desk: Desk) -> tuple[list[Piece], int, int]:
    """The pieces that stand here, how many more verdicts rest on, and how many none does."""
    used = {name for found in desk.decision.findings for name in found.pieces}
    pieces = [piece for piece in desk.decision.fiche.pieces if piece.id in used]
    unused = len(desk.decision.fiche.pieces) - len(pieces)
    if not pieces:  # nothing rests on any: what was handed in is told all the same
        pieces, unused = list(desk.decision.fiche.pieces), 0
    return pieces[:_MOST], max(len(pieces) - _MOST, 0), unused


def _notes(desk: Desk, left: int, unused: int) -> Iterator[Parts]:
    for count, key in ((left, "cited_more"), (unused, "cited_left")):
        if count:
            yield desk.say(key, n=count, noun=desk.counted("pieces_noun", count))


def _row(desk: Desk, piece: Piece, places: Iterable[str]) -> Row:
    version = piece.version or piece.reading.version
    told: Part = Quoted(version) if version else Missing(desk.word("no_version"))
    return row(
        cell((Code(piece.id),)),
        cell((Words(_nature(desk, piece)), Words(", "), told)),
        cell(joined(_scope(desk, piece), "; ")),
        cell(_read_at(desk, piece, tuple(places))),
        cell(Code(piece.sha256[:_SHORT])),
        anchor=f"piece-{piece.id}",
    )


def _nature(desk: Desk, piece: Piece) -> str:
    """Measured, observed failing, stated by somebody, computed: never one for the other (E2)."""
    reading = piece.reading
    if reading.simulation is not None:
        return desk.word("nature_simulated")
    if piece.kind in _MEASURED:
        return desk.word("nature_record")
    if piece.kind in _NATURES:
        return desk.word(f"nature_{piece.kind}")
    if reading.failures and not (reading.observations or reading.runs):
        return desk.word("nature_oom")
    if reading.observations or reading.runs or reading.capacities:
        return desk.word("nature_measured").format(kind=desk.term(piece.kind))
    return desk.term(piece.kind)


# --- What it speaks of ----------------------------------------------------------------------------


def _scope(desk: Desk, piece: Piece) -> Iterator[Parts]:
    facts = {**piece.typed, **printed_facts(piece)}
    own = [(Quoted(facts[path].value),) for path in _OWN if path in facts]
    if own:
        yield joined(own)
    yield from _cases(desk, piece)
    attested = dict.fromkeys(desk.term(item.fact) for item in piece.attested)
    if attested:
        yield desk.say("covers_attests", facts=_few(desk, list(attested)))
    apart = _apart(desk, piece)
    if apart:
        yield desk.say("covers_differs", facts=_few(desk, apart))
    if not (own or attested or piece.reading.runs):
        yield (Missing(desk.word("scope_untold")),)


def _few(desk: Desk, told: list[str]) -> Parts:
    more = [desk.say("covers_more", n=len(told) - _FEW_FACTS)] if len(told) > _FEW_FACTS else []
    return joined([*[(Words(one),) for one in told[:_FEW_FACTS]], *more])


def _cases(desk: Desk, piece: Piece) -> Iterator[Parts]:
    """The cases that a whole loop reached, and those that none did (A3, C8)."""
    whole = [run for run in piece.reading.runs if run.whole_loop and run.outcome == "success"]
    cases = desk.decision.fiche.workload.cases
    if not piece.reading.runs or not cases:
        return
    reached = [case.id for case in cases if any(reaches(run, case) for run in whole)]
    missed = [case.id for case in cases if case.id not in reached]
    if reached:
        yield desk.say("covers_cases", cases=joined([Code(name) for name in reached]))
    if missed:
        yield desk.say("covers_not", what=joined([Code(name) for name in missed]))


def _apart(desk: Desk, piece: Piece) -> list[str]:
    """What the piece says of the load otherwise than the fiche."""
    told = not_covered(piece, desk.decision.fiche.workload)
    return [desk.term(one.fact) for one in told if one.fact]


# --- Where it was read ----------------------------------------------------------------------------


def _read_at(desk: Desk, piece: Piece, places: tuple[str, ...]) -> Parts:
    """The file by the name that it is attached under, and where in it."""
    if not places:
        return (Code(piece.file),)
    told = [(Code(worded(desk, _short(place))),) for place in places[:_FEW_PLACES]]
    return (Code(piece.file), Words(" "), *joined(told))


def worded(desk: Desk, place: str) -> str:
    """`line 12` and `page 1` in the report's language; a path is the same in all."""
    counted = _COUNTED.fullmatch(place)
    return desk.word(f"read_{counted[1]}").format(n=counted[2]) if counted else place


def _short(place: str) -> str:
    """The end of a long path is what tells it from others; decision.json has all of it."""
    parts = place.split("/")
    return place if len(parts) <= _DEEP + 1 else "/".join(("…", *parts[-_DEEP:]))


def _places(desk: Desk) -> dict[str, tuple[str, ...]]:
    """By piece, where the compared numbers and the attested facts were read."""
    by_digest: dict[str, dict[str, None]] = {}
    seen: set[int] = set()
    for found in desk.decision.findings:
        for node in (found.need, found.have):
            for pointer in _pointers(node, seen):
                by_digest.setdefault(pointer.sha256, {})[place_of(pointer)] = None
    for piece in desk.decision.fiche.pieces:
        for item in piece.attested:
            if item.pointer is not None:
                by_digest.setdefault(piece.sha256, {})[place_of(item.pointer)] = None
    pieces = desk.decision.fiche.pieces
    return {piece.id: tuple(by_digest.get(piece.sha256, ())) for piece in pieces}


def _pointers(node: Node | None, seen: set[int]) -> Iterator[Pointer]:
    """Every place below a number; what was walked already is not walked again."""
    waiting = [] if node is None else [node]
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        pointer = getattr(here.origin, "pointer", None) or getattr(here.origin, "address", None)
        if isinstance(pointer, Pointer):
            yield pointer
        waiting += [part for part in inputs(here) if isinstance(part, Figure)]
