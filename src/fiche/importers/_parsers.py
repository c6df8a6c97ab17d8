"""Parsers of others (expat, `email`, `zipfile`, pypdf): whatever they raise at a broken file is a refusal.

Their documentation names some exceptions; hostile bytes bring out others (a `LookupError` for an encoding,
a `ValueError` of a codec). A defect of fiche's own stays a defect: only what no code of ours raised is told
as a fault of the file.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused

T = TypeVar("T")
_OURS = "fiche."
# Parsers written in Python that importers use.
_OTHERS = frozenset({"email", "html", "pypdf", "xml", "zipfile"})
# The call itself, and the function that was called for it.
_CALL = 2


def parsed(
    call: Callable[[], T],
    code: str,
    what: str,
    sha256: str,
    *,
    hint: str = "",
    line: int | None = None,
    but: type[Exception] = Refused,
) -> T:
    """What `call` returns, which does nothing but call one parser; `but` is for the caller to tell.

    Raises:
        Refused: `code`, the parser raised something; `what` begins the message.
    """
    try:
        return call()
    except (Refused, MemoryError, but):
        raise
    except Exception as error:
        if any(name.startswith(_OURS) for name in _modules(error.__traceback__)[_CALL:]):
            raise  # a handler of ours, called by the parser
        raise _told(error, code, what, sha256, hint, line) from None


def read_by_others(call: Callable[[], T], sha256: str) -> T:
    """What `call` returns: the last resort, for what a parser written in Python raises somewhere inside.

    Raises:
        Refused: F491.
    """
    try:
        return call()
    except (Refused, MemoryError):
        raise
    except Exception as error:
        if _modules(error.__traceback__)[-1].partition(".")[0] not in _OTHERS:
            raise
        what, hint = "the document cannot be read", "put the words into a text file beside it"
        raise _told(error, "F491", what, sha256, hint, None) from None


def _told(
    error: Exception, code: str, what: str, sha256: str, hint: str, line: int | None
) -> Refused:
    why = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
    return refused(code, f"{what}: {why}"[:200], sha256, line=line, hint=hint)


def _modules(trace: TracebackType | None) -> list[str]:
    """The modules of the frames that an exception went through, the outermost first."""
    found = []
    while trace is not None:
        found.append(str(trace.tb_frame.f_globals.get("__name__", "")))
        trace = trace.tb_next
    return found
