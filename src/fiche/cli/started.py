"""`fiche new --from RECORD`: a fiche that asks what was measured, with the records as its pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fiche.cli.attach_cards import cards_printing
from fiche.cli.attach_facts import device, missing
from fiche.cli.attach_place import FilesToCome, free_id, placed
from fiche.cli.compile import importers
from fiche.cli.evidence import each_read
from fiche.cli.output import exists, take_back, write_file, write_new_file
from fiche.cli.started_text import Source, Start, text_of
from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.load.catalog import builtin_catalog
from fiche.load.fiche import load_bytes
from fiche.load.folder import PIECE_LIMIT, DiskFolder, read_file
from fiche.render.visible import visible

_EVIDENCE = "evidence/"
_SHOWN = 4


def start(
    records: Sequence[Path], path: Path | None, date: str, gpu: str | None, *, force: bool
) -> tuple[Path, ...]:
    """Write the fiche, and copies of the records beside it; what was written.

    Raises:
        Refused: a record is wrong (F430 to F439); F557 nobody says which card of the catalog ran it; F610,
            F611 something is there or cannot be written.
    """
    target = _target(records, path)
    if target.exists() and not force:
        raise Refused([exists(target)])
    sources, wrong = each_read(records, _source)
    if wrong:
        raise Refused([each.shown for each in wrong])
    coming = FilesToCome(DiskFolder(target.parent))
    placed_sources = _placed(sources, coming)
    one = Start(sources=placed_sources, date=date, gpu=_card(placed_sources, gpu))
    content = _checked(one, target, coming)
    return _written(coming.files, target, content, force=force)


def _target(records: Sequence[Path], path: Path | None) -> Path:
    """A folder of the first record's name where none is asked for."""
    folder = Path(records[0].name.partition(".")[0]) if path is None else path
    return folder if folder.suffix in (".yaml", ".yml") else folder / "fiche.yaml"


def _source(file: Path) -> Source:
    content = read_file(file, str(file), PIECE_LIMIT)
    sha256 = hashlib.sha256(content).hexdigest()
    reading = MEMBER.read(content, sha256)
    return Source(name=file.name, content=content, sha256=sha256, reading=reading)


def _placed(sources: Sequence[Source], coming: FilesToCome) -> tuple[Source, ...]:
    """The records under names of their own, each once."""
    found: dict[str, Source] = {}
    for one in sources:
        place = placed(one.name, one.content, one.sha256, _EVIDENCE, coming)
        taken = [each.id for each in found.values()]
        found.setdefault(one.sha256, one.stored(free_id(place.file, taken), place.file))
    return tuple(found.values())


def _card(sources: Sequence[Source], told: str | None) -> str:
    """The card that the records name, or that is `told`, or the only one of the catalog that prints that name.

    Raises:
        Refused: F557 nobody says it, or the records name another one than is told.
    """
    cards = builtin_catalog().cards
    named = {one.reading.facts["gpu"].value for one in sources if "gpu" in one.reading.facts}
    if told is not None:
        if named & set(cards) and told not in named:
            raise Refused([_another(told, named)])
        return told
    if len(named) == 1 and named <= set(cards):
        return next(iter(named))
    seen = device(sources[0].reading)
    known = [] if seen is None else [card.id for card in cards_printing(seen.value, cards.values())]
    if not named and len(known) == 1:
        return known[0]
    said = ", ".join(sorted(named)) or (visible(seen.value) if seen is not None else "nothing")
    hint = "say which with --gpu ID; `fiche catalog list` names the cards"
    if known:
        hint = f"say which with --gpu: {', '.join(known[:_SHOWN])}"
    message = f"the records say {said} of their card, which is no one card of the catalog"
    raise Refused([Diagnostic(code="F557", message=message, address=None, hint=hint)])


def _another(told: str, named: set[str]) -> Diagnostic:
    message = f"the records say {', '.join(sorted(named))} of their card, and --gpu says {told}"
    hint = "leave --gpu out; a card to examine beside it is a further candidate of the fiche"
    return Diagnostic(code="F557", message=message, address=None, hint=hint)


def _checked(one: Start, target: Path, coming: FilesToCome) -> bytes:
    """The text, loaded as `fiche check` will; a second time with what turned out to be missing as comments."""
    first = load_bytes(target.name, text_of(one, ()).encode(), coming, importers())
    told = [set(missing(each.reading, first.fiche)) for each in one.sources]
    gaps = [
        path
        for path in missing(one.sources[0].reading, first.fiche)
        if all(path in t for t in told)
    ]
    content = text_of(one, gaps).encode()
    load_bytes(target.name, content, coming, importers())
    return content


def _written(
    evidence: Mapping[str, bytes], target: Path, content: bytes, *, force: bool
) -> tuple[Path, ...]:
    """All of it or nothing; a record that lies there already is not written again."""
    made: list[Path] = []
    is_new = not target.parent.exists()
    try:
        for file, each in evidence.items():
            write_new_file(target.parent / file, each)
            made.append(target.parent / file)
        write_file(target, content, force=force)
    except Refused:
        take_back(made)
        if is_new:
            with suppress(OSError):  # it holds something by now
                target.parent.rmdir()
        raise
    return (target, *made)
