"""Characters that would act on a reader's screen instead of being read are shown by their number.

Control characters (escape sequences of terminals), direction overrides, and what has no width at all
can hide or rearrange the words of a report: each becomes `‹U+202E›`, visible and harmless (law 7).
"""

from __future__ import annotations

import re

# Controls; invisible and direction characters; separators, private use, surrogates, noncharacters, tags.
_ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
_BLANKS = re.compile("[\t\n\r\x0b\x0c]+")


def visible(text: str) -> str:
    """The text with every such character written out; line ends and tabs become a blank."""
    if not _ACTIVE.search(text):
        return text
    return _ACTIVE.sub(_number, _BLANKS.sub(" ", text))


def hidden(character: str) -> bool:
    """True for a character that acts on a screen, or is not to be seen on it."""
    return bool(_ACTIVE.match(character))


def _number(found: re.Match[str]) -> str:
    return f"‹U+{ord(found[0]):04X}›"
