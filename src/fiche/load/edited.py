"""Adding pieces to the text of a fiche: lines are put between its own, and nothing of it moves.

Comments, order, indentation, quotes and line ends stay as they are, for the text is never written anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fiche.kernel.diagnostic import Refused
from fiche.load.entry import Line, block_lines, flow_lines, json_text, plain
from fiche.load.fault import refused
from fiche.load.layout import Placed, layout
from fiche.load.node import plain_value
from fiche.load.source import Source, source
from fiche.load.tree import parse

Entry = tuple[Line, ...]
# A new list of pieces stands behind the last of these that a fiche has, as in the samples.
_BEFORE = ("margin", "reserve", "workload")
_STEP = 2


class Put(NamedTuple):
    """Text to put in before the character at an index."""

    at: int
    text: str


def with_pieces(read: Source, entries: Sequence[Entry]) -> str:
    """The text of a valid fiche with further pieces behind those that it has.

    Raises:
        Refused: F481 the result would not say the same and the new pieces.
    """
    text = read.text
    puts = _puts(text, layout(text), entries)
    for put in reversed(puts):
        text = text[: put.at] + put.text + text[put.at :]
    _check(read, text, entries)
    return text


def _check(read: Source, text: str, entries: Sequence[Entry]) -> None:
    """What stands in the new text is what stood in the old one, and the pieces: nothing else."""
    wanted = plain_value(parse(read))
    assert isinstance(wanted, dict)
    new = [_as_read(entry) for entry in entries]
    wanted = {**wanted, "pieces": [*wanted.get("pieces", ()), *new]}
    if _value(read.file, text) != wanted:
        raise refused(
            "F481",
            "pieces cannot be added to this text without changing what else it says",
            read.span(0),
            "end the file with a line feed, or add the piece by hand",
        )


def _value(file: str, text: str) -> object:
    """What a text says; nothing, where it is no YAML."""
    try:
        return plain_value(parse(source(file, text.encode("utf-8"))))
    except Refused:
        return None


def _as_read(entry: Entry) -> dict[str, object]:
    """The entry as the loader reads it: from the same lines, in the plainest layout."""
    lines = "\n".join(block_lines(entry, 0))
    (found,) = _items(plain_value(parse(source("", f"{lines}\n".encode()))))
    assert set(found) == set(plain(entry))
    return found


def _items(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return value


def _puts(text: str, root: Placed, entries: Sequence[Entry]) -> list[Put]:
    found = root.entries.get("pieces")
    if found is None and root.flow:
        return [_key_in_flow(text, root, entries)]
    if found is None:
        return [_key(text, root, entries)]
    _, pieces = found
    if pieces.flow:
        return _in_flow(text, pieces, entries, as_json=_as_json(text, root))
    return [_in_block(text, root, pieces, entries)]


# --- Block ----------------------------------------------------------------------------------------


def _key(text: str, root: Placed, entries: Sequence[Entry]) -> Put:
    """A new `pieces:` behind the keys that come before it, with a blank line where others have one."""
    column = _column(text, root.start)
    name = next((name for name in _BEFORE if name in root.entries), list(root.entries)[-1])
    at = _past_comments(text, _next_line(text, root.entries[name][1].end), column + 1)
    lines = [" " * column + "pieces:", *_block(entries, column + _STEP)]
    apart = _is_blank(text, at) or _blank_before(text, root.entries[name][0].start)
    apart = apart and not _keeps(text, root.entries[name][1].end)
    return Put(at, _lines(text, at, [*([""] if apart else []), *lines]))


def _in_block(text: str, root: Placed, pieces: Placed, entries: Sequence[Entry]) -> Put:
    column = _column(text, pieces.start)
    own = column if column > _column(text, root.start) else column + 1
    at = _past_comments(text, _next_line(text, pieces.end), own)
    lines = list(_block(entries, column))
    apart = len(pieces.items) > 1 and _blank_before(text, pieces.items[-1].start)
    if apart and not _keeps(text, pieces.end):
        lines.insert(0, "")
    return Put(at, _lines(text, at, lines))


def _block(entries: Sequence[Entry], column: int) -> list[str]:
    return [line for entry in entries for line in block_lines(entry, column)]


def _next_line(text: str, end: int) -> int:
    """The index where the line behind a value starts, or the end of the text."""
    if end and text[end - 1] == "\n":
        return end
    return text.find("\n", end) + 1 or len(text)


def _keeps(text: str, end: int) -> bool:
    """True behind a text that keeps the blank lines that follow it (`|+`)."""
    return text[:end].endswith("\n")


def _past_comments(text: str, at: int, column: int) -> int:
    """Behind the comments that follow at once and stand at least at `column`: they go with the value."""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        bare = text[at:end].lstrip(" ")
        if end - at - len(bare) < column or not bare.startswith("#"):
            break
        at = end
    return at


def _column(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _is_blank(text: str, at: int) -> bool:
    return at < len(text) and not text[at : text.find("\n", at) + 1 or len(text)].strip()


def _blank_before(text: str, at: int) -> bool:
    """True where the line above, comments left out, is a blank one."""
    lines = text[: text.rfind("\n", 0, at) + 1].split("\n")[-30:-1]
    while lines and lines[-1].lstrip().startswith("#"):
        lines.pop()
    return bool(lines) and not lines[-1].strip()


def _lines(text: str, at: int, lines: Sequence[str]) -> str:
    """The lines with the line ends of the text; a text that ends without one still does."""
    end = _line_end(text, at)
    joined = end.join(lines)
    if at and text[at - 1] != "\n":
        return end + joined
    return joined + end


def _line_end(text: str, at: int) -> str:
    before = text.rfind("\n", 0, at)
    if before < 0:
        before = text.find("\n")
    return "\r\n" if before > 0 and text[before - 1] == "\r" else "\n"


# --- Flow -----------------------------------------------------------------------------------------


def _in_flow(text: str, pieces: Placed, entries: Sequence[Entry], *, as_json: bool) -> list[Put]:
    """Items before the closing bracket, behind a comma where one is missing."""
    close = pieces.end - 1
    last = pieces.items[-1].end if pieces.items else pieces.start + 1
    missing = bool(pieces.items) and not _comma(text, last, close)
    if as_json:
        words = ", ".join(json_text(entry) for entry in entries)
        return [Put(last, f", {words}" if missing else words)]
    puts = [Put(last, ",")] if missing else []
    start = text.rfind("\n", last, close) + 1
    alone = start > 0 and not text[start:close].strip()
    outer = _indent(text, pieces.start)
    column = _item_column(
        text, pieces, max(outer, _column(text, close)) if alone else outer + _STEP
    )
    lines = _listed(entries, column)
    end = _line_end(text, close)
    if alone:
        return [*puts, Put(start, "".join(line + end for line in lines))]
    return [*puts, Put(close, end + "".join(line + end for line in lines) + " " * (outer + _STEP))]


def _item_column(text: str, pieces: Placed, outer: int) -> int:
    """Where items start: as the last one does, if it is the first thing on its line."""
    own = [
        one.start
        for one in pieces.items[-1:]
        if _indent(text, one.start) == _column(text, one.start)
    ]
    return _column(text, own[0]) if own else outer + _STEP


def _listed(entries: Sequence[Entry], column: int) -> list[str]:
    """The items, with a comma behind each but the last."""
    items = [list(flow_lines(entry, column)) for entry in entries]
    for item in items[:-1]:
        item[-1] += ","
    return [line for item in items for line in item]


def _comma(text: str, at: int, close: int) -> bool:
    """True where a comma stands between the last item and the bracket, comments left out."""
    lines = text[at:close].split("\n")
    return any("," in line.partition("#")[0] for line in lines)


def _key_in_flow(text: str, root: Placed, entries: Sequence[Entry]) -> Put:
    """A new key at the end of a text that is all braces, as JSON is."""
    last = list(root.entries.values())[-1][1].end
    quote = '"' if _as_json(text, root) else ""
    words = ", ".join(json_text(entry) for entry in entries)
    key = f"{quote}pieces{quote}: [{words}]"
    if _comma(text, last, root.end - 1):
        return Put(text.find(",", last) + 1, f" {key}")
    return Put(last, f", {key}")


def _as_json(text: str, root: Placed) -> bool:
    return root.flow and all(text[key.start] == '"' for key, _ in root.entries.values())


def _indent(text: str, at: int) -> int:
    """The indentation of the line on which an index stands."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return len(line) - len(line.lstrip(" "))
