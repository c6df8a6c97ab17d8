"""The end of an import: files written, the summary told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fiche.cli.offers_import import (
    merged_bytes,
    refusal_json,
    strictly,
    summary_json,
    summary_text,
)
from fiche.cli.output import write_file
from fiche.cli.terminal import put_json, put_message
from fiche.market._room import Imported


def finish(
    found: Sequence[Imported],
    output: Path,
    refused: Path | None,
    *,
    strict: bool,
    force: bool,
    json: bool,
) -> None:
    """Write the offers, and the refused rows where they are wanted.

    Raises:
        Refused: a row is refused and `strict` is asked for, or a file cannot be written.
    """
    if strict:
        strictly(found)
    content = merged_bytes(found, output)
    if refused is not None:
        write_file(refused, _refused_lines(found), force=force)
    write_file(output, content, force=force)
    if json:
        put_json(summary_json(found))
    put_message(summary_text(found))


def _refused_lines(found: Sequence[Imported]) -> bytes:
    import json

    rows = (refusal_json(refusal, one.file) for one in found for refusal in one.refused)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
