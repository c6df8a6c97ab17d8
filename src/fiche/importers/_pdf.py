"""The text layer of a PDF, page by page, to look words up in: nothing is interpreted, no picture is read.

pypdf, because it is written in Python alone: what a hostile file breaks is a parser, not the process. It runs
in a process of its own with a bound on memory and time; here pages and characters are bounded too (law 7).
"""

from __future__ import annotations

import io

from fiche.importers._refusal import refused
from fiche.kernel.piece import Passage

MAGIC = b"%PDF-"
# A document of thousands of pages is no quote; its part that matters is.
MAX_PAGES = 1000
MAX_CHARACTERS = 5_000_000


def passages(content: bytes, sha256: str) -> tuple[Passage, ...]:
    """One passage a page, `page 1` first; the text of a page without a text layer is empty.

    Raises:
        Refused: it needs a password (F490), is broken (F491), or is too long (F492).
    """
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        return _passages(content, sha256)
    except RecursionError:
        raise _broken("its parts lead into each other without an end", sha256) from None


def _passages(content: bytes, sha256: str) -> tuple[Passage, ...]:
    import pypdf
    from pypdf.errors import DependencyError, FileNotDecryptedError

    found: list[Passage] = []
    left = MAX_CHARACTERS
    try:
        reader = pypdf.PdfReader(io.BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise _protected(sha256)
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise _too_long(f"it has {count} pages, {MAX_PAGES} are read", sha256)
        for number in range(1, count + 1):
            text = reader.pages[number - 1].extract_text()
            left -= len(text)
            if left < 0:
                raise _too_long(f"its text has more than {MAX_CHARACTERS} characters", sha256)
            found.append(Passage(place=f"page {number}", text=_utf8(text)))
    except (DependencyError, FileNotDecryptedError):
        raise _protected(sha256) from None
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        from fiche.kernel.diagnostic import Refused

        if isinstance(error, Refused):
            raise
        raise _broken(f"{type(error).__name__}: {error}"[:200], sha256) from None
    if not found:
        raise _broken("it has no page", sha256)
    return tuple(found)


def _utf8(text: str) -> str:
    """Halves of characters, which a font's table may hold, are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _protected(sha256: str) -> Exception:
    message = "the PDF is protected by a password: its words cannot be looked up"
    hint = "cite a copy without protection, or put the words into a text file beside it"
    return refused("F490", message, sha256, hint=hint)


def _broken(why: str, sha256: str) -> Exception:
    hint = "open it and save it again, or put the words into a text file beside it"
    return refused("F491", f"the document cannot be read: {why}", sha256, hint=hint)


def _too_long(why: str, sha256: str) -> Exception:
    return refused(
        "F492", f"the document is too long: {why}", sha256, hint="cite the pages that matter"
    )
