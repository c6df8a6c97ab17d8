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
from fiche.cli.output import exists, write_file
from fiche.cli.terminal import put_json, put_message
from fiche.kernel.diagnostic import Diagnostic, Refused
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
    _refuse_paths(found, output, refused, force=force)
    if refused is not None:
        write_file(refused, _refused_lines(found), force=force)
    write_file(output, content, force=force)
    if json:
        put_json(summary_json(found))
    put_message(summary_text(found))


def _refuse_paths(
    found: Sequence[Imported], output: Path, refused: Path | None, *, force: bool
) -> None:
    """Both files or none, and never a listing: what others wrote stays as it was received (law 6).

    Raises:
        Refused: F610 one of them is there already, is a listing, or both are one.
    """
    listings = {Path(one.file).resolve() for one in found}
    wanted = [path for path in (output, refused) if path is not None]
    for path in wanted:
        if path.resolve() in listings:
            raise Refused([_taken(f"{path} is a listing that is imported")])
        if not force and (path.exists() or path.is_symlink()):
            raise Refused([exists(path)])
    if len({path.resolve() for path in wanted}) != len(wanted):
        raise Refused([_taken(f"{output} cannot hold the offers and the refused rows")])


def _taken(message: str) -> Diagnostic:
    return Diagnostic(code="F610", message=message, address=None, hint="choose another name")


def _refused_lines(found: Sequence[Imported]) -> bytes:
    import json

    rows = (refusal_json(refusal, one.file) for one in found for refusal in one.refused)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
