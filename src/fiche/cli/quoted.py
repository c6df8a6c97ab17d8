"""The words that stand at a place of a text, as a window around the figure that was read there.

The text is the one that importers see: unpacked, in UTF-8, its lines counted by LF. A line may be as long as
the file; what is shown of it is bounded, and `…` says where something is left out.
"""

from __future__ import annotations

import re

from fiche.cli.quoted_json import member_text
from fiche.importers._pickle_opcodes import looks_like_pickle
from fiche.importers._snapshot_entry import entry_text
from fiche.kernel.address import Address, Pointer, Span

LONGEST = 240
_LINE = 1024 * 1024
_AROUND = 4096
_STEP = 1024 * 1024
# A message that a terminal or a logger broke goes on below.
_MOST_LINES = 12
_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_NUMBER = re.compile(r"[0-9][0-9,_']{0,40}(?:\.[0-9]{1,40})?")
_BETWEEN = "[,_' \u00a0\u202f]?"
_NO_COMMA = r"(?<![0-9],)"
_EDGE = 24
_BYTE = re.compile(r"byte ([0-9]{1,15})")
_ODD_IN = 10


def stands_at(address: Address, content: bytes, printed: str) -> str:
    """What stands at an address, around the figure as `printed`; empty for a place without words."""
    if isinstance(address, Span):
        line = _decoded(_lines(content, address.line, 1))
        start = _place_of(line, address)
        return "" if _garbled(line) else window(line, start, start + len(address.text))
    found = _at_pointer(address, content, printed)
    if found and not _garbled(found):
        return found
    told = _decoded(address.text.encode("utf-8", "replace"))
    return "" if _garbled(told) else around(told, printed)


def window(text: str, start: int, end: int) -> str:
    """At most `LONGEST` characters around a place, with `…` where the text goes on."""
    if len(text) <= LONGEST:
        return text
    room = LONGEST - 2
    first = max(0, min((start + end - room) // 2, start, len(text) - room))
    last = first + room
    if first:
        blank = text.find(" ", first, min(start, first + _EDGE))
        first = blank + 1 if blank >= 0 else first
    if last < len(text):
        blank = text.rfind(" ", max(end, last - _EDGE), last)
        last = blank if blank >= 0 else last
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"


def around(text: str, printed: str) -> str:
    """A window around the figure, or the start of the text where the figure is not in it."""
    return window(text, *(find(text, printed) or (0, 0)))


def find(text: str, printed: str) -> tuple[int, int] | None:
    """Where a figure stands in a text, as printed, else its number alone."""
    for pattern in _patterns(printed):
        match = pattern.search(text)
        if match is not None:
            return match.span()
    return None


# --- Lines --------------------------------------------------------------------------------------


def _at_pointer(address: Pointer, content: bytes, printed: str) -> str:
    if address.path is None:
        return _in_lines(content, address.line or 0, printed)
    byte = _BYTE.fullmatch(address.path)
    if byte is not None:
        first = max(0, int(byte[1]) - _AROUND)
        head = _decoded(content[first : int(byte[1])])
        text = head + _decoded(content[int(byte[1]) : int(byte[1]) + _AROUND])
        return window(text, *(_behind(text, printed, len(head)) or (len(head), len(head))))
    if not address.path or address.path.startswith("/"):
        part = content if address.line is None else _lines(content, address.line, 1)
        before, body, at = member_text(part, address.path)
        return before + window(body, *(_behind(body, printed, at) or (at, at)))
    if looks_like_pickle(content):
        return around(entry_text(content, address.sha256, address.path), printed)
    return ""


def _behind(text: str, printed: str, at: int) -> tuple[int, int] | None:
    found = find(text[at:], printed)
    return None if found is None else (found[0] + at, found[1] + at)


def _in_lines(content: bytes, line: int, printed: str) -> str:
    """The line, or where it breaks off before the figure, it and those below it."""
    text = _decoded(_lines(content, line, 1))
    found = find(text, printed)
    if found is None and printed:
        more = _decoded(_lines(content, line, _MOST_LINES))
        beyond = find(more, printed)
        if beyond is not None:
            return window(more, *beyond)
        return ""
    return window(text, *(found or (0, 0)))


def _lines(content: bytes, number: int, count: int) -> bytes:
    """So many lines from the one of that number, counted from 1; no more of each than is looked at."""
    at, left = 0, number - 1
    if left < 0:
        return b""
    for start in range(0, len(content), _STEP):
        inside = content.count(b"\n", start, start + _STEP)
        if inside >= left:
            at = start
            break
        left -= inside
    else:
        return b""
    for _ in range(left):
        at = content.find(b"\n", at) + 1
    end = at
    for _ in range(count):
        edge = content.find(b"\n", end, at + _LINE)
        end = (edge if edge >= 0 else min(at + _LINE, len(content))) + 1
    return content[at : end - 1]


def _decoded(line: bytes) -> str:
    """The words of a line: without colours, line ends and what a cut file is filled up with."""
    text = _COLOUR.sub("", line.decode("utf-8", "replace")).strip("\x00\r\n")
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def _place_of(line: str, span: Span) -> int:
    place = span.column - 1
    return place if line.startswith(span.text, place) else max(line.find(span.text), 0)


def _garbled(text: str) -> bool:
    """True for bytes that are no text: nothing of them may reach a terminal."""
    odd = sum(c == "\ufffd" or (c < " " and c not in "\t\x1b") for c in text)
    return odd * _ODD_IN > len(text)


# --- Figures ------------------------------------------------------------------------------------


def _patterns(printed: str) -> list[re.Pattern[str]]:
    """As printed, then its number alone; each at first not behind a comma, which can group digits."""
    number = _NUMBER.search(printed)
    sought = dict.fromkeys((printed.strip(), number[0] if number else ""))
    return [_pattern(words, comma) for words in sought if words for comma in (_NO_COMMA, "")]


def _pattern(words: str, before: str) -> re.Pattern[str]:
    """Digits may be grouped, blanks may be any: a figure is the same however a column is filled."""
    parts = [
        _BETWEEN.join(part) if part.isdecimal() and len(part) > 3 else re.escape(part)
        for part in re.findall(r"[0-9]+|\s+|[^0-9\s]+", words[:LONGEST])
        if not part.isspace()
    ]
    start = before + r"(?<![0-9.])" if words[0].isdecimal() else ""
    after = r"(?![0-9])(?!\.[0-9])" if words[-1].isdecimal() else r"(?!\w)"
    return re.compile(start + r"\s{0,16}".join(parts) + (after if words[-1].isalnum() else ""))
