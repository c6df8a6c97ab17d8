"""How wide words are in the report's own letters, so that a picture can leave room for them.

In thousandths of the letters' height, as the font files have them (a test compares); what the fonts lack is
taken to be as wide as anything there is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fiche.kernel.lazy import lazy

_BY_WIDTH = {
    236: " \u00a0",
    118: "\u202f",
    284: "!",
    419: '"',
    713: "#",
    598: "$",
    927: "%",
    694: "&",
    242: "'",
    273: "’",
    335: "()",
    450: "*",
    600: "+0123456789<=>^`~−×",
    272: ",.l",
    399: "-",
    383: "/\\",
    292: ":;",
    477: "?",
    891: "@W",
    641: "A",
    653: "B",
    621: "C",
    671: "D",
    583: "E",
    559: "F",
    695: "G",
    707: "HN",
    400: "Iİ",
    510: "J",
    634: "K",
    501: "L",
    812: "M",
    708: "OQ",
    606: "P",
    640: "R",
    581: "S",
    572: "T",
    678: "U",
    609: "V",
    613: "X",
    593: "Y",
    580: "Zbdpq",
    317: "[]",
    565: "_",
    534: "a",
    503: "c",
    549: "e",
    324: "f",
    528: "g",
    568: "hnu",
    250: "ijı",
    527: "k",
    873: "m",
    560: "o",
    367: "r",
    487: "s",
    351: "t",
    492: "v",
    768: "w",
    507: "x",
    499: "y",
    464: "z",
    343: "{}",
    314: "|",
    803: "…",
}
WIDTHS = {letter: width for width, letters in _BY_WIDTH.items() for letter in letters}
# Signs of other fonts; letters of the report's own that are in no list above are narrower.
_WIDEST = 1400
_OTHER = 1310
_LAST = 0x2122
# A letter with an accent may be a little wider than without; heavy letters are wider, some signs much.
_ACCENT = 1040
_HEAVY, _HEAVIEST = 1130, 1240
_SLIGHT = "*/\\|¦ŀΊ″"
_MORE = "…"
# The height of letters in every picture. Its unit is 0.178 mm on paper, so they are 7.5 pt there.
LETTERS = 15
_LONGEST = 400


@lru_cache(maxsize=4096)
def _letter(letter: str) -> int:
    if letter in WIDTHS:
        return WIDTHS[letter]
    if unicodedata.combining(letter):
        return 0
    base = unicodedata.normalize("NFD", letter)[0]
    if base in WIDTHS:
        return WIDTHS[base] * _ACCENT // 1000 + 1
    return _OTHER if ord(letter) <= _LAST else _WIDEST


def width(text: str, height: int, *, heavy: bool = False) -> int:
    """How wide a text is in letters of a height, rounded up; never less than it is in print."""
    told = sum(_heavy(letter) if heavy else _letter(letter) * 1000 for letter in text)
    return -(-told * height // 1_000_000)


def _heavy(letter: str) -> int:
    return _letter(letter) * (_HEAVIEST if letter in _SLIGHT else _HEAVY)


# A number, or two with a word between them, up to the end of its unit.
_BLANKS = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_NUMBER = rf"[+\-\N{{MINUS SIGN}}]?\d[\d.,{_BLANKS}]*"
_AMOUNT = lazy(
    rf"{_NUMBER}(?:[ {_BLANKS}]?[^\W\d]{{1,5}}[ {_BLANKS}]{_NUMBER})?(?:[ {_BLANKS}]?[^\W\d_]+|[ {_BLANKS}]?%)?"
)


def fitted(text: str, room: int, height: int, *, heavy: bool = False) -> str:
    """The text, or as much of its beginning as has room before an ellipsis; empty where nothing has."""
    if len(text) <= _LONGEST and width(text, height, heavy=heavy) <= room:
        return text
    kept, told = [], width(_MORE, height, heavy=heavy) * 1_000_000
    for letter in text[:_LONGEST]:
        told += (_heavy(letter) if heavy else _letter(letter) * 1000) * height
        if told > room * 1_000_000:
            break
        kept.append(letter)
    shown = "".join(kept)
    torn = (found.start() for found in _AMOUNT.finditer(text) if _is_torn(found, len(shown)))
    shown = shown[: next(torn, len(shown))].rstrip()
    return f"{shown}{_MORE}" if shown else ""


def _is_torn(amount: re.Match[str], at: int) -> bool:
    """A number that is cut off from its unit would say another thing: it goes as a whole."""
    return amount.start() < at < amount.end()


def uncut(text: str, room: int, height: int, *, heavy: bool = False) -> str:
    """The text where all of it has room, else nothing: half a number would be another number."""
    return text if width(text, height, heavy=heavy) <= room else ""
