"""The two things that `fiche import` does: show what files say, or add them to a fiche."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fiche.cli.evidence import Evidence, Wrong, read_evidence
from fiche.cli.terminal import colour, put_json, put_text
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused


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
    pieces, wrong = _redacted(files, kind) if redact else read_evidence(files, kind)
    if picture is not None and not wrong:
        _draw(pieces, picture)
    if pieces and json:
        refused = {"refused": [each.json() for each in wrong]} if wrong else {}
        put_json({"pieces": [piece.json() for piece in pieces], **refused})
    elif pieces:
        from fiche.cli.evidence_text import pieces_text

        put_text(pieces_text(pieces))
    if wrong:
        raise Refused([each.shown for each in wrong])


def _draw(pieces: Sequence[Evidence], picture: Path) -> None:
    from fiche.cli.output import write_file
    from fiche.render.timeline import timeline_svg

    if len(pieces) != 1:
        raise Refused([together("--picture draws one file", "import the files one by one")])
    try:
        drawn = timeline_svg(pieces[0].reading)
    except ValueError:
        hint = "a memory snapshot of PyTorch with a recorded trace has one"
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
    *,
    redact: bool,
    dry_run: bool,
    json: bool,
) -> None:
    """Add files as pieces to a fiche, and say what changed.

    Raises:
        Refused: F702 one name for several files, and whatever `attach.prepared` and `attach.write` refuse.
    """
    if name is not None and len(files) > 1:
        raise Refused([together("--name names one file", "import the files one by one")])
    from fiche.cli.attach import prepared, write
    from fiche.cli.attach_text import edit_json, edit_text

    edit = prepared(files, fiche, kind, name, redact=redact)
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
