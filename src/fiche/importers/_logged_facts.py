"""Scope facts of serving logs, under the words of a fiche: a program's name for a thing is translated.

A word that has no counterpart stays with the program's own settings (`engine.settings.*`), where it is shown
and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.importers._lines import Line
from fiche.importers._sheet import Sheet
from fiche.kernel.lazy import lazy

_FORMATS = {
    "bfloat16": "bf16",
    "bf16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "f16": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "f32": "fp32",
    "float8_e4m3fn": "fp8_e4m3",
    "fp8": "fp8_e4m3",
    "fp8_e4m3": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "fp8_e5m2": "fp8_e5m2",
}
_HUB_NAME = lazy(r"([A-Za-z0-9][\w.-]{0,95})/[\w.-]{1,95}")
# First parts of relative paths, which look like the names of a hub.
_FOLDERS = frozenset({"models", "model", "checkpoints", "weights", "data", "tmp", "mnt", "home"})
_PAIR = lazy(
    r"[\"']?\b(?P<key>[a-z][a-z_0-9]{1,40})[\"']?(?:=|: ?)"
    r"(?P<value>'[^']{0,300}'|\"[^\"]{0,300}\"|[\w.:/+-]{1,200})"
)
_UNSET = frozenset({"None", "", "null"})


def format_word(word: str) -> str | None:
    """The fiche's word for a data type, or None where there is none."""
    return _FORMATS.get(word.removeprefix("torch.").lower())


def pairs(text: str) -> dict[str, str]:
    """`key=value` and `'key': value` of a line of settings, quotes taken off; the first of equal keys."""
    found: dict[str, str] = {}
    for match in _PAIR.finditer(text):
        value = match["value"].strip("'\"")
        if value not in _UNSET:
            found.setdefault(match["key"], value.rstrip(".,"))
    return found


def model_fact(sheet: Sheet, line: Line, name: str) -> None:
    """The model's name as its source writes it; a path of the machine is no name."""
    hub = _HUB_NAME.fullmatch(name)
    if hub is not None and hub[1].lower() not in _FOLDERS:
        sheet.fact(line, "model.name", name)
    else:
        sheet.fact(line, "engine.settings.model", name)


def settings(sheet: Sheet, line: Line, told: Mapping[str, str], kept: frozenset[str]) -> None:
    """The settings that change memory, by the program's own names."""
    for key, value in told.items():
        if key in kept:
            sheet.fact(line, f"engine.settings.{key}", value)


def compute_format(sheet: Sheet, line: Line, word: str) -> None:
    """The format that the arithmetic runs in, where the program names one."""
    known = format_word(word)
    if known is not None:
        sheet.fact(line, "formats.compute", known)


def device_fact(sheet: Sheet, line: Line, index: int, name: str) -> None:
    """The name of a device; `device` is that of the first, to be held against the card's."""
    sheet.fact(line, f"devices.{index}.name", name)
    if "device" not in sheet.facts:
        sheet.fact(line, "device", name)
