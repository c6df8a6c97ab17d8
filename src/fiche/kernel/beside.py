"""A simulation beside the formulas: by how much they differ, in which item, and which sees what (E2, E6).

Both sides are computed. Neither is corrected by the other, and no verdict of a first reading rests on either.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.figure import Figure
from fiche.kernel.record import field, record


@record(eq=False)
class GroupBeside:
    """Items of the formulas beside the kinds of live bytes that they are of.

    `formulas` sums the items that have a figure; `open` are the others, by name. `distance` is how far the
    simulation lies above (or below zero: below) what the formulas allow, in bytes.
    """

    name: str
    items: tuple[str, ...]
    formulas: Figure
    simulated: Figure
    distance: int
    open: tuple[str, ...] = ()


@record(eq=False)
class PhaseBeside:
    """One phase on its most loaded device: allocated bytes by both, and what the simulation reserves.

    `difference` is the simulation less the formulas; `ratio` the same as a part of the formulas, None where
    those have nothing. `item` is the group in which it lies, empty where the simulation lies within the
    formulas' bounds; `sees` is then `both`, else `simulation` or `formulas`: who sees what the other does not.
    """

    phase: str
    is_first: bool
    order: int
    device_index: int
    formulas: Figure
    simulated: Figure
    reserved: Figure | None
    difference: Figure
    ratio: Figure | None
    groups: tuple[GroupBeside, ...]
    item: str
    sees: str
    text: str


@record(eq=False)
class CaseBeside:
    """One simulation and one case of a workload.

    `differs` says why it is not set beside the formulas; `phases` are then none. `need` is what it would be
    as a need of the second reading, open where `open` names something; `covered` leads from an uncovered item
    to the reserve item that stands for it. `short` says why it is no need at all.
    """

    owner: str
    case: str
    piece: str
    differs: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    phases: tuple[PhaseBeside, ...] = ()
    need: Figure | None = None
    covered: Mapping[str, str] = field(default_factory=dict)
    open: tuple[str, ...] = ()
