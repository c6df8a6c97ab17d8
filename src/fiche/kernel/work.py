"""How much is to be done, and how fast it was seen to be done: the hours of a rental follow (C14, D2)."""

from __future__ import annotations

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import record


@record
class Throughput:
    """A result of a piece, by the program's own name for it; `stat` and `label` where it has several."""

    piece: Fact
    metric: Fact
    stat: str = ""
    label: str = ""


@record
class Work:
    """`amount` of what is counted (`tokens`, `requests`), and the throughputs it is divided by.

    `measured` are results of pieces, each of which counts in its own scope; `assumed` is somebody's guess,
    per second, which stands where no piece does.
    """

    amount: Figure
    of: str
    measured: tuple[Throughput, ...] = ()
    assumed: Figure | None = None
