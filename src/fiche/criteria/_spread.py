"""What a machine shows at least, from another machine's print, where the policy states a spread.

A policy may say how far two machines of one card differ (DESIGN 4). Then a card that nobody has yet
shown is at least the roomiest print of its kind among the pieces, less that spread; the verdict takes
the policy's word for it, and says so. Prints further apart than the spread contradict the policy.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece
from fiche.kernel.readings import capacities, quantity
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell


@record
class Elsewhere:
    """`least` is what any machine of this card shows; `word` names the policy that says so."""

    least: Figure | None = None
    word: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def elsewhere(candidate: Candidate, counters: frozenset[str], ground: Inquiry) -> Elsewhere:
    """The least that the policy's spread allows, from prints of other machines with this card."""
    spread = ground.policy.machine_spread
    prints = sorted(_prints(candidate, counters, ground), key=lambda told: (told[1].low, told[0]))
    if spread is None or not prints:
        return Elsewhere()
    piece, roomiest = prints[-1]
    least = roomiest - spread
    apart = [name for name, told in prints if told.high is not None and told.high < least.low]
    return Elsewhere(
        least=least,
        word=(
            tell(
                "policy '{policy}' (machines of one card differ by {spread} B at most)",
                policy=ground.policy.name,
                spread=spread.low,
            ),
        ),
        pieces=(piece,),
        conflicts=tuple(
            tell(
                "{piece} and {name} are further apart than the {spread} B that the policy allows",
                piece=piece,
                name=name,
                spread=spread.low,
            )
            for name in apart
        ),
    )


def _prints(
    candidate: Candidate, counters: frozenset[str], ground: Inquiry
) -> Iterator[tuple[str, Figure]]:
    for piece in ground.pieces:
        if _of_card(piece, candidate, ground):
            for name, seen in capacities(piece):
                total = quantity(seen.value, seen.pointer, seen.counter, name)
                if total is not None and seen.counter in counters:
                    yield piece.id, total


def _of_card(piece: Piece, candidate: Candidate, ground: Inquiry) -> bool:
    """True when the piece prints this card, or a person says so and the policy counts persons."""
    told = [run.facts["gpu"] for run in piece.reading.runs if "gpu" in run.facts]
    told += [facts["gpu"] for facts in (piece.reading.facts, piece.typed) if "gpu" in facts]
    counted = [f for f in told if f.printed or (f.by and ground.policy.typed_scope == "counts")]
    return bool(counted) and all(fact.value == candidate.gpu for fact in counted)
