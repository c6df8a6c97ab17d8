"""Text on a terminal: clean of control characters, aligned, wrapped, coloured only where wanted."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Sequence

from fiche.cli.streams import write_error, write_output
from fiche.render._columns import paragraph as in_columns
from fiche.render.visible import hidden

_NARROWEST = 40
_THINNEST = 12
_BESIDE = "  "
_KEPT = "\n\t"
_NO_BREAK = "\N{NO-BREAK SPACE}"


def width() -> int:
    """Columns to write in: those of the terminal, or of `COLUMNS`, or 100 where there is none."""
    from shutil import get_terminal_size

    return max(get_terminal_size((100, 24)).columns, _NARROWEST)


def colour() -> bool:
    """True where colour is wanted: a terminal that can show it, and no `NO_COLOR`."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def clean(text: str) -> str:
    """The text without what acts or hides on a screen: a fiche or a piece may be hostile (law 7)."""
    return "".join(c for c in text if c in _KEPT or not hidden(c))


def encoding() -> str:
    """The encoding of standard output."""
    return sys.stdout.encoding or "utf-8"


def put_text(text: str) -> None:
    """Write text on standard output, all of it or an error; what it has no sign for is escaped."""
    put_bytes(text.encode(encoding(), "backslashreplace"))


def put_json(document: object) -> None:
    """Write one JSON object on standard output: indented, ASCII, nothing else beside it."""
    import json

    put_bytes((json.dumps(document, indent=2, allow_nan=False) + "\n").encode("ascii"))


def put_bytes(content: bytes) -> None:
    """Write bytes on standard output.

    Raises:
        OSError: a full disk behind a redirection; never for a reader that has gone.
    """
    write_output(content)


def put_message(text: str) -> None:
    """Write one message on standard error, where it never mixes with results."""
    write_error(clean(text) + "\n")


def table(
    rows: Sequence[Sequence[str]],
    *,
    header: Sequence[str] = (),
    right: Sequence[int] = (),
    whole: Sequence[int] = (),
    columns: int | None = None,
    indent: str = "",
) -> str:
    """Aligned columns; the widest wrap until a line fits `columns`, if it can.

    `right` are the places of columns that align to the right, such as numbers; `whole` those that never
    wrap, such as ids that are to be copied. A no-break space keeps a number and its unit on one line, and
    is written as a space.
    """
    lines = [[clean(cell) for cell in row] for row in ([header] if header else []) + [*rows]]
    widths = _widths(lines, (columns or width()) - len(indent), whole)
    written = [_line(row, widths, right, indent) for row in lines]
    if header:
        ruler = indent + _BESIDE.join("-" * each for each in widths)
        written.insert(1, ruler + "\n")
    return "".join(written)


def _widths(lines: Sequence[Sequence[str]], columns: int, whole: Sequence[int]) -> list[int]:
    count = max((len(row) for row in lines), default=0)
    widths = [max((cells(r[c]) for r in lines if c < len(r)), default=0) for c in range(count)]
    over = sum(widths) + len(_BESIDE) * (count - 1) - columns
    free = [place for place in range(count) if place not in whole]
    least = [min(_longest_word(lines, place), _THINNEST) for place in range(count)]
    while over > 0 and (wide := [place for place in free if widths[place] > least[place]]):
        widest = max(wide, key=lambda place: widths[place])
        next_to_it = max((widths[place] for place in wide if place != widest), default=0)
        # At once down to the next one: a hostile cell has a million columns.
        step = min(over, widths[widest] - max(next_to_it, least[widest])) or 1
        widths[widest] -= step
        over -= step
    return widths


def _longest_word(lines: Sequence[Sequence[str]], place: int) -> int:
    words = (word for row in lines if place < len(row) for word in row[place].split(" "))
    return max(map(cells, words), default=0)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: str) -> str:
    wrapped = [_wrapped(cell, widths[place]) for place, cell in enumerate(row)]
    height = max((len(cell) for cell in wrapped), default=1)
    text = ""
    for level in range(height):
        cells = [
            _padded(cell[level] if level < len(cell) else "", widths[place], place in right)
            for place, cell in enumerate(wrapped)
        ]
        text += (indent + _BESIDE.join(cells)).rstrip() + "\n"
    return text.replace(_NO_BREAK, " ")


def _wrapped(cell: str, columns: int) -> list[str]:
    if cells(cell) <= columns:
        return [cell]
    return in_columns(cell, columns).split("\n")


def _padded(cell: str, columns: int, to_the_right: bool) -> str:
    gap = " " * max(columns - cells(cell), 0)
    return gap + cell if to_the_right else cell + gap


def cells(text: str) -> int:
    """Columns that a text takes: wide characters two, combining marks none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def paragraph(
    text: str, *, indent: str = "", hanging: str | None = None, columns: int | None = None
) -> str:
    """A wrapped paragraph that ends with a line feed; later lines stand under the first, or `hanging`."""
    from textwrap import wrap

    lines = wrap(
        clean(text),
        columns or width(),
        initial_indent=indent,
        subsequent_indent=" " * len(indent) if hanging is None else hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(lines) + "\n"


def asked_in_secret(prompt: str) -> str | None:
    """What somebody types at the terminal without seeing it; None where there is no terminal.

    An interruption gives the terminal its echo back first.
    """
    import getpass
    import signal

    if not sys.stdin.isatty():
        return None
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return getpass.getpass(clean(prompt))
    except EOFError:
        return None
    finally:
        signal.signal(signal.SIGINT, usual)
