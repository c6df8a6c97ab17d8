"""The stream of each entry of one trace: a single number where all share it, one byte an entry otherwise."""

from __future__ import annotations

from collections.abc import Sequence

UNKNOWN = 255
# Programs have a few streams; entries of further ones count as entries that name none.
_MOST = 250


class StreamColumn:
    """Streams by entry; `names` are those met so far, and places in it stand for them."""

    def __init__(self) -> None:
        self.names: list[int] = []
        self._place: dict[int, int] = {}
        self._count, self._only = 0, UNKNOWN
        self._each = bytearray()

    def __len__(self) -> int:
        return self._count

    @property
    def only(self) -> int | None:
        """The place that all entries have, None where they differ."""
        return None if self._each else self._only

    def each(self) -> bytes:
        """The place in `names` of each entry's stream, `UNKNOWN` where it names none."""
        return bytes(self._each) if self._each else bytes((self._only,)) * self._count

    def take(self, values: Sequence[object], count: int) -> None:
        """Append `count` streams; a single value is that of all.

        Raises:
            TypeError: a value is no number.
        """
        if not {*map(type, values)} <= {int}:
            raise TypeError
        places = {value: self._of(value) for value in {*values}}
        if len(places) == 1:
            self._same(next(iter(places.values())), count)
        elif places:
            self._spread()
            self._each += bytes(map(places.__getitem__, values))
            self._count += count

    def add(self, value: object) -> None:
        """Append one stream, or what stands in its place."""
        self._same(self._of(value) if type(value) is int else UNKNOWN, 1)

    def cut(self, length: int) -> None:
        """Forget all entries from `length` on."""
        del self._each[length:]
        self._count = length

    def _of(self, value: object) -> int:
        assert isinstance(value, int)
        if value not in self._place and len(self.names) < _MOST:
            self._place[value] = len(self.names)
            self.names.append(value)
        return self._place.get(value, UNKNOWN)

    def _same(self, place: int, count: int) -> None:
        if not self._count:
            self._only = place
        if self._each or place != self._only:
            self._spread()
            self._each += bytes((place,)) * count
        self._count += count

    def _spread(self) -> None:
        if not self._each:
            self._each = bytearray((self._only,)) * self._count
