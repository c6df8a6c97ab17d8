"""What was judged: one verdict, with the two intervals it compared and what would settle it."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node
from fiche.kernel.origin import Stated
from fiche.kernel.record import record

if TYPE_CHECKING:
    from fiche.kernel.comparison import Comparison


# What is had is the limit there: a budget, a last day, what a device offers.
_HAD = frozenset(
    {"memory", "cost", "budget_line", "latency", "duration", "power", "delivery", "support"}
)


class Verdict(IntEnum):
    """Ordered from best to worst: a candidate takes its worst must (D1)."""

    ADMISSIBLE = 0
    TO_CONFIRM = 1
    EXCLUDE = 2

    @property
    def code(self) -> str:
        """The language-free word of the JSON contract."""
        return ("admissible", "to_confirm", "exclude")[self]


@record
class Finding:
    """One requirement on one candidate (and one case and device, for memory).

    `need` and `have` are what was compared, on firm bounds; `margin` is the signed distance to the
    threshold where both ends are known. `reason` is a stable code, `text` says it in English. `pieces`
    are the ids of the pieces the verdict rests on, `attested_by` the people whose word it takes.
    Where words are compared and not numbers (versions, formats), `need_words` and `have_words` hold them.
    Every comparison reads need <= have: a cost is the need and the budget what is had. `aside` tells what was
    left aside because it is out of date, where the verdict stands without it. `guard` is the band within which
    a measured value settles nothing, where there is one. `sources` are the documents behind a catalog's row
    that decides. `expects` names the kind of piece that would settle what is *to confirm* (F8).
    `share` is the margin as a ratio of the limit, where both are known and the limit is above zero.
    `comparison` is what was judged; `supposed`, of a *to confirm*, is the same with assumptions let in.
    """

    requirement: str
    kind: str
    level: str
    candidate: str
    verdict: Verdict
    reason: str
    text: str
    need: Node | None
    have: Node | None
    margin: Figure | None = None
    conditions: tuple[Condition, ...] = ()
    pieces: tuple[str, ...] = ()
    attested_by: tuple[str, ...] = ()
    case: str = ""
    device: str = ""
    need_words: str = ""
    have_words: str = ""
    aside: str = ""
    guard: Figure | None = None
    sources: tuple[str, ...] = ()
    expects: str = ""
    comparison: Comparison | None = None
    supposed: Comparison | None = None
    share: Figure | None = None

    @property
    def limit_is_had(self) -> bool:
        """True where `have` is the limit that `need` is held against, False where `need` is (at least)."""
        if self.kind in _HAD:
            return True
        stated = [
            node is not None and isinstance(node.origin, Stated) for node in (self.need, self.have)
        ]
        return stated == [False, True]


@record
class SecondReading:
    """A finding that assumptions would turn (only ever a *to confirm*), and what it hangs on."""

    finding: Finding
    would_be: Verdict
    if_held: tuple[str, ...]
