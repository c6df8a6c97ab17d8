"""A load asked again for other values of one dimension: its items, its floor and its envelope (D6)."""

from __future__ import annotations

from collections.abc import Sequence

from fiche.estimators import envelope, firm_floor, load_items
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Bounds, Figure, Node, total
from fiche.kernel.record import record
from fiche.kernel.replay import Replay
from fiche.kernel.trace import conditions, walk
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload


@record
class Point:
    """Bounds in bytes at one value: of each item by its id, of the floor and of the envelope."""

    value: int
    items: tuple[tuple[str, Bounds], ...]
    floor: Bounds
    envelope: Bounds


@record(eq=False)
class Varied:
    """One case of a workload, prepared for values of the leaf of this id.

    The leaf takes the asked value less `beside`: a context of 8192 with 292 new tokens has 7900 in its
    prompt. `labels` are the items' words by id, `left_out` what the envelope does not include, `unknown` those
    items without an upper end (so left out of it) that depend on the leaf all the same.
    """

    leaf: str
    beside: int
    replay: Replay
    labels: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    @property
    def moves(self) -> bool:
        """True when some item depends on the leaf."""
        return bool(self.leaf) and self.replay.moves(self.leaf)

    def at(self, value: int) -> Point:
        """The load at one value."""
        here = max(value - self.beside, 0)
        *items, floor, sum_ = self.replay.at({self.leaf: (here, here)} if self.leaf else {})
        named = zip((name for name, _ in self.labels), items, strict=True)
        return Point(value=value, items=tuple(named), floor=floor, envelope=sum_)


def varied(
    workload: Workload,
    case: Case | None,
    estimators: Sequence[Estimator],
    leaf: str,
    beside: int = 0,
) -> Varied:
    """Prepare one case; `leaf` is the id of a dimension or a count that it states, empty for none."""
    items = load_items(workload, case, estimators)
    least = firm_floor(items)
    nothing: Figure = total((), BYTE)
    sum_ = envelope(workload, case, items)
    tops = [*(item.node for item in items), nothing if least is None else least, sum_]
    return Varied(
        leaf=leaf,
        beside=beside,
        replay=Replay(tops, [leaf] if leaf else []),
        labels=tuple((item.node.id, item.node.label) for item in items),
        left_out=sum_.left_out,
        unknown=tuple(dict.fromkeys(item.name for item in items if _open(item.node, leaf))),
    )


def _open(node: Node, leaf: str) -> bool:
    """True for a node that is not known and depends on the leaf."""
    return bool(leaf and conditions(node)) and any(each.id == leaf for each in walk(node))
