"""How much a file that somebody sent may take: of memory, of time, of files inside (law 7)."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.load.folder import PIECE_LIMIT, UnreadableError, read_file
from fiche.load.memory import within

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 512 * 2**20
MOST_FILES = 10_000
MOST_TOGETHER = 768 * 2**20
MOST_OF_ONE = PIECE_LIMIT
MOST_PAGES = 2_000
MOST_OBJECTS = 1_000_000
# A stream that draws a page, a font, a colour profile: none of a report comes near.
MOST_DRAWN = 64 * 2**20
# Processor time for reading one container, and so many bytes a second beyond.
SECONDS, BYTES_A_SECOND = 60, 2_000_000
# Memory beside so many times the file.
BESIDE, FACTOR = 2**30, 12


def refused(code: str, message: str, hint: str) -> Refused:
    """A container that cannot be read: F900 to F904."""
    return Refused([Diagnostic(code=code, message=message, address=None, hint=hint)])


def no_report(what: str, why: str) -> Refused:
    """F900."""
    hint = (
        "name a report.pdf or report.html as fiche wrote it, or the folder that holds one; what was printed "
        "again, or saved from a browser or a viewer, has lost its files"
    )
    return refused("F900", f"{what} is no report of fiche: {why}", hint)


def broken(why: str) -> Refused:
    """F901."""
    return refused("F901", f"the file cannot be read: {why}", "ask for the file again, whole")


def too_much(why: str) -> Refused:
    """F903."""
    hint = "no report of fiche takes that much: do not open this file in other programs either"
    return refused("F903", f"the file takes more than a report may: {why}", hint)


def content_of(path: Path) -> bytes:
    """The bytes of a plain file, of at most `MOST_BYTES`.

    Raises:
        Refused: F901 there is none, or it is a device; F903 it is longer.
    """
    try:
        return read_file(path, str(path), MOST_BYTES)
    except UnreadableError as problem:
        if problem.code == "F319":
            raise too_much(f"it is longer than {MOST_BYTES // 2**20} MiB") from None
        hint = problem.hint or "check the name"
        raise refused("F901", problem.message, hint) from None


def inflated(packed: bytes, most: int) -> bytes:
    """What zlib packed, of at most `most` bytes.

    Raises:
        Refused: F901 it is not whole; F903 it is longer.
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, most + 1)
    except zlib.error as error:
        raise broken(f"a stream is not packed as it says ({error})") from None
    if len(content) > most:
        raise too_much(f"one stream unpacks to more than {most // 2**20} MiB")
    if not unpacker.eof:
        raise broken("a stream ends before its end")
    if unpacker.unused_data.strip(b"\r\n"):
        raise broken("a stream has bytes behind its end")
    return content


@contextlib.contextmanager
def bounded(num_bytes: int) -> Iterator[None]:
    """A block that reads a container of so many bytes: what takes too long or too much memory is refused.

    Time is that of the processor, and is bounded in the main thread of systems that have such a clock; memory
    where the system tells how much is mapped (Linux). Parsers nest, so a loop without an end is refused too.

    Raises:
        Refused: F903; F901 for what a parser raises at a broken file.
    """
    try:
        with _in_time(SECONDS + num_bytes // BYTES_A_SECOND), within(FACTOR * num_bytes + BESIDE):
            yield
    except (Refused, KeyboardInterrupt, SystemExit):
        raise
    except MemoryError:
        raise too_much("memory") from None
    except RecursionError:
        raise too_much("its parts lead into each other without an end") from None
    except _LateError:
        raise too_much("time") from None


def parsed(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever a foreign parser returns
    """What a foreign parser returns.

    Raises:
        Refused: F901, whatever it raised.
    """
    try:
        return call()
    except (Refused, MemoryError, RecursionError, _LateError):
        raise
    except Exception as error:  # noqa: BLE001 - hostile bytes bring out any of them
        if type(error).__name__ == "LimitReachedError":  # of pypdf, wherever it keeps it
            raise too_much(str(error)[:200]) from None
        raise broken(f"{type(error).__name__}: {error}"[:200]) from None


class _LateError(BaseException):
    """Raised by a clock in the middle of a parser, which must not take it for a fault of its own."""


@contextlib.contextmanager
def _in_time(seconds: int) -> Iterator[None]:
    import signal
    import threading

    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _late(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _LateError
