"""The tables that matter most on a narrow screen: each row stacked, each cell under the name of its column.

A table of seven columns would scroll sideways there. It stays a table to those who listen: only its looks
change, and its head, out of sight, still names its columns.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from fiche.report.parts import Column, Report, Table

# On paper tables are as wide as a page; elsewhere on a screen a box scrolls.
_NARROW = "(max-width:30rem)"
_STACKED = (
    *("points", "musts", "wants", "cited", "held", "candidates", "missing", "criteria"),
    *("matrix", "pairs", "latest", "leaving", "named"),  # of an archive
)
_FILES = "attachments"
_SPECIAL = re.compile(r'[\\"<>&\n]')
_RULES = """\
{t}{{
& thead{{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
&,& caption,& tbody,& tr,& th{{display:block}}
& tbody tr{{padding:.4rem 0}}
& tbody th{{padding:0 0 .2rem;min-width:0}}
& td:not(#_){{display:flow-root;padding:.1rem 0 .1rem 8rem;text-align:left}}
& td:not(#_){{width:auto;min-width:0;max-width:none}}
& td *{{white-space:normal;overflow-wrap:anywhere}}
& td::before{{float:left;width:7.5rem;margin-left:-8rem;color:var(--quiet);font-size:.8125rem}}
& td::before{{overflow-wrap:anywhere}}
& td i{{min-width:0}}
}}
"""


def stacked(report: Report) -> Markup:
    """Rules for a narrow screen, of the tables that the report has; a cell is found from its row's end.

    From its beginning would not do: a cell that spans rows stands in the first of them only.
    """
    found = [table for table in _tables(report) if table.id in (*_STACKED, _FILES)]
    if not found:
        return Markup("")
    every = ":is({})".format(",".join(f"#table-{table.id}" for table in found))
    told = _RULES.format(t=every).replace("\n", "")
    return Markup(f"@media {_NARROW}{{{told}{''.join(map(_named, found))}}}")


def _tables(report: Report) -> list[Table]:
    """Those of the sections, and that of the attached files, which no section has."""
    found = [b for section in report.sections for b in section.blocks if isinstance(b, Table)]
    columns = tuple(Column(title=title) for title in report.chrome.attachments_columns)
    return [*found, Table(id=_FILES, caption="", columns=columns, rows=())]


def _named(table: Table) -> str:
    """The name of each column before each of its cells; a row's first cell is its own heading."""
    titles = [column.title for column in table.columns]
    return "".join(
        f'#table-{table.id} td:nth-last-child({place})::before{{content:"{_quoted(title)}"}}'
        for place, title in enumerate(reversed(titles[1:]), 1)
    )


def _quoted(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{ord(found[0]):x} ", text)
