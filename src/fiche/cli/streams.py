"""The three standard streams, any of which a caller may have closed or stopped reading."""

from __future__ import annotations

import os
import sys

# Reading, so that writing on a closed output fails and is said: nothing is lost unsaid. What is said
# on a closed error stream has no reader, and goes nowhere.
_ACCESS = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)
_NAMES = ("stdin", "stdout", "stderr")


def open_closed() -> None:
    """Give each closed stream its number back.

    Else the next file that is opened takes it, and what a library prints lands in a report.
    """
    for number, (name, access) in enumerate(zip(_NAMES, _ACCESS, strict=True)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # it gets the lowest free number: this one
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace"))


def write_output(content: bytes) -> None:
    """Write bytes on standard output. A reader that has gone (`fiche ... | head`) is no error.

    Raises:
        OSError: anything else, such as a full disk behind a redirection.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        discard(sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise


def write_error(text: str) -> None:
    """Write on standard error, in signs that it has; where that fails, nobody can be told."""
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr.fileno())


def discard(number: int) -> None:
    """Send the rest of a stream nowhere.

    What is buffered would be written again, and fail again, when the process ends.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
