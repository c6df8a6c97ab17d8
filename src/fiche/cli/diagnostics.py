"""Diagnostics as text: place, code, what is wrong, the line with a caret under it, a hint (law 4)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from fiche.assets import package_data
from fiche.cli.streams import write_error
from fiche.cli.terminal import cells
from fiche.kernel.address import Pointer, Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.load.folder import YAML_LIMIT, UnreadableError, read_file
from fiche.render.visible import hidden, visible

MOST_SHOWN = 50
LONGEST_LINE = 160
_BUILT_IN = "fiche:"
_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def put_refused(refused: Refused) -> None:
    """Write what a stage refused on standard error; in colour on a terminal that wants it."""
    wanted = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    coloured = wanted and os.environ.get("TERM") != "dumb"
    write_error(diagnostics_text(refused.diagnostics, refused.folder, colour=coloured))


def diagnostics_text(
    diagnostics: Iterable[Diagnostic], folder: str = "", *, colour: bool = False
) -> str:
    """Every diagnostic, up to a number nobody reads beyond; `folder` is where spans' files lie."""
    told = tuple(diagnostics)
    files: dict[str, list[str]] = {}
    shown = [_text(one, folder, files, colour) for one in told[:MOST_SHOWN]]
    if len(told) > MOST_SHOWN:
        shown.append(f"... and {len(told) - MOST_SHOWN} more\n")
    return "".join(shown)


def _text(one: Diagnostic, folder: str, files: dict[str, list[str]], colour: bool) -> str:
    bold, red, plain = (_BOLD, _RED, _PLAIN) if colour else ("", "", "")
    place = _place(one, folder)
    lines = [f"{bold}{place}{plain}{red}{one.code}{plain} {_one_line(one.message)}"]
    if isinstance(one.address, Span):
        lines += _excerpt(one.address, one.length, folder, files, partial(_paint, red, plain))
    if one.hint:
        lines.append(f"    hint: {_one_line(one.hint)}")
    return "\n".join(lines) + "\n"


def _paint(start: str, end: str, text: str) -> str:
    return f"{start}{text}{end}"


def _place(one: Diagnostic, folder: str) -> str:
    if isinstance(one.address, Span):
        name = _one_line(typed_name(one.address.file, folder))
        return f"{name}:{one.address.line}:{one.address.column}: "
    if isinstance(one.address, Pointer):
        return f"sha256:{_one_line(str(one.address))}: "
    return ""


def typed_name(file: str, folder: str) -> str:
    """The path of a file as its reader would type it: the folder of the fiche before its own name."""
    if file.startswith(_BUILT_IN) or folder in ("", "."):
        return file
    return str(Path(folder) / file)


def _one_line(text: str) -> str:
    """What a hostile text may put on a terminal: one line, nothing hidden or acting, not too long."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= 4 * LONGEST_LINE else f"{flat[: 4 * LONGEST_LINE]}…"


def _excerpt(
    span: Span, length: int, folder: str, files: dict[str, list[str]], paint: partial[str]
) -> list[str]:
    """The line of the file and a caret under the text concerned; nothing where the line is gone."""
    if span.file not in files:
        files[span.file] = _lines(span.file, folder)
    lines = files[span.file]
    if not 1 <= span.line <= len(lines):
        return []
    start = span.column - 1
    line, start = _window("".join(map(_visible, lines[span.line - 1].rstrip("\r"))), start)
    before = " " * cells(line[:start])
    marked = max(1, cells(line[start : start + length]))
    number = f"{span.line:>5} | "
    gap = " " * (len(number) - 2) + "| "
    return [f"{number}{line}".rstrip(), f"{gap}{before}{paint('^' * marked)}"]


def _lines(file: str, folder: str) -> list[str]:
    try:
        if file.startswith(_BUILT_IN):
            content = package_data(file.removeprefix(_BUILT_IN)).read_bytes()
        else:
            content = read_file(Path(folder) / file, file, YAML_LIMIT)
    except (OSError, UnreadableError):
        return []
    return content.decode("utf-8-sig", "replace").split("\n")


def _visible(character: str) -> str:
    """One character for one, so that the caret stays under what it means."""
    if character == "\t":
        return " "
    return "\N{REPLACEMENT CHARACTER}" if hidden(character) else character


def _window(line: str, start: int) -> tuple[str, int]:
    """The part of a long line around a place, and the place in it."""
    if len(line) <= LONGEST_LINE:
        return line, start
    first = max(0, min(start - LONGEST_LINE // 2, len(line) - LONGEST_LINE))
    part = line[first : first + LONGEST_LINE]
    lead, tail = "…" if first else "", "…" if first + LONGEST_LINE < len(line) else ""
    return f"{lead}{part}{tail}", start - first + len(lead)
