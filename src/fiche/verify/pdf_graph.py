"""Two PDFs set beside each other, object by object: what one has and the other has not, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fiche.render.visible import visible
from fiche.verify.bounds import too_much
from fiche.verify.pdf_objects import (
    Reader,
    Thing,
    decoded,
    number_of,
    page_of,
    resolved,
    root_of,
    value,
)

_MOST_PAIRS = 2_000_000
# How a stream is packed, and how long it then is, says nothing.
_PACKING = ("/Length", "/Filter", "/DecodeParms")
_FONT = ("/Font", "/FontDescriptor", "/FontFile", "/FontFile2", "/FontFile3", "/ToUnicode")
# Other versions of what lays pages out move things by less than a line, and no further.
_NEAR = 4.0
_TOKEN = re.compile(rb"\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]*>|[^\s()<>\[\]]+|[\[\]]|<<|>>")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)")
# Colours, ways of painting and modes of text are the same whoever lays out.
_EXACT = (
    b"rg",
    b"RG",
    b"g",
    b"G",
    b"k",
    b"K",
    b"sc",
    b"SC",
    b"scn",
    b"SCN",
    b"Tr",
    b"w",
    b"i",
    b"M",
)


class Apart(NamedTuple):
    """One difference: `path` from the catalog; `soft` where only distances or letters' shapes differ."""

    path: tuple[str, ...]
    text: str
    soft: bool


def apart(theirs: Reader, ours: Reader) -> Iterator[Apart]:
    """Every difference between two files, pages first."""
    seen: set[tuple[int | None, int | None]] = set()
    their_pages, our_pages = list(_pages(theirs)), list(_pages(ours))
    if len(their_pages) != len(our_pages):
        text = f"the file has {len(their_pages)} pages, {len(our_pages)} are rendered"
        yield Apart(("page",), text, soft=False)
    pairs = list(zip(their_pages, our_pages, strict=False))
    # A link leads from page to page: what differs on one is told of that one.
    seen.update((number_of(one), number_of(other)) for one, other in pairs)
    for number, (one, other) in enumerate(pairs, start=1):
        yield from _walk(resolved(one), resolved(other), (f"page {number}",), seen)
    yield from _walk(root_of(theirs), root_of(ours), (), seen)
    for one in _walk(
        value(theirs.trailer, "/Info"), value(ours.trailer, "/Info"), ("/Info",), seen
    ):
        if one.path != ("/Info", "/Producer"):
            yield one


def _pages(reader: Reader) -> Iterator[Thing]:
    from fiche.verify.bounds import parsed

    for number in range(parsed(lambda: len(reader.pages))):
        yield page_of(reader, number).indirect_reference


def _walk(
    one: Thing, other: Thing, path: tuple[str, ...], seen: set[tuple[int | None, int | None]]
) -> Iterator[Apart]:
    waiting = [(one, other, path)]
    count = 0
    while waiting:
        theirs, ours, where = waiting.pop()
        pair = (number_of(theirs), number_of(ours))
        if None not in pair:
            if pair in seen:
                continue
            seen.add(pair)
        count += 1
        if count > _MOST_PAIRS:
            raise too_much("it has more parts than a report")
        found, more = _beside(resolved(theirs), resolved(ours), where)
        yield from found
        waiting += reversed(more)


def _beside(
    one: Thing, other: Thing, path: tuple[str, ...]
) -> tuple[list[Apart], list[tuple[Thing, Thing, tuple[str, ...]]]]:
    """What differs right here, and which parts are to be compared further."""
    if isinstance(one, dict) and isinstance(other, dict):
        return _dictionaries(one, other, path)
    if isinstance(one, list) and isinstance(other, list):
        found = []
        if len(one) != len(other):
            found = [Apart(path, f"{len(one)} entries, rendered with {len(other)}", _is_font(path))]
        parts = enumerate(zip(one, other, strict=False))
        return found, [(a, b, (*path, str(at))) for at, (a, b) in parts]
    if _plain(one) == _plain(other):
        return [], []
    return [Apart(path, f"{_shown(one)}, rendered as {_shown(other)}", _near(one, other, path))], []


def _dictionaries(
    one: Thing, other: Thing, path: tuple[str, ...]
) -> tuple[list[Apart], list[tuple[Thing, Thing, tuple[str, ...]]]]:
    found = []
    streams = hasattr(one, "_data"), hasattr(other, "_data")
    skipped = _PACKING if any(streams) else ()
    theirs = {key: part for key, part in one.items() if key not in skipped}
    ours = {key: part for key, part in other.items() if key not in skipped}
    font = _is_font(path)
    for key in theirs.keys() - ours.keys():
        found.append(Apart((*path, key), f"a further entry: {_shown(resolved(theirs[key]))}", font))
    for key in ours.keys() - theirs.keys():
        found.append(Apart((*path, key), "an entry is missing", font))
    if streams[0] != streams[1]:
        found.append(
            Apart(path, "a stream where none is rendered, or none where one is", soft=False)
        )
    elif all(streams) and (a := _stated(one, path)) != (b := _stated(other, path)):
        soft = font or (_draws(path) and drawn_alike(a, b))
        found.append(Apart(path, _other(a, b), soft))
    return found, [(theirs[k], ours[k], (*path, k)) for k in theirs if k in ours]


def _stated(stream: Thing, path: tuple[str, ...]) -> bytes:
    """What a stream says; metadata without the programs that laid the pages out, which are compared apart."""
    content = decoded(stream)
    return _PROGRAMS.sub(b"", content) if path == ("/Metadata",) else content


_PROGRAMS = re.compile(rb'<fiche:drawn_with>[^<]*<|pdf:Producer="[^"]*"|<pdf:Producer>[^<]*<')


def _other(one: bytes, other: bytes) -> str:
    """The first place where two texts part; of what is no text, the lengths."""
    try:
        theirs, ours = one.decode("utf-8"), other.decode("utf-8")
    except UnicodeDecodeError:
        return f"{len(one)} bytes, rendered as {len(other)} other ones"
    at = next((i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b), None)
    start = max(0, (min(len(theirs), len(ours)) if at is None else at) - 25)
    cut = [" ".join(text[start : start + 60].split()) for text in (theirs, ours)]
    return f"'…{cut[0]}…' stands there, '…{cut[1]}…' is rendered"


def _is_font(path: tuple[str, ...]) -> bool:
    return any(part in _FONT for part in path)


def _draws(path: tuple[str, ...]) -> bool:
    return "/Contents" in path or "/XObject" in path


def _plain(thing: Thing) -> object:
    """A value without the type that pypdf gave it."""
    if isinstance(thing, bool) or thing is None:
        return thing
    if isinstance(thing, int | float):
        return round(float(thing), 4)
    if isinstance(thing, bytes):
        return thing.decode("latin-1")
    return str(thing)


def _near(one: Thing, other: Thing, path: tuple[str, ...]) -> bool:
    numbers = all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other)
    )
    return _is_font(path) or (numbers and abs(float(one) - float(other)) <= _NEAR)


def _shown(thing: Thing) -> str:
    if isinstance(thing, str) and thing and not thing.isprintable():
        written = getattr(thing, "original_bytes", thing.encode("utf-8", "replace"))
        return f"<{written.hex()[:64]}>"
    if isinstance(thing, bytes):
        return f"<{thing.hex()[:64]}>"
    if isinstance(thing, dict):
        kind = " ".join(
            str(value(thing, key)) for key in ("/Type", "/Subtype", "/S") if key in thing
        )
        said = str(value(thing, "/Contents") or value(thing, "/JS") or value(thing, "/URI") or "")[
            :60
        ]
        return " ".join(
            part for part in (kind or "a dictionary", f"'{said}'" if said else "") if part
        )
    if isinstance(thing, list):
        return f"a list of {len(thing)}" + (
            f", first {_shown(resolved(thing[0]))}" if thing else ""
        )
    return f"'{visible(str(thing)[:80])}'"


def drawn_alike(one: bytes, other: bytes) -> bool:
    """True where two pages are painted by the same steps in the same colours, at about the same places."""
    theirs, ours = _TOKEN.findall(one), _TOKEN.findall(other)
    if len(theirs) != len(ours):
        return False
    begun = 0
    for at, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        if _NUMBER.fullmatch(a) and _NUMBER.fullmatch(b):
            if abs(float(a) - float(b)) > _NEAR:
                return False
        elif a[:1] in b"(<" and b[:1] in b"(<":
            continue  # letters by their number in a font: what they say is compared as text
        elif a != b or (a in _EXACT and theirs[begun:at] != ours[begun:at]):
            return False
        if not _NUMBER.fullmatch(a):
            begun = at + 1
    return True
