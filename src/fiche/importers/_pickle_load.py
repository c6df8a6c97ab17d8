"""Plain values out of a scanned pickle: the C unpickler, with every door to code shut (law 7).

The bytes come from `_pickle_scan`, portion by portion. Long traces would be millions of dictionaries, so
at the end of each batch of entries a few opcodes of our own are put in: they hand the batch to `take`
and drop it. (The scan lets no persistent id through, so those that arrive here are ours.)
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from fiche.importers._pickle_portion import Portion, UnsafePickleError
from fiche.importers._pickle_rows import Batch, batch_of
from fiche.importers._pickle_scan import Scan

# LIST what came since the mark, TUPLE2 with the list below it, BINPERSID, then a new mark.
_HAND_ON = b"l\x86Q("
# Bytes of an unpickler with its memo, eight an object (or twice that, as it grows).
_MOST_MEMO = 16 << 20
_WRONG = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
)
# Takes (the list that the entries belong to, the entries); False if they are no entries of a trace.
Take = Callable[[list[Any], list[Any] | Batch], bool]


def plain_values(content: bytes, portions: Iterable[Portion], take: Take) -> Any:  # noqa: ANN401
    """The value that a scanned pickle describes, less the entries that `take` has taken.

    Call it under `no_collection`. A `Scan` for `portions` judges each before it is loaded; whatever goes
    wrong, what it finds in the rest of the file is told first.

    Raises:
        UnsafePickleError: the scan refuses, the opcodes do not make one value (malformed), or memory ran
            out (excessive).
    """
    unpickler = _Inert(_Portions(content, portions), take)
    if not isinstance(portions, Scan):
        return _loaded(unpickler)
    portions.memo = unpickler.held
    try:
        return _loaded(unpickler)
    except Exception:
        portions.rest()
        raise


def _loaded(unpickler: _Inert) -> Any:  # noqa: ANN401
    try:
        return unpickler.load()
    except UnsafePickleError:
        raise
    except (MemoryError, RecursionError):
        raise UnsafePickleError("excessive", 0, "the pickle asks for too much memory") from None
    except _WRONG as problem:
        words = f"the opcodes make no value ({type(problem).__name__})"
        raise UnsafePickleError("malformed", 0, words) from None


@contextmanager
def no_collection() -> Iterator[None]:
    """Millions of new containers, none of them garbage: collecting would take longer than loading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Inert(pickle.Unpickler):
    """An unpickler that can build plain values only."""

    def __init__(self, portions: _Portions, take: Take) -> None:
        super().__init__(portions)
        self._take = take

    def find_class(self, module: str, name: str) -> NoReturn:
        raise UnsafePickleError("forbidden_global", 0, "the pickle names code to be run")

    def persistent_load(self, pid: Any) -> Any:  # noqa: ANN401
        owner, entries, *places = pid
        if type(owner) is not list or type(entries) is not list:
            raise UnsafePickleError("malformed", 0, "entries that belong to no list")
        batch = batch_of(entries, *places[0]) if places else entries
        if not self._take(owner, batch):
            owner.extend(batch.entries() if isinstance(batch, Batch) else batch)
        return owner

    def held(self) -> dict[int, Any]:
        """What stands in the memo, by its index, in order; nothing where that is too much to be copied."""
        return {} if sys.getsizeof(self) > _MOST_MEMO else self.memo.copy()


class _Portions:
    """A file for the unpickler: each portion in a frame of its own, so that it is read at once."""

    def __init__(self, content: bytes, portions: Iterable[Portion]) -> None:
        self._content = content
        self._left = iter(portions)
        self._held, self._at = content[:2], 0

    def read(self, count: int) -> bytes:
        end = self._at + count
        while len(self._held) < end:
            portion = next(self._left, None)
            if portion is None:
                break
            added = _HAND_ON if portion.entries_end else b""
            body = portion.written or memoryview(self._content)[portion.start : portion.end]
            length = len(body) + len(added)
            held = self._held[self._at :]
            self._held = b"".join((held, b"\x95", length.to_bytes(8, "little"), body, added))
            self._at, end = 0, count
        given = self._held[self._at : end]
        self._at = end
        return given

    def readline(self) -> bytes:
        """No opcode that the scan lets through is ended by a line break."""
        return b""
