"""A file on a hub as a source of bytes: parts are asked for as they are needed, and a little ahead."""

from __future__ import annotations

from collections.abc import Callable

from fiche.hub._refusals import too_long
from fiche.hub.name import HubName
from fiche.kernel.diagnostic import Refused

# Most headers of safetensors fit into the first answer; those of GGUF hold a vocabulary.
AHEAD = 64 * 1024
FARTHEST = 4 * 1024 * 1024
MOST_RECEIVED = 256 * 1024 * 1024

Fetch = Callable[[str, int, int], tuple[bytes, int]]


class RemoteFile:
    """One file of a model on a hub. Used by one thread."""

    def __init__(self, name: HubName, file: str, length: int | None, fetch: Fetch) -> None:
        self.name = file
        self._model = name
        self._length = length
        self._fetch = fetch
        self._start = 0
        self._held = b""
        self._ahead = AHEAD
        self._received = 0

    def length(self) -> int:
        """Bytes of the whole file.

        Raises:
            Refused: the hub does not answer, or not with ranges.
        """
        if self._length is None:
            self._receive(0, self._ahead)
        return self._length or 0

    def part(self, start: int, count: int) -> bytes:
        """Bytes from `start`, `count` of them or fewer at the end of the file.

        Raises:
            Refused: the hub does not answer, or not with ranges.
        """
        count = max(0, min(count, self.length() - start))
        if not count:
            return b""
        if start < self._start or start + count > self._start + len(self._held):
            self._receive(start, count)
        return self._held[start - self._start : start - self._start + count]

    def _receive(self, start: int, count: int) -> None:
        """Ask for a part; where reading goes on from what is held, only for what is missing."""
        end = self._start + len(self._held)
        kept = self._held[start - self._start :] if self._start <= start <= end else b""
        wanted = max(count - len(kept), self._ahead)
        self._received += wanted
        if self._received > MOST_RECEIVED:
            raise Refused([too_long(self._model, f"the header of {self.name}", MOST_RECEIVED)])
        content, self._length = self._fetch(self.name, start + len(kept), wanted)
        self._start, self._held = start, kept + content
        self._ahead = min(2 * self._ahead, FARTHEST)
