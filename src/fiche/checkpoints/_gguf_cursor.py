"""Walking over the header of a GGUF file through a window: a header of any length takes a few MiB."""

from __future__ import annotations

import hashlib
import struct

from fiche.checkpoints._refusal import refused
from fiche.checkpoints.source import Source, exactly
from fiche.kernel.diagnostic import Refused

# Vocabularies of 262 000 tokens take some 20 MB; what is longer than this is no header.
MAX_HEADER = 64 * 2**20
_WINDOW = 4 * 2**20
_FIRST = 256 * 1024


class Cursor:
    """The byte that comes next, and what has been passed as a digest.

    `order` is `<` or `>`, `long` the type of a length: 32 bits in version 1, 64 bits from 2 on.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.order, self.long = "<", "Q"
        self._end = min(source.length(), MAX_HEADER)
        self._window, self._start, self._in = b"", 0, 0
        self._digest = hashlib.sha256()

    @property
    def at(self) -> int:
        """The offset of the byte that comes next."""
        return self._start + self._in

    @property
    def left(self) -> int:
        """How many bytes may still belong to the header."""
        return self._end - self.at

    def take(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            Refused: F816 the file ends before.
        """
        self._hold(count)
        found = self._window[self._in : self._in + count]
        self._in += count
        return found

    def skip(self, count: int) -> None:
        """Pass over bytes that are not kept, however many.

        Raises:
            Refused: F816 the file ends before.
        """
        if count > self.left:
            raise self.cut(count)
        while count > (step := len(self._window) - self._in):
            self._in = len(self._window)
            count -= step
            self._hold(min(count, _WINDOW))
        self._in += count

    def number(self, kind: str) -> int | float:
        """One number, by its letter in `struct`."""
        width = struct.calcsize(self.order + kind)
        found: int | float = struct.unpack(self.order + kind, self.take(width))[0]
        return found

    def whole(self, kind: str) -> int:
        """One whole number."""
        return int(self.number(kind))

    def count(self) -> int:
        """One length or count, as wide as the version has them."""
        return self.whole(self.long)

    def skip_texts(self, count: int) -> None:
        """Pass over so many texts: a vocabulary has some hundred thousand.

        Raises:
            Refused: F816 they cannot all fit.
        """
        form = struct.Struct(self.order + self.long)
        if count * form.size > self.left:
            raise self.cut(count * form.size)
        while count:
            self._hold(form.size)
            count = self._skip_held(form, count)

    def digest(self) -> str:
        """The sha256 of all bytes passed."""
        done = self._digest.copy()
        done.update(memoryview(self._window)[: self._in])
        return done.hexdigest()

    def cut(self, count: int) -> Refused:
        """The refusal of something of `count` bytes that cannot be in the file."""
        if self.at + count > self.source.length():
            message = f"{count} bytes are wanted here, {self.source.length() - self.at} are left"
            hint = "the file is cut or damaged: copy it again and compare its digest"
        else:
            message = f"its header is longer than {MAX_HEADER // 2**20} MiB"
            hint = "no vocabulary is that long: the file is damaged"
        return refused("F816", self.source.name, message, hint, at=self.at)

    def _skip_held(self, form: struct.Struct, count: int) -> int:
        """Pass over texts while they start in the window; how many are left."""
        window, at, last = self._window, self._in, len(self._window) - form.size
        unpack, width = form.unpack_from, form.size
        while count and at <= last:
            at += width + unpack(window, at)[0]
            count -= 1
        self._in = min(at, len(window))
        self.skip(at - self._in)
        return count

    def _hold(self, count: int) -> None:
        """Have at least `count` bytes in the window."""
        have = len(self._window) - self._in
        if have >= count:
            return
        if count > self.left:
            raise self.cut(count)
        self._digest.update(memoryview(self._window)[: self._in])
        self._start, rest = self.at, self._window[self._in :]
        wanted = max(count, _WINDOW if self._start else _FIRST)
        more = min(wanted, self._end - self._start) - len(rest)
        self._window = rest + exactly(self.source, self._start + len(rest), more)
        self._in = 0
