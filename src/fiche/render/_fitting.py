"""The part of a print sheet that one page needs: widths of tables that are not in it say nothing there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fiche.report.parts import Callout, Report, Table

# A rule of which every selector begins with tables: `#table-bill …`, or `[id^="table-peaks-"] …` of several.
_SELECTOR = r'(?:#table-[\w-]+|\[id\^="table-[\w-]+"\])[^{},]*'
_RULE = re.compile(rf"(?<=[}};{{])((?:{_SELECTOR},)*{_SELECTOR})(\{{[^{{}}]*\}})")
_NAMED = re.compile(r"#(table-[\w-]+)|\[id\^=\"(table-[\w-]+)\"\]")
# The template's own.
_ATTACHMENTS = "table-attachments"


def fitting(sheet: str, report: Report) -> str:
    """A sheet without blanks, less the rules of tables that the report has not."""
    there = {_ATTACHMENTS, *tables(report)}
    return _RULE.sub(lambda found: _kept(found, there), sheet)


def tables(report: Report) -> Iterator[str]:
    """The ids of tables, as a page has them."""
    for section in report.sections:
        yield from _inside(section.blocks)
    yield from _inside(report.opening)


def _inside(blocks: Iterable[object]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Table):
            yield f"table-{block.id}"
        elif isinstance(block, Callout):
            yield from _inside(block.blocks)


def _kept(rule: re.Match[str], there: set[str]) -> str:
    selectors = [each for each in rule[1].split(",") if _applies(each, there)]
    return ",".join(selectors) + rule[2] if selectors else ""


def _applies(selector: str, there: set[str]) -> bool:
    name, beginning = _NAMED.match(selector).groups()  # type: ignore[union-attr]
    return name in there if name else any(each.startswith(beginning) for each in there)
