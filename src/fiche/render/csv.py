"""The tables of a decision as CSV (RFC 4180, UTF-8), for spreadsheets and data frames, with their descriptor.

Every number stands exactly, as reports print it, and with its unit, its basis and its id in decision.json. An
empty cell is what is not told: never zero. A cell of words that a spreadsheet would take for a formula begins
with an apostrophe; no number is touched.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fiche.kernel.decision import Decision
from fiche.kernel.ledger import ledger
from fiche.render._identity import fiche_id
from fiche.render._rows import COLUMNS, Numbers, rows_of
from fiche.render.canonical import canonical
from fiche.render.json import decision_document
from fiche.render.visible import visible
from fiche.report import numbers

FOLDER = "tables"
DESCRIPTOR = "datapackage.json"
_NUMBER = re.compile(r"-?[0-9]+(?:[./][0-9]+)?")
# What spreadsheets take for the beginning of a formula, also in its wide form and after blanks.
_FORMULA = re.compile(r"[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_QUOTED = re.compile(r'[",\r\n]')


def csv_files(decision: Decision, document: bytes) -> dict[str, bytes]:
    """The tables and their descriptor, by name; `document` are the bytes of decision.json."""
    made = {f"{name}.csv": _content(rows) for name, rows in tables(decision).items()}
    described = _descriptor(decision, made, document)
    return {**made, DESCRIPTOR: canonical(described)}


def tables(decision: Decision) -> dict[str, list[list[str]]]:
    """Every table by name, its heading first; of what decision.json says and of nothing else."""
    document = decision_document(decision)
    told = Numbers(
        figures={one["id"]: one for one in document["figures"]},
        printed={name: numbers.amount(n) for name, n in ledger(decision).figures.items()},
    )
    return {name: _table(name, document, told) for name in COLUMNS}


def _table(name: str, document: Mapping[str, Any], told: Numbers) -> list[list[str]]:
    columns = [column.name for column in COLUMNS[name]]
    rows = rows_of(name, document, told)
    return [columns, *([_text(row.get(column)) for column in columns] for row in rows)]


def _text(value: object) -> str:
    """Words as a reader sees them; what is not told is empty."""
    if value is None:
        return ""
    told = visible(str(value))
    if _NUMBER.fullmatch(told) or not _FORMULA.match(told):
        return told
    return f"'{told}"


def line(values: Sequence[object]) -> str:
    """One line of a table, its words inert for a spreadsheet; None is what is not told."""
    return f"{','.join(_field(_text(value)) for value in values)}\r\n"


def _content(rows: Sequence[Sequence[str]]) -> bytes:
    return "".join(f"{','.join(map(_field, row))}\r\n" for row in rows).encode("utf-8")


def _field(text: str) -> str:
    if not _QUOTED.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


# --- The descriptor -------------------------------------------------------------------------------


def _descriptor(
    decision: Decision, made: Mapping[str, bytes], document: bytes
) -> dict[str, object]:
    """A Data Package of Frictionless: columns with their types, files with their digests."""
    fiche = decision.fiche
    digest = hashlib.sha256(document).hexdigest()
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "fiche-tables",
        "id": fiche_id(fiche),
        "title": fiche.title,
        "created": f"{fiche.date}T00:00:00Z",
        "version": decision.tool_version,
        "description": (
            f"Tables of decision.json, sha256 {digest}. Empty cells are what is not told. Words that a "
            "spreadsheet would take for a formula begin with an apostrophe."
        ),
        "resources": [_resource(file, content) for file, content in made.items()],
    }


def _resource(file: str, content: bytes) -> dict[str, object]:
    name = file.removesuffix(".csv")
    fields = [
        {"name": column.name, "type": column.kind, "description": column.about}
        for column in COLUMNS[name]
    ]
    return {
        "name": name,
        "path": file,
        "type": "table",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "dialect": {"lineTerminator": "\r\n", "doubleQuote": True, "header": True},
        "schema": {"fields": fields, "missingValues": [""]},
    }
