"""Pieces that tell of one run: grouped, with what they contradict each other in (A5, D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.fact import TENSORS, Fact
from fiche.kernel.piece import Piece
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import Block, Code, Missing, Parts, Quoted, Row, Table, Words

_Told = dict[str, dict[str, list[str]]]
# What a reader knows a run by.
_TELLING = ("model.name", "operation", "engine.name", "engine.version", "gpu", "device", "machine")


def told_together(desk: Desk) -> Iterator[Block]:
    """One row a run that several pieces name; nothing where each piece stands alone."""
    groups: dict[str, list[Piece]] = {}
    for piece in desk.decision.fiche.pieces:
        if piece.run:
            groups.setdefault(piece.run, []).append(piece)
    rows = [_row(desk, run, pieces) for run, pieces in groups.items() if len(pieces) > 1]
    if rows:
        yield Table(
            id="together",
            caption=desk.word("together_caption"),
            columns=columns(desk, "run_named", "pieces", "states_alike", "states_differently"),
            rows=tuple(rows),
        )


def _row(desk: Desk, run: str, pieces: list[Piece]) -> Row:
    told = _told(pieces)
    shared = {path: words for path, words in told.items() if len(_tellers(words)) > 1}
    alike = {path: next(iter(words)) for path, words in shared.items() if len(words) == 1}
    apart = [_apart(desk, path, words) for path, words in shared.items() if len(words) > 1]
    none = Missing(desk.word("nothing"))
    return row(
        cell(Quoted(run)),
        cell(desk.references(piece.id for piece in pieces)),
        cell(joined(_alike(desk, alike), "; ") if alike else none),
        cell(*apart) if apart else cell(none),
    )


def _told(pieces: list[Piece]) -> _Told:
    """What each path is said to be, by which pieces: printed by the files or typed for them."""
    told: _Told = {}
    for piece in pieces:
        for path, fact in _facts(piece).items():
            told.setdefault(path, {}).setdefault(fact.value.strip(), []).append(piece.id)
    return told


def _facts(piece: Piece) -> dict[str, Fact]:
    found = dict(piece.typed)
    for run in piece.reading.runs:
        own = {path: fact for path, fact in run.facts.items() if not path.startswith(TENSORS)}
        found.update(own)
    return {**found, **piece.reading.facts}


def _tellers(words: dict[str, list[str]]) -> set[str]:
    return {piece for pieces in words.values() for piece in pieces}


def _alike(desk: Desk, alike: dict[str, str]) -> Iterator[Parts]:
    """What tells this run from others; the rest is counted, and is in decision.json."""
    shown = [path for path in _TELLING if path in alike]
    for path in shown:
        yield Words(f"{path} "), Quoted(alike[path])
    more = len(alike) - len(shown)
    if more:
        key = "facts_more" if shown else "facts_only"
        yield desk.say(key, n=more, facts=desk.counted("facts_noun", more))


def _apart(desk: Desk, path: str, words: dict[str, list[str]]) -> Parts:
    """`driver 550.54 (server-log), 560.35 (smi)`: which of them is wrong nobody can tell from here."""
    said = [
        (Quoted(value), Words(" ("), *desk.references(pieces), Words(")"))
        for value, pieces in words.items()
    ]
    return (Code(path), Words(" "), *joined(said))
