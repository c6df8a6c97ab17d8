"""What is known of each allocation: its origin, bytes, shape, format, and what it is for."""

from __future__ import annotations

from array import array
from typing import Any

from fiche.simulate.ledger.origins import Origin


class EntryTable:
    """Columns by the number of an entry, which is the id of its allocation.

    `num_bytes` are as asked for. A kind is empty until something tells it.
    """

    __slots__ = ("_kept", "dtypes", "kinds", "num_bytes", "origins", "shapes")

    def __init__(self) -> None:
        self.origins: list[Origin] = []
        self.num_bytes = array("q")
        self.shapes: list[Any] = []
        self.dtypes: list[Any] = []
        self.kinds: list[str] = []
        self._kept: dict[Any, Any] = {}  # each shape once: layers are alike

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, origin: Origin, num_bytes: int, shape: Any, dtype: Any, kind: str) -> int:
        """A new entry; its number."""
        self.origins.append(origin)
        self.num_bytes.append(num_bytes)
        self.shapes.append(self._kept.setdefault(shape, shape))
        self.dtypes.append(dtype)
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def tell(self, entry: int, kind: str, *, over: bool = False) -> None:
        """What an entry is for; the first word stays, unless `over`."""
        if over or not self.kinds[entry]:
            self.kinds[entry] = kind
