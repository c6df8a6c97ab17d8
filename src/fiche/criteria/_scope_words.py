"""What of a piece's scope stays open or contradicts itself, in words."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.fact import Fact, written
from fiche.kernel.piece import Piece, Run
from fiche.kernel.said import tell


def same(left: str, right: str) -> bool:
    """Two words alike, whatever their case."""
    return left.casefold() == right.casefold()


def untold(path: str, asked: str | None, said: Fact | None) -> str:
    """Why a fact is not known to agree: who of both does not say it."""
    if asked is None and said is None:
        return tell("{path}: told neither by the fiche nor by the piece", path=path)
    if asked is None and said is not None:
        return tell(
            "{path}: the fiche does not say; the piece ran with {said}", path=path, said=said.value
        )
    return tell(
        "{path}: the piece does not say; the question is {asked}", path=path, asked=str(asked)
    )


def contradictions(piece: Piece, run: Run | None) -> Mapping[str, str]:
    """Typed facts that the file itself contradicts, by path: a conflict, never an average."""
    printed = {**piece.reading.facts, **(run.facts if run else {})}
    found = {
        path: tell(
            "{written}: the file prints {printed}, the scope typed {fact}",
            written=written(path),
            printed=printed[path].value,
            fact=fact.value,
        )
        for path, fact in piece.typed.items()
        if path in printed and not same(printed[path].value, fact.value)
    }
    executed = run.executed if run else {}
    for name, typed in piece.typed_dimensions.items():
        if name in executed and executed[name].low != typed.low:
            found[f"executed.{name}"] = tell(
                "{name}: the file prints {executed} executed, the scope typed {typed}",
                name=name,
                executed=executed[name].low,
                typed=typed.low,
            )
    return found
