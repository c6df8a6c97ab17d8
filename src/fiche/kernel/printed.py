"""Characters that are seen as what they are, told by a look that costs less than a pattern does."""

from __future__ import annotations

_BLANKS = ("\u00a0", "\u202f")
_LINES = ("\n", "\t")


def printed(text: str, *, lines: bool = False) -> bool:
    """True where nothing in a text can act on a screen: letters, signs, blanks, and line feeds where `lines`.

    False says nothing: a pattern knows the characters by name.
    """
    if text.isascii() and text.isprintable():  # nearly every text
        return True
    for blank in (*_BLANKS, *_LINES) if lines else _BLANKS:
        text = text.replace(blank, " ")
    if not text.isprintable():
        return False
    # Beyond the first plane tags and selectors count as letters; nothing there is told here.
    return text.isascii() or len(text.encode("utf-16-le")) == 2 * len(text)
