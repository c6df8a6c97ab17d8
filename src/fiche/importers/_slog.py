"""Lines of Go's structured logger as Ollama writes them: `key=value`, values quoted where they hold blanks.

`format/bytes.go`: sizes in a log have one decimal and binary units (`HumanBytes2`); the table of `ollama ps`
has decimal units, one decimal below ten and whole numbers, cut down, from ten on (`HumanBytes`).
"""

from __future__ import annotations

import re

from fiche.importers._figures import GIB, KIB, MIB, floored, nearest
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import exact_bytes

_PAIR = lazy(
    r"(?:\"(?P<quoted>[a-z][\w. ]{0,60})\"|(?P<key>[A-Za-z][\w.]{0,80}))="
    r"(?:\"(?P<text>(?:[^\"\\]|\\.){0,4000})\"|(?P<word>[^\s\"]{0,400}))"
)
_BINARY = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": GIB << 10}
_DECIMAL = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = lazy(r"(?P<number>-?[0-9]{1,15}(?:\.[0-9]{1,3})?)\s{0,9}(?P<unit>[KMGT]i?B|B)")
_FEW = 64


def fields(text: str) -> dict[str, str]:
    """The fields of one line; of equal keys the first."""
    found: dict[str, str] = {}
    for match in _PAIR.finditer(text):
        key = match["quoted"] or match["key"]
        value = match["text"] if match["text"] is not None else match["word"]
        found.setdefault(key, value)
    return found


def amounts(value: str) -> list[Printed]:
    """The sizes of a value: one, or a list in brackets with one for each device."""
    return [binary(match) for match in _SIZE.finditer(value[:4000])][:_FEW]


def amount(value: str) -> Printed | None:
    """The size that a value is; a plain number is a count of bytes."""
    if re.fullmatch(r"[0-9]{1,18}", value):
        return exact_bytes(int(value))
    match = _SIZE.fullmatch(value)
    return None if match is None else binary(match)


def binary(match: re.Match[str]) -> Printed:
    """A size of the log, with one decimal; bytes are exact."""
    number, unit = match["number"], match["unit"]
    if unit == "B":
        return exact_bytes(int(number.partition(".")[0]), f"{number} B")
    unit_bytes = _BINARY.get(unit) or _DECIMAL[unit]
    return nearest(number, f" {unit}", unit_bytes, signed=number.startswith("-"))


def decimal(number: str, unit: str) -> Printed:
    """A size of the table: cut down from ten on, to the nearest tenth below."""
    if unit == "B":
        return exact_bytes(int(number.partition(".")[0]), f"{number} B")
    cut = "." not in number
    return (floored if cut else nearest)(number, f" {unit}", _DECIMAL[unit])
