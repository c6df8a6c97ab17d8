"""Which importer reads a file: chosen by content, forced by name, or refused with the format's name.

Importers are asked, no list is kept here; a tie is a refusal, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fiche.importers._opened import is_gzip, opened
from fiche.importers._refusal import refused
from fiche.importers._unsupported import not_supported, unsupported
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.record import replace
from fiche.registry import members

# Below this an importer would only try ("any text"); a format known by name is then refused by name.
_SURE = 10


def importers() -> tuple[Importer, ...]:
    """All importers, in name order."""
    return members("fiche.importers", Importer)


def read(content: bytes, sha256: str, name: str = "", kind: str | None = None) -> Reading:
    """Read one file by the importer that its content calls for, or by the one named `kind`.

    Raises:
        Refused: unknown kind (F423), format not recognised (F420), known but not read yet (F421), two
            importers equally sure (F422), or what the importer itself refuses.
    """
    known = importers()
    text = opened(content, sha256)
    unpacked = ("unpacked: lines are counted in the text inside the gzip data",)
    notes = unpacked if is_gzip(content) else ()
    if kind:
        reading = _named(known, kind, sha256).read(text, sha256)
    else:
        scores = {one: one.accepts(text, name) for one in known}
        chosen = choose(scores, text, sha256)
        reading = chosen.read(text, sha256)
        notes = (*_notes(scores, chosen, text), *notes)
    return replace(reading, warnings=(*reading.warnings, *notes))


def _named(known: Sequence[Importer], kind: str, sha256: str) -> Importer:
    for importer in known:
        if importer.name == kind:
            return importer
    hint = f"kinds: {', '.join(i.name for i in known)}"
    raise refused("F423", f"there is no importer for the kind {kind!r}", sha256, hint=hint)


def choose(scores: Mapping[Importer, int], text: bytes, sha256: str) -> Importer:
    """The importer that is surest of the text."""
    best = max(scores.values(), default=0)
    other = unsupported(text) if best < _SURE else None
    if other is not None:
        raise not_supported(other, sha256)
    if best == 0:
        raise _unknown(scores, sha256)
    surest = [importer for importer, score in scores.items() if score == best]
    if len(surest) > 1:
        raise _tie([importer.name for importer in surest], sha256)
    return surest[0]


def _unknown(known: Iterable[Importer], sha256: str) -> Refused:
    hint = f"fiche reads: {', '.join(i.name for i in known)}; --kind names one"
    return refused("F420", "the format of this file is not recognised", sha256, hint=hint)


def _tie(names: Sequence[str], sha256: str) -> Refused:
    message = f"the file could be read as {' or as '.join(names)}"
    return refused("F422", message, sha256, hint="say which with --kind, or `kind:` in the fiche")


def _notes(scores: Mapping[Importer, int], chosen: Importer, text: bytes) -> tuple[str, ...]:
    """What else the file holds and this reading leaves out (law 8)."""
    rest = [one.name for one, score in scores.items() if one is not chosen and score >= _SURE]
    notes = [
        f"also_holds: the file also reads as {kind}, which --kind {kind} does" for kind in rest
    ]
    other = unsupported(text)
    if other is not None:
        notes.append(f"not_read: lines of a {other} are in the file; fiche does not read them yet")
    return tuple(notes)
