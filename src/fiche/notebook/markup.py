"""Small tables of HTML that read on a light page and on a dark one: nothing but escaped text inside.

Colours are the page's own; lines are a half-transparent grey. No script, no class, no address.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fiche.kernel.record import record
from fiche.render.visible import visible

_LINE = "border-bottom:1px solid rgba(128,128,128,.45)"
_CELL = f"padding:.25em .55em;text-align:left;vertical-align:top;{_LINE}"
_NUMBER = f"padding:.25em .55em;text-align:right;vertical-align:top;white-space:nowrap;{_LINE}"
_TABLE = "border-collapse:collapse;margin:.4em 0;color:inherit;background:transparent"
_QUIET = "opacity:.75;font-size:90%"


@record(kw_only=False)
class Told:
    """A cell: its words, what stands small below them, and whether it is a number."""

    text: str
    below: str = ""
    is_number: bool = False


def safe(text: str) -> str:
    """Text as a page shows it: nothing of it acts (law 7)."""
    return escape(visible(text))


def table(caption: str, header: Sequence[str], rows: Sequence[Sequence[Told]]) -> str:
    """A table with a caption; every cell says its own unit."""
    numbers = {place for row in rows for place, cell in enumerate(row) if cell.is_number}
    head = "".join(
        f'<th scope="col" style="{_NUMBER if place in numbers else _CELL}">{safe(each)}</th>'
        for place, each in enumerate(header)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    title = f'<caption style="text-align:left;{_QUIET}">{safe(caption)}</caption>'
    return f'<table style="{_TABLE}">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(told: Told) -> str:
    small = f'<br><span style="{_QUIET}">{safe(told.below)}</span>' if told.below else ""
    return f'<td style="{_NUMBER if told.is_number else _CELL}">{safe(told.text)}{small}</td>'


def heading(text: str, below: str = "") -> str:
    """A line in bold, and a quiet one."""
    return f"<p><strong>{safe(text)}</strong>{quiet(below)}</p>"


def quiet(text: str) -> str:
    """A line of small words; nothing for no words."""
    return f'<br><span style="{_QUIET}">{safe(text)}</span>' if text else ""


def listed(title: str, items: Sequence[str]) -> str:
    """A list under its title; nothing where there is none."""
    if not items:
        return ""
    return f"<p>{safe(title)}</p><ul>{''.join(f'<li>{safe(item)}</li>' for item in items)}</ul>"


def block(*parts: str) -> str:
    """All of it as one element."""
    return f'<div style="color:inherit;font-family:inherit">{"".join(parts)}</div>'
