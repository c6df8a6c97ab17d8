"""Texts as an index keeps them: as they are told, and folded for finding them in any case.

A database takes no NUL and no half of a surrogate pair: they become the sign that stands for what cannot be
shown. The bag has them as they were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_UNKEPT = re.compile("[\0\ud800-\udfff]")
_ACTING = re.compile("[\0-\x1f\x7f\ud800-\udfff]")
_LOST = "\N{REPLACEMENT CHARACTER}"
# Between folded texts that are looked through together; no folded text has it.
BETWEEN = "\n"


def kept(text: str) -> str:
    """The text as a database can hold it."""
    return text if text.isascii() and "\0" not in text else _UNKEPT.sub(_LOST, text)


def every_kept(texts: Sequence[str]) -> Sequence[str]:
    """The same of several texts."""
    return texts if kept(joined := "".join(texts)) is joined else [kept(text) for text in texts]


def folded(text: str) -> str:
    """The text without case, and without what breaks lines: equal for names that people read as one."""
    if text.isascii():
        text = text.lower()
        return text if text.isprintable() else _ACTING.sub(_LOST, text)
    text = unicodedata.normalize("NFC", _ACTING.sub(_LOST, text))
    return unicodedata.normalize("NFC", text.casefold())


def together(texts: Iterable[str]) -> str:
    """Several texts as one, in which a part is found where one of them has it."""
    told = [text for text in texts if text]
    joined = "".join(told)
    if joined.isascii() and joined.isprintable():  # nearly always
        return BETWEEN.join(told).lower()
    return BETWEEN.join(map(folded, told))
