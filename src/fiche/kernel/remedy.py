"""What a failure at hand points to, and which changes of the way it runs might mend it (D7)."""

from __future__ import annotations

from fiche.kernel.figure import Figure, Node
from fiche.kernel.record import record

# Phases by the part of the work that they are (D7).
STAGES = {
    "loading": frozenset({"model_load", "model_init", "load", "loading"}),
    "generating": frozenset({"prefill", "decode", "generation", "generate"}),
    "backward": frozenset({"backward", "loss", "optimizer_step", "first_step"}),
    "evaluation": frozenset({"evaluation", "eval"}),
}


@record
class Lever:
    """One change that may help: what it is by a stable code, and what it has to keep.

    `keeps` are codes: quality (the minimum is recovered), duration (measured too), result (checked).
    `candidates` are those of the fiche that try it.
    """

    name: str
    keeps: tuple[str, ...]
    candidates: tuple[str, ...] = ()


@record(eq=False)
class Remedy:
    """One failure among the pieces, in its phase, with what arithmetic says of that phase.

    `failure` is its id among the readings. `stage` is one of `STAGES`, empty where nobody tells the phase or it
    is none of them. Where it is not told, `phase` is the one that may ask for most by arithmetic.
    `item` is what takes most there, `known` the sum of what is exactly known there, `share` the part of that
    which the item takes (None where the item itself is not exact); `open_items` have no exact figure, or an
    assumed one, and are in no share. `useless` are candidates that shrink a training batch, which an
    evaluation does not notice.
    """

    piece: str
    failure: str
    proven: bool
    candidates: tuple[str, ...]
    case: str
    owner: str
    stage: str
    phase: str
    phase_told: bool
    dominant: str = ""
    item: Node | None = None
    known: Figure | None = None
    share: Figure | None = None
    open_items: tuple[str, ...] = ()
    levers: tuple[Lever, ...] = ()
    useless: tuple[str, ...] = ()
