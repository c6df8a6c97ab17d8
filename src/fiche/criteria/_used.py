"""Which devices a run really used: those on which its own allocator held memory (C9)."""

from __future__ import annotations

from fiche.kernel.piece import Piece, Run

_HELD = frozenset({"max_memory_allocated", "max_memory_reserved"})


def held_on(run: Run) -> dict[int, int]:
    """The largest peak of its allocator by device, in bytes: zero where a device was read and left alone."""
    held: dict[int, int] = {}
    for seen in run.observations:
        value, index = seen.value, seen.device_index
        if (
            seen.counter in _HELD
            and seen.stat == "peak"
            and value is not None
            and index is not None
        ):
            held[index] = max(held.get(index, 0), value.low or 0)
    return held


def place_of(run: Run, index: int, *, alone: bool) -> int:
    """The device on which a run of one device was, wherever its process counts it."""
    held = held_on(run)
    used = [place for place, most in held.items() if most > 0]
    moved = alone and len(used) == 1 and held.get(index) == 0
    return used[0] if moved else index


def only_device(piece: Piece) -> int | None:
    """The one device that all runs of a piece used; None where none is told, or several are."""
    held = [held_on(run) for run in piece.reading.runs]
    used = {index for run in held for index, most in run.items() if most > 0}
    return used.pop() if len(used) == 1 else None
