"""What is missing, written as the thing that would settle it (D1)."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Condition:
    """One open point of a decision.

    `topic` is a stable word (`context`, `concurrency`, `memory_available`, `compatibility`, `quality`,
    `need`, `capacity`, `cost`, ...): conditions of one candidate with one topic are one point.
    `text` says what to provide, `threshold` the value at which the verdict turns, `supplier` who can
    supply it (author, seller, operator, maker), `piece_kind` what kind of piece would attest it. `case` is the
    case to run, where a run settles it.
    """

    topic: str
    text: str
    threshold: str = ""
    supplier: str = ""
    piece_kind: str = ""
    case: str = ""
