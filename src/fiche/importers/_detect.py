"""Which importer reads a file: chosen by content, forced by name, or refused with the format's name.

Importers are asked, no list is kept here; a tie is a refusal, never a guess. A running log holds lines of
several programs: what each of them says is joined into one reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce

from fiche.importers._lines import holds
from fiche.importers._opened import opened, unpacked_note
from fiche.importers._parsers import read_by_others
from fiche.importers._pickle_opcodes import looks_like_pickle
from fiche.importers._refusal import refused
from fiche.importers._unsupported import not_supported, unsupported
from fiche.importers._web_texts import is_html, printed_text
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.registry import member, member_names, members

_ROOM = "fiche.importers"
# Below this an importer only has more to say than that nobody knows the text; a format known by name is
# then refused by name.
_SURE = 10
_NOTHING = "F424"
_LISTED = "docs/evidence.md lists what is read"
# fiche's own record says at its start what it is: no other importer need be asked, nor imported.
_OWN = "fiche_record"
_FORMAT = lazy(
    rb'\s{0,100}\{\s{0,100}(?:"event"\s{0,9}:\s{0,9}"header"\s{0,9},\s{0,9})?'
    rb'"format"\s{0,9}:\s{0,9}"fiche-measurement/'
)
# What fiche writes beside records, to find them: a search's summary, a campaign's state, what `--json` prints.
_BESIDE = lazy(rb'\s{0,100}\{\s{0,100}"format"\s{0,9}:\s{0,9}"(fiche-[a-z-]{1,40})/')
_HEAD = 1024 * 1024
# From here on the lines of a program in a log are unmistakable enough to be joined with others.
_JOINED = 40


def importers() -> tuple[Importer, ...]:
    """All importers, in name order."""
    return members(_ROOM, Importer)


@cache
def kinds() -> tuple[str, ...]:
    """The kinds that fiche reads, in name order, none of them imported."""
    return member_names(_ROOM)


def read(content: bytes, sha256: str, name: str = "", kind: str | None = None) -> Reading:
    """Read one file by the importer that its content calls for, or by the one named `kind`.

    `torch_oom+vllm_log` names the kinds of which one log holds lines; the first names the whole.

    Raises:
        Refused: unknown kind (F423), format not recognised (F420), known but not read yet (F421), two
            importers equally sure (F422), or what the importer itself refuses.
    """
    text = opened(content, sha256)
    page = printed_text(text) if is_html(text) else None
    notes = unpacked_note(content)
    own = _OWN if _FORMAT.match(text) else ""
    if kind or own:
        named = [_named(each, sha256) for each in (kind or own).split("+")]
        reading = reduce(_joined, [_read_as(_on(one, page), text, sha256, name) for one in named])
    else:
        # Nothing that is read in lines stands in a pickle: its head tells that it is one.
        asked = text[:_HEAD] if looks_like_pickle(text) else text
        scores = {_on(one, page): _score(_on(one, page), asked, name) for one in importers()}
        chosen = choose(scores, text, sha256)
        reading, left_out = _read_all(chosen, scores, text, sha256)
        notes = (*left_out, *notes)
    return replace(reading, warnings=(*reading.warnings, *notes))


def _joined(first: Reading, second: Reading) -> Reading:
    """Of two programs in one log; what joins them is loaded where there are two."""
    from fiche.importers._joined import joined

    return joined(first, second)


def _score(importer: Importer, text: bytes, name: str) -> int:
    """How sure an importer is; one whose words are nowhere in the text is not asked."""
    if importer.anchors and not holds(text, importer.anchors):
        return 0
    return importer.accepts(text, name)


_PAGE = tell("page_text: read in the text of the page; its lines are counted as in the file")


def _on(importer: Importer, page: bytes | None) -> Importer:
    """The same importer; one of running logs looks into the text of a page first, then into its source."""
    if page is None or not importer.log:
        return importer

    def accepts(content: bytes, name: str) -> int:
        return _score(importer, page, name) or importer.accepts(content, name)

    def read(content: bytes, sha256: str) -> Reading:
        if not _score(importer, page, ""):
            return importer.read(content, sha256)
        reading = importer.read(page, sha256)
        return replace(reading, warnings=(*reading.warnings, _PAGE))

    return replace(importer, accepts=accepts, read=read, anchors=())


def _named(kind: str, sha256: str) -> Importer:
    if kind in kinds():
        return member(_ROOM, kind, Importer)
    near = _near(kind.replace("-", "_"))
    hint = f"did you mean {' or '.join(near)}? {_LISTED}" if near else _LISTED
    raise refused("F423", f"there is no importer for the kind {kind!r}", sha256, hint=hint)


def _near(word: str) -> list[str]:
    """The names that a mistyped or shortened one may mean."""
    from difflib import get_close_matches

    longer = [name for name in kinds() if name.startswith(f"{word}_")]
    return longer[:3] or get_close_matches(word, kinds(), n=2, cutoff=0.7)


def _read_as(one: Importer, text: bytes, sha256: str, name: str) -> Reading:
    """What the importer reads that somebody named; one that finds nothing is told what the text is."""
    try:
        return read_by_others(lambda: one.read(text, sha256), sha256)
    except Refused as refusal:
        if refusal.diagnostics[0].code != _NOTHING:
            raise
        scores = {each: _score(each, text, name) for each in importers()}
        best = max(scores.values())
        if best < _SURE:
            raise
        others = " or ".join(each.name for each, score in scores.items() if score == best)
        hint = f"it reads as {others}: leave --kind (or `kind:`) out, or name that"
        told = [replace(each, hint=hint) for each in refusal.diagnostics]
        raise Refused(told) from None


def choose(scores: Mapping[Importer, int], text: bytes, sha256: str) -> Importer:
    """The importer that is surest of the text."""
    best = max(scores.values(), default=0)
    other = unsupported(text) if best < _SURE else None
    if other is not None:
        raise not_supported(other, sha256)
    if best == 0:
        raise _unknown(text, sha256)
    surest = [importer for importer, score in scores.items() if score == best]
    if len(surest) > 1 and all(one.log for one in surest):
        return surest[0]  # their readings are joined: which of them names the whole says little
    if len(surest) > 1:
        raise _tie([importer.name for importer in surest], sha256)
    return surest[0]


def _unknown(text: bytes, sha256: str) -> Refused:
    if not text.strip(b"\x00 \t\r\n"):
        message = "the file is empty" if not text else "the file holds nothing but blanks"
        hint = "check that the program wrote into it (2>&1), and that the copy is whole"
        return refused("F420", message, sha256, hint=hint)
    own = _BESIDE.match(text)
    if own is not None:
        message = f"{own[1].decode()} is no evidence: it is written beside records, which are"
        return refused(
            "F420", message, sha256, hint="import the records that it names, or their folder"
        )
    hint = f"{_LISTED}; what people read is shown by `fiche import --kind document`"
    return refused("F420", "the format of this file is not recognised", sha256, hint=hint)


def _tie(names: Sequence[str], sha256: str) -> Refused:
    message = f"the file could be read as {' or as '.join(names)}"
    return refused("F422", message, sha256, hint="say which with --kind, or `kind:` in the fiche")


def _read_all(
    chosen: Importer, scores: Mapping[Importer, int], text: bytes, sha256: str
) -> tuple[Reading, tuple[str, ...]]:
    """The reading of the surest importer, with what other programs' lines say in the same log."""
    reading, notes = read_by_others(lambda: chosen.read(text, sha256), sha256), []
    for one, score in scores.items():
        if one is chosen or score < _SURE:
            continue
        if chosen.log and one.log and score >= _JOINED:
            try:
                reading = _joined(reading, one.read(text, sha256))
                continue
            except Refused as refusal:
                told = refusal.diagnostics[0]
                notes.append(
                    tell(
                        "not_read: the file's {name} lines are left out: {message}",
                        name=one.name,
                        message=told.message,
                    )
                )
                continue
        notes.append(
            tell(
                "also_holds: the file also reads as {name}, which --kind {name} does", name=one.name
            )
        )
    other = unsupported(text)
    if other is not None:
        notes.append(
            tell(
                "not_read: lines of a {other} are in the file; fiche does not read them yet",
                other=other,
            )
        )
    return reading, tuple(notes)
