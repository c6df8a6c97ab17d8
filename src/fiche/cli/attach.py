"""`fiche import --to`: files become pieces of a fiche, whose own text stays as it is but for new lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fiche.cli.attach_alike import Alike, KnownTexts
from fiche.cli.attach_entry import Attachment, entry, to_complete, unvouched
from fiche.cli.attach_facts import Compared, compared
from fiche.cli.attach_place import (
    FilesToCome,
    Place,
    check_name,
    free_id,
    inside,
    pieces_folder,
    placed,
    redacted_name,
)
from fiche.cli.attach_read import Brought, Received, received
from fiche.cli.compile import importers
from fiche.kernel.catalog import Card
from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record, replace
from fiche.load.edited import with_pieces
from fiche.load.fiche import load_bytes, load_fiche
from fiche.load.folder import YAML_LIMIT, DiskFolder, UnreadableError, followed, read_file
from fiche.load.pieces import DOCUMENT_KINDS
from fiche.load.source import source

_BOM = b"\xef\xbb\xbf"


@record
class Attached:
    """A file and what became of it: the id and place of its piece, what it states, what is to complete.

    `again` is the id of the piece that holds the same bytes already; then nothing was added for it. `alike` is
    a piece that says the same otherwise. `unvouched`: its scope is written as comments, for want of an author.
    """

    received: Received
    id: str
    place: Place
    facts: Compared
    to_complete: tuple[str, ...]
    unvouched: bool = False
    alike: Alike | None = None
    again: str = ""


@record
class Edit:
    """A fiche before and after, and the files to come; nothing of it is written yet.

    `old` and `new` are its texts, `content` the bytes to write.
    """

    fiche: Path
    old: str
    new: str
    before: bytes
    content: bytes
    files: dict[str, bytes]
    pieces: tuple[Attached, ...]


def prepared(
    files: Sequence[Path],
    fiche: Path,
    kind: str | None,
    name: str | None,
    brought: Mapping[Path, Brought] | None = None,
    *,
    redact: bool,
) -> Edit:
    """Everything that would be written, after reading it back; `brought` are those that come out of an archive.

    Raises:
        Refused: the fiche or a file is wrong; nothing can be put into its text (F481), or nowhere (F482).
    """
    fiche = followed(fiche)
    loaded = load_fiche(fiche, importers())
    before = loaded.contents[fiche.name]
    taken, wrong = received(files, kind, name, brought, redact=redact)
    if wrong:
        raise Refused([each.shown for each in wrong])
    cards = _cards(loaded.fiche)
    coming = FilesToCome(DiskFolder(fiche.parent))
    texts = KnownTexts(loaded.fiche.pieces, loaded.contents)
    pieces = tuple(_attached(taken, loaded.fiche, cards, coming, texts))
    new = [piece for piece in pieces if not piece.again]
    read = source(fiche.name, before)
    entries = [entry(_written(piece), loaded.fiche, cards) for piece in new]
    text = with_pieces(read, entries) if new else read.text
    content = (_BOM if before.startswith(_BOM) else b"") + text.encode("utf-8")
    edit = Edit(
        fiche=fiche,
        old=read.text,
        new=text,
        before=before,
        content=content,
        files=coming.files,
        pieces=pieces,
    )
    if new:
        _read_back(edit, coming)
    return edit


def _cards(fiche: Fiche) -> tuple[Card, ...]:
    from fiche.load.catalog import builtin_catalog

    own = {one.card.id: one.card for one in fiche.candidates if one.card is not None}
    return tuple({**builtin_catalog().cards, **own}.values())


def _attached(
    taken: Sequence[Received],
    fiche: Fiche,
    cards: Sequence[Card],
    coming: FilesToCome,
    texts: KnownTexts,
) -> list[Attached]:
    known = {piece.sha256: (piece.id, piece.file) for piece in fiche.pieces}
    ids = {piece.id for piece in fiche.pieces}
    found: list[Attached] = []
    for one in taken:
        again = known.get(one.sha256)
        place = Place(file=again[1], is_new=False) if again else _placed(one, fiche, coming)
        own = again[0] if again else free_id(place.file, ids)
        alike = None if again else texts.alike(one)
        known[one.sha256] = (own, place.file)
        ids.add(own)
        texts.add(own, one)
        is_document = one.kind in DOCUMENT_KINDS
        found.append(
            Attached(
                received=one,
                id=own,
                place=place,
                facts=compared(one.reading, fiche, cards, who(one)),
                to_complete=() if is_document else to_complete(one.reading, fiche, cards),
                unvouched=not is_document and unvouched(one.reading, fiche),
                alike=alike,
                again=own if again else "",
            )
        )
    return found


def _placed(one: Received, fiche: Fiche, coming: FilesToCome) -> Place:
    """Where the file lies, if it lies in the fiche's folder as it is to be stored; else a copy of it."""
    root = coming.under.root
    own = inside(one.source, root) if one.source is not None else None
    if own is not None and one.sha256 == one.original:
        check_name(own)
        return Place(file=own, is_new=False)
    name = redacted_name(one.name) if own is not None else one.name
    return placed(name, one.content, one.sha256, pieces_folder(fiche, root), coming)


def who(one: Received) -> str:
    """What sentences call the file."""
    return (
        "the log" if one.reading.kind.endswith("_log") or one.name.endswith(".log") else "the file"
    )


def _written(piece: Attached) -> Attachment:
    one = piece.received
    return Attachment(
        id=piece.id,
        file=piece.place.file,
        sha256=one.sha256,
        reading=one.reading,
        kind=one.kind,
        redacted=one.replaced,
        custody=one.custody,
        cites=one.cites,
    )


def _read_back(edit: Edit, coming: FilesToCome) -> None:
    """Load the result as `fiche check` will: what cannot be loaded is not written.

    Raises:
        Refused: what would be wrong with it, without a place, for no file holds that text yet.
    """
    try:
        load_bytes(edit.fiche.name, edit.content, coming, importers())
    except Refused as refused:
        told = [
            replace(one, address=None, message=f"with the new piece: {one.message}")
            for one in refused.diagnostics
        ]
        raise Refused(told) from None


def write(edit: Edit) -> None:
    """Write the files to come and the fiche: all of it or nothing.

    Raises:
        Refused: F485 the fiche changed meanwhile; F611 something cannot be written.
    """
    from fiche.cli.output import add_files

    target = edit.fiche.resolve()
    if _now(target) != edit.before:
        message = f"{edit.fiche} changed while files were read: nothing was written"
        raise Refused(
            [Diagnostic(code="F485", message=message, address=None, hint="run the command again")]
        )
    new = {edit.fiche.parent / file: content for file, content in edit.files.items()}
    add_files(new, target, edit.content)


def _now(target: Path) -> bytes:
    try:
        return read_file(target, str(target), YAML_LIMIT)
    except UnreadableError:
        return b""
