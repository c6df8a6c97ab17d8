"""Metrics that training programs write as dictionaries: JSON files, JSON lines, printed dictionaries.

The same keys stand in a file of results, in a trainer's state and in the log (evidence_formats 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiche.importers import _json
from fiche.importers._lines import Line, lines
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy

_REACH = 2_000
_DOCUMENT = lazy(rb"\s{0,1000}(?:\[\s{0,1000})?\{\s{0,1000}\"")
_STEPS = ("step", "current_steps", "global_step")


class Value(NamedTuple):
    """One value of a dictionary: as printed, where, and whether the program wrote it as text."""

    key: str
    text: str
    place: Line | Pointer
    quoted: bool = False


class Entry(NamedTuple):
    """The wanted values of one dictionary, and the step that stands beside them."""

    values: tuple[Value, ...]
    step: int | None = None

    def text(self, key: str) -> str | None:
        """A value as printed; None where the key is not there."""
        return next((value.text for value in self.values if value.key == key), None)

    def place(self, key: str) -> Line | Pointer:
        """Where a value stands; the first one's place for a key that is not there."""
        return next((v.place for v in self.values if v.key == key), self.values[0].place)


def pairs(keys: str) -> re.Pattern[str]:
    """The pattern of one pair in a printed dictionary; `keys` is the source of a pattern of keys."""
    return lazy(
        rf"(['\"])(?P<key>{keys})\1\s{{0,9}}:\s{{0,9}}(?P<quote>['\"]?)"
        r"(?P<value>-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?|Not available)"
        r"['\"]?\s{0,9}(?=[,}])"
    )


def entries(
    content: bytes, sha256: str, keys: str, anchors: Sequence[bytes], what: str
) -> Iterator[Entry]:
    """Every dictionary that holds one of the keys, in order.

    Raises:
        Refused: the file is one JSON document, and a broken one (F428); `what` names it.
    """
    found = False
    if is_document(content):
        for entry in _in_document(_json.document(content, sha256, what), sha256, keys):
            found = True
            yield entry
    if not found:  # also a log inside a record of somebody else's
        yield from _in_lines(content, keys, anchors)


def is_document(content: bytes) -> bool:
    """True for one JSON document: neither a printed dictionary, nor one JSON object a line, nor a log."""
    if _DOCUMENT.match(content) is None:
        return False
    first, _, rest = content.strip().partition(b"\n")
    if not rest:
        return True
    try:
        _json.value_of(first)
    except _json.NotJsonError:
        return True
    return False


def _in_document(document: object, sha256: str, keys: str) -> Iterator[Entry]:
    wanted = lazy(keys)
    for path, item in _json.walk(document):
        if not isinstance(item, dict):
            continue
        values = tuple(
            Value(key, str(item[key]), _json.pointer(sha256, (*path, key), item[key]))
            for key in item
            if wanted.fullmatch(key) and not isinstance(item[key], (dict, list, bool))
        )
        if values:
            yield Entry(values, _step(item))


def _step(item: dict[str, object]) -> int | None:
    return next((step for key in _STEPS if (step := _json.whole(item.get(key))) is not None), None)


_STEP = pairs("|".join(_STEPS))


def _in_lines(content: bytes, keys: str, anchors: Sequence[bytes]) -> Iterator[Entry]:
    pattern = pairs(keys)
    for line, text in whole_dictionaries(content, anchors):
        values = tuple(
            Value(_even(found["key"]), found["value"], line, bool(found["quote"]))
            for found in pattern.finditer(text)
        )
        if values:
            step = _STEP.search(text)
            yield Entry(values, _json.whole(step["value"]) if step else None)


def _even(key: str) -> str:
    """A key as its program writes it, where a wrap took or added the blank in front of its unit."""
    return re.sub(r"\s{0,9}\(", " (", key) if " (" in key else key


def whole_dictionaries(content: bytes, anchors: Sequence[bytes]) -> Iterator[tuple[Line, str]]:
    """Lines that hold an anchor, each with the lines that a terminal made of its dictionary."""
    done = -1
    for line in lines(content, anchors):
        if line.start < done:
            continue
        text = line.text
        begun = text.rfind("{")
        if begun >= 0 and "}" not in text[begun:]:
            text = line.joined
            end = content.find(b"}", line.stop, line.stop + _REACH)
            done = end if end >= 0 else done
        yield line, text
