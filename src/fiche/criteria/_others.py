"""What other users of a device hold: read, guaranteed absent, or contradicted (DESIGN 4, C5)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims
from fiche.criteria._totals import Print, smallest
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell


@record
class Others:
    """What other users of the device hold: `held` None with `told` True is a guarantee of none."""

    held: Figure | None = None
    told: bool = False
    by: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def others_of(candidate: Candidate, prints: list[Print], ground: Inquiry) -> Others:
    """What others hold: the least that readings and guarantees leave open.

    A guarantee of none is less than what a reading cannot rule out; one that a reading belies is a
    conflict.
    """
    read = [p.others for p in prints if p.others is not None]
    held = smallest(read)
    guarantees = tuple(_guarantees(candidate, ground))
    conflicts = (*_belied(read, guarantees), *_denied(candidate, guarantees, ground))
    if held is not None and (held.high == 0 or not guarantees):
        seen = tuple(p.piece for p in prints if p.others is held)
        return Others(held=held, told=True, pieces=seen, conflicts=conflicts)
    if not guarantees:
        return Others()
    piece, by = guarantees[0]
    return Others(told=True, by=by, pieces=(piece,) if piece else (), conflicts=conflicts)


def _guarantees(candidate: Candidate, ground: Inquiry) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(piece, people) of each word that nothing else uses the card: documents before the author."""
    for piece, item in _claims.attested("other_users", candidate, ground):
        if item.words["value"].value == "none" and _claims.vouched(item, ground):
            yield piece.id, _claims.people(item)
    told = candidate.other_users
    if told is not None and told.value == "none" and ground.policy.typed_scope == "counts":
        yield from [("", (told.by,))] if told.by else []


def _denied(candidate: Candidate, guarantees: tuple[object, ...], ground: Inquiry) -> Iterator[str]:
    for piece, item in _claims.attested("other_users", candidate, ground):
        if guarantees and item.words["value"].value != "none" and _claims.vouched(item, ground):
            yield tell(
                "other users are guaranteed absent, and {piece} says that there are some",
                piece=piece.id,
            )


def _belied(read: list[Figure], guarantees: tuple[object, ...]) -> tuple[str, ...]:
    least = max((figure.low for figure in read), default=0)
    if guarantees and least > 0:
        return (
            tell("other users are guaranteed absent, and {least} B of them were read", least=least),
        )
    most = smallest(read)
    if most is not None and most.high is not None and least > most.high:
        return (
            tell(
                "other users held at least {least} B in one reading, {most_high} B in another",
                least=least,
                most_high=most.high,
            ),
        )
    return ()
