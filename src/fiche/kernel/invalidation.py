"""What would make the conclusion void, at which value, and on what that rests (E3)."""

from __future__ import annotations

from fiche.kernel.figure import Node
from fiche.kernel.record import record


@record(eq=False)
class Invalidation:
    """One event that would void the conclusion.

    `kind` is a stable code:
    model, engine, formats, placement, software, driver, method: another value of one of `values` (path, value);
    larger: more of one of `figures`, by dimension, than in `case`, which no other case covers;
    growth: sequences longer by more than `figure` tokens than in `case`: their KV cache uses the margin up;
    machine: another machine than `subject`; shared: another program on its card;
    offer_ends, piece_ends: the last day of offer or piece `subject`; piece_ages, catalog_ages: the first day on
    which the policy counts it no more; `day` is that day;
    spread: a machine that shows less than one of its card did by more than `figure`, as the policy allows;
    guard_band: a measured value nearer than `figure` to its limit, of criterion `subject`;
    rate: another exchange rate than `figure`, of `subject` on `day`;
    assumption: `text` does not hold; author: `text`, as the fiche's author says.

    `candidates` are those whose verdict leans on it, `because` the ids of the pieces, requirements and offers
    that it follows from. `owner` is the candidate that `figure` belongs to, where it is of one alone.
    """

    kind: str
    subject: str = ""
    values: tuple[tuple[str, str], ...] = ()
    figure: Node | None = None
    figures: tuple[tuple[str, Node], ...] = ()
    day: str = ""
    case: str = ""
    text: str = ""
    candidates: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    owner: str = ""
