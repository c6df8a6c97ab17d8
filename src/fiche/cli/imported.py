"""The two things that `fiche import` does: show what files say, or add them to a fiche."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fiche.cli.evidence import Evidence, Wrong, read_evidence
from fiche.cli.terminal import colour, put_json, put_text
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused

if TYPE_CHECKING:
    from fiche.cli.attach_read import Brought

# What an entry of an archive is called among files.
PREFIX = "archive:"


def show(
    files: Sequence[Path],
    kind: str | None,
    *,
    redact: bool,
    json: bool,
    picture: Path | None,
    alone: Sequence[str],
) -> None:
    """Print what files say, read from redacted texts where that is asked; `picture` is drawn beside it.

    What can be read is printed, whatever is wrong with other files.

    Raises:
        Refused: F702 an option that goes with `--to` only, or nothing to draw; F610, F611 the picture
            cannot be written; and then whatever is wrong with a file.
    """
    if alone:
        message = f"{', '.join(alone)}: nothing is stored without --to"
        raise Refused([together(message, "name the fiche: --to fiche.yaml")])
    _see_that_none_is_archived(files)
    if any(file.is_dir() for file in files):
        _show_folder(files, kind, redact=redact, json=json, picture=picture)
        return
    pieces, wrong = _redacted(files, kind) if redact else read_evidence(files, kind)
    if picture is not None and not wrong:
        _draw(pieces, picture)
    if pieces and json:
        refused = {"refused": [each.json() for each in wrong]} if wrong else {}
        put_json({"pieces": [piece.json() for piece in pieces], **refused})
    elif pieces:
        from fiche.cli.evidence_text import pieces_text

        put_text(_table(pieces) if len(pieces) > _MANY else pieces_text(pieces))
    if wrong:
        raise Refused([each.shown for each in wrong])


def _see_that_none_is_archived(files: Sequence[Path]) -> None:
    """An entry is brought to a fiche; what it says is shown by the archive itself."""
    named = next((str(file) for file in files if str(file).startswith(PREFIX)), "")
    if named:
        hint = f"name the fiche: --to fiche.yaml; or fiche archive show {named.removeprefix(PREFIX)[:60]}"
        raise Refused([together(f"{named[:80]} is brought to a fiche, and none is named", hint)])


# A table says more than so many pages.
_MANY = 12


def _table(pieces: Sequence[Evidence]) -> str:
    """One line a file: its records each with outcome and peaks, other evidence by its kind."""
    from fiche.cli.evidence_text import one_line_each
    from fiche.cli.record_files import rows
    from fiche.cli.record_table import records_text

    named = {piece.file: piece for piece in pieces if piece.reading.kind == "fiche_record"}
    named.pop("-", None)
    told, _ = rows([Path(file) for file in named])
    others = [piece for piece in pieces if piece.file not in named]
    parts = [records_text(told) if told else "", one_line_each(others) if others else ""]
    return "\n".join(filter(None, parts))


def _show_folder(
    files: Sequence[Path], kind: str | None, *, redact: bool, json: bool, picture: Path | None
) -> None:
    from fiche.cli.record_table import show_folder

    given = [("--kind", kind), ("--redact", redact), ("--picture", picture)]
    told = [option for option, value in given if value]
    if told or len(files) > 1:
        message = f"{', '.join(told) or 'several names'}: a folder of records is shown alone"
        raise Refused([together(message, "name its files one by one")])
    show_folder(files[0], json=json)


def put_together(files: Sequence[Path], target: Path, *, json: bool, alone: Sequence[str]) -> None:
    """Write the records of all ranks of a run as one; see `merging.merge`."""
    from fiche.cli.merging import merge

    merge(files, target, as_json=json, alone=alone)


def _draw(pieces: Sequence[Evidence], picture: Path) -> None:
    from fiche.cli.output import write_file
    from fiche.render.timeline import timeline_svg

    if len(pieces) != 1:
        raise Refused([together("--picture draws one file", "import the files one by one")])
    try:
        drawn = timeline_svg(pieces[0].reading)
    except ValueError:
        hint = "a memory snapshot of PyTorch with a recorded trace has one, and a simulation"
        raise Refused([together(f"{pieces[0].file} holds nothing to draw", hint)]) from None
    write_file(picture, drawn.encode(), force=False)


def _redacted(
    files: Sequence[Path], kind: str | None
) -> tuple[tuple[Evidence, ...], tuple[Wrong, ...]]:
    from fiche.cli.attach_read import received

    found, wrong = received(files, kind, None, redact=True)
    pieces = tuple(
        Evidence(
            file=one.name,
            sha256=one.sha256,
            num_bytes=len(one.content),
            reading=one.reading,
            redacted=one.redacted,
        )
        for one in found
    )
    return pieces, wrong


def attach(
    files: Sequence[Path],
    fiche: Path,
    kind: str | None,
    name: str | None,
    archive: str | None,
    *,
    redact: bool,
    dry_run: bool,
    json: bool,
) -> None:
    """Add files as pieces to a fiche, and say what changed.

    Raises:
        Refused: F702 one name for several files, and whatever `attach.prepared` and `attach.write` refuse.
    """
    if any(file.is_dir() for file in files):
        from fiche.cli.record_files import expanded

        files = tuple(expanded(files))
    if name is not None and len(files) > 1:
        raise Refused([together("--name names one file", "import the files one by one")])
    brought: Mapping[Path, Brought] = {}
    if any(str(file).startswith(PREFIX) for file in files):
        from fiche.cli.attach_archive import brought_from

        brought = brought_from(files, archive)
    from fiche.cli.attach import prepared, write
    from fiche.cli.attach_text import edit_json, edit_text

    edit = prepared(files, fiche, kind, name, brought, redact=redact)
    written = not dry_run
    if written and edit.old != edit.new:
        write(edit)
    if json:
        from fiche.importers._vocabulary import piece_json

        taken = [piece.received for piece in edit.pieces]
        pieces = [piece_json(o.shown, o.sha256, len(o.content), o.reading) for o in taken]
        put_json({"pieces": pieces, "attached": edit_json(edit, written=written)})
    else:
        put_text(edit_text(edit, written=written, colour=colour()))
