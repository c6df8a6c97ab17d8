"""A report's folder as a crate: its files, and beside them as plain files what the PDF has attached."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from fiche.kernel.decision import Decision
from fiche.render import crate
from fiche.render.attachment import Attachment

FOLDER = "attachments"
_TYPES = {
    "html": "text/html",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
}
_SAID = {
    "html": "the report, in one page",
    "pdf": "the report on paper",
    "json": "the decision for machines",
    "csv": "a table of the decision",
    "md": "the report to paste",
}


def crate_files(
    decision: Decision, made: Mapping[str, bytes], attached: Sequence[Attachment], language: str
) -> dict[str, bytes]:
    """Every attachment under `attachments/`, and the metadata of them and of the files beside them."""
    beside = {f"{FOLDER}/{one.name}": one.content for one in attached}
    parts = [*_made(made), *(part(one, f"{FOLDER}/{one.name}") for one in attached)]
    return {**beside, crate.NAME: crate.crate_bytes(decision, parts, language)}


def _made(made: Mapping[str, bytes]) -> Iterator[crate.Part]:
    for name, content in made.items():
        ending = name.rpartition(".")[2]
        yield crate.Part(
            name=name,
            media_type=_TYPES[ending],
            num_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            description=_SAID[ending],
            is_made=True,
        )


def part(one: Attachment, name: str) -> crate.Part:
    """An attachment as a part of a crate; what fiche wrote itself is told from what it read."""
    return crate.Part(
        name=name,
        media_type=one.media_type,
        num_bytes=len(one.content),
        sha256=one.sha256,
        description=one.description,
        is_made=one.relationship in ("Alternative", "Supplement"),
        custody=one.custody,
    )
