"""Characters that would act on a reader's screen instead of being read are shown by their number.

Control characters (escape sequences of terminals), direction overrides, and what has no width at all
can hide or rearrange the words of a report: each becomes `‹U+202E›`, visible and harmless (law 7).
"""

from __future__ import annotations

import re

from fiche.kernel.lazy import lazy
from fiche.kernel.printed import printed

# Controls; invisible and direction characters; separators, surrogates, private use, noncharacters, tags.
ACTIVE_RANGES = (
    (0x0, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xE000, 0xF8FF),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0xE0000, 0x10FFFF),
)
ACTIVE = lazy("[{}]".format("".join(f"{chr(a)}-{chr(b)}" for a, b in ACTIVE_RANGES)))
_BLANKS = lazy("[\t\n\r\x0b\x0c]+")


def visible(text: str) -> str:
    """The text with every such character written out; line ends and tabs become a blank."""
    if printed(text) or not ACTIVE.search(text):
        return text
    return ACTIVE.sub(_number, _BLANKS.sub(" ", text))


def hidden(character: str) -> bool:
    """True for a character that acts on a screen, or is not to be seen on it."""
    return bool(ACTIVE.match(character))


def _number(found: re.Match[str]) -> str:
    return f"‹U+{ord(found[0]):04X}›"
