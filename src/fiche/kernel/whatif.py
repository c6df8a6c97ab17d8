"""What the report's sizer asks again: the traces of the loads, and what each candidate has (F6)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.figure import Figure, Node, Number
from fiche.kernel.record import record


@record(eq=False)
class Offered:
    """A format that a load may be asked with: `changed` by id are the figures that stand in for its own.

    `owner` is whose load it is (empty: the fiche's own), `key` is storage or cache.
    """

    owner: str
    key: str
    name: str
    changed: Mapping[str, Node]


@record(eq=False)
class Room:
    """One candidate, case and device: what the load asks for by arithmetic, and what there is, in bytes.

    `least` must be there at one time and `most` is the sum of all maxima with the stated margins, open where
    an item is unknown; None says nothing of this device. `have_low` and `have_high` are firm bounds of the
    capacity, None where an end is open. An answer within `guard` of the limit settles nothing.
    """

    candidate: str
    owner: str
    case: str
    device: str
    least: Figure | None
    most: Figure | None
    have_low: Figure | None
    have_high: Figure | None
    guard: Number


@record(eq=False)
class WhatIf:
    """All that a sizer may show: formats that a load may take, and rooms; by owner and case `envelopes`.

    `sums` are the same of every item, known or not, where something is unknown: they close as it is told.
    """

    envelopes: Mapping[tuple[str, str], Figure]
    sums: Mapping[tuple[str, str], Figure]
    offered: tuple[Offered, ...]
    rooms: tuple[Room, ...]
