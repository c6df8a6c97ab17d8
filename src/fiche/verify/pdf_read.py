"""A report.pdf by pypdf: every file in it wherever it hangs, what its metadata says, its words page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.kernel.diagnostic import Refused
from fiche.verify.bounds import (
    MOST_FILES,
    MOST_OF_ONE,
    MOST_PAGES,
    MOST_TOGETHER,
    broken,
    inflated,
    no_report,
    parsed,
    too_much,
)
from fiche.verify.container import DECISION, Container, Held, Passage
from fiche.verify.pdf_objects import (
    Reader,
    Thing,
    at,
    decoded,
    number_of,
    objects,
    opened,
    packed_of,
    raw,
    resolved,
    root_of,
    value,
)
from fiche.verify.step import Point

MAGIC = b"%PDF-"
_XMP = re.compile(r"<fiche:(fiche|decision|rules|policy|drawn_with)>([^<]{1,200})</fiche:\1>")
_HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_TOOL = re.compile(r"fiche (\S+)")
_END = re.compile(rb"startxref\s+(\d+)\s+%%EOF[\r\n]*")
_DEEP = 40


def read_pdf(content: bytes) -> Container:
    """Read a PDF.

    Raises:
        Refused: F900 it is no report, F901 broken, F902 encrypted, F903 it takes more than is allowed.
    """
    if not content.startswith(MAGIC):
        raise no_report("the file", "it starts neither as a PDF nor as a page")
    reader = opened(content)
    held, odd = _files(reader)
    if not any(one.name == DECISION for one in held):
        raise no_report("the PDF", "no decision.json is attached to it")
    said = parsed(lambda: dict(reader.metadata or {}))
    xmp = _metadata(reader)
    passages = tuple(_words(reader))
    digests = {name: [("in the metadata (XMP)", value)] for name, value in xmp}
    for name, _ in xmp:
        digests[name] = [("in the metadata (XMP)", value) for key, value in xmp if key == name]
    printed = [(one.place, found) for one in passages for found in _printed(one)]
    digests["decision"] = [*digests.get("decision", []), *printed]
    digests["id"] = [("in the file's ID", _identity(reader))]
    tool = _TOOL.fullmatch(str(said.get("/Creator", "")))
    return Container(
        kind="pdf",
        content=content,
        held=tuple(held),
        language=str(value(root_of(reader), "/Lang") or ""),
        title=str(said.get("/Title", "")),
        has_annex="annex" in _destinations(reader),
        passages=passages,
        digests=digests,
        odd=tuple(odd),
        trailing=tuple(_trailing(reader, content)),
        version=tool[1] if tool else "",
        maker=str(said.get("/Producer", "")),
        own={"reader": reader},
    )


# --- Files ----------------------------------------------------------------------------------------


def _files(reader: Reader) -> tuple[list[Held], list[Point]]:
    root = root_of(reader)
    odd: list[Point] = []
    held: list[Held] = []
    seen: dict[str, Thing] = {}
    left = MOST_TOGETHER
    for name, spec in _named(root, odd):
        if name in seen:
            odd.append(Point(f"{name} is attached twice", "F905"))
            continue
        seen[name] = spec
        one = _held(name, resolved(spec), odd)
        left -= len(one.content)
        if left < 0:
            raise too_much("the files that it carries are longer than those of a report")
        held.append(one)
    odd += _associated(root, seen)
    odd += _hidden(reader, seen)
    return held, odd


def _named(root: Thing, odd: list[Point]) -> Iterator[tuple[str, Thing]]:
    """Names and file specifications of the tree of attached files; a tree that leads in a circle is told."""
    tree = raw(value(root, "/Names"), "/EmbeddedFiles")
    for count, (name, spec) in enumerate(_leaves(tree, set(), 0, odd), start=1):
        if count > MOST_FILES:
            raise too_much(f"it carries more than {MOST_FILES} files")
        yield name, spec


def _leaves(
    tree: Thing, seen: set[int], depth: int, odd: list[Point]
) -> Iterator[tuple[str, Thing]]:
    number = number_of(tree)
    if tree is None:
        return
    if depth > _DEEP or (number is not None and number in seen):
        raise broken("its list of attached files leads in a circle")
    if number is not None:
        seen.add(number)
    node = resolved(tree)
    if not isinstance(node, dict):
        raise broken("its list of attached files is none")
    names, kids = value(node, "/Names") or [], value(node, "/Kids") or []
    if len(names) % 2:
        odd.append(Point("the list of attached files has a name without a file", "F905"))
    for name, spec in zip(names[::2], names[1::2], strict=False):
        yield str(resolved(name)), spec
    for kid in kids:
        yield from _leaves(kid, seen, depth + 1, odd)


def _held(name: str, spec: Thing, odd: list[Point]) -> Held:
    inside = value(spec, "/EF")
    if not isinstance(inside, dict) or raw(inside, "/F") is None:
        odd.append(Point(f"{name} has no file behind its name", "F905"))
        return Held(name=name, content=b"", media_type="", description="")
    for key in ("/F", "/UF"):
        if (told := str(value(spec, key) or "nothing")) != name:
            odd.append(Point(f"{name} is called {told} where it is described ({key[1:]})", "F905"))
    if len({number_of(one) or key for key, one in inside.items()}) > 1:
        odd.append(Point(f"{name} has several files behind one name", "F905"))
    stream = value(inside, "/F")
    content, damaged = _unpacked(stream)
    return Held(
        name=name,
        content=content,
        media_type=str(value(stream, "/Subtype") or "").removeprefix("/"),
        description=str(value(spec, "/Desc") or ""),
        relationship=str(value(spec, "/AFRelationship") or "").removeprefix("/"),
        damaged=damaged,
    )


def _unpacked(stream: Thing) -> tuple[bytes, str]:
    """The bytes of an attached file; or why there are none, where one that was changed unpacks no more.

    The report is read all the same: what changed in it is then named like any other change.
    """
    try:
        return _stream(stream), ""
    except Refused as refusal:
        (told,) = refusal.diagnostics
        if told.code != "F901":  # too much is never looked at further
            raise
        return b"", told.message.removeprefix("the file cannot be read: ")


def _stream(stream: Thing) -> bytes:
    """The bytes of an attached file, packed once or not at all: fiche writes it no other way."""
    packed, packing = packed_of(stream), value(stream, "/Filter")
    if packing in (None, []):
        if len(packed) > MOST_OF_ONE:
            raise too_much("an attached file is longer than a piece may be")
        return packed
    plain = packing in ("/FlateDecode", ["/FlateDecode"]) and raw(stream, "/DecodeParms") is None
    if not plain:
        raise broken("an attached file is packed in a way that fiche does not use")
    return inflated(packed, MOST_OF_ONE)


def _associated(root: Thing, named: dict[str, Thing]) -> Iterator[Point]:
    """The catalog's list of associated files holds each of the named ones once, and no other."""
    ids = [number_of(one) for one in value(root, "/AF") or []]
    expected = {number_of(spec): name for name, spec in named.items()}
    for number, name in expected.items():
        if ids.count(number) != 1:
            told = (
                "is not among the associated files (AF)" if number not in ids else "is there twice"
            )
            yield Point(f"{name} {told}", "F905")
    if any(number not in expected for number in ids):
        yield Point("the associated files (AF) hold one that no name leads to", "F905")


def _hidden(reader: Reader, named: dict[str, Thing]) -> Iterator[Point]:
    """Files that hang elsewhere: on a page, in no list, in nothing at all."""
    known = {number_of(spec) for spec in named.values()}
    inside = {
        number_of(one)
        for spec in named.values()
        for one in (value(resolved(spec), "/EF") or {}).values()
    }
    for number, generation in objects(reader):
        thing = at(reader, number, generation)
        if not isinstance(thing, dict):
            continue
        if value(thing, "/Subtype") == "/FileAttachment":
            yield Point("a file hangs on a page as a note", "F905")
        elif value(thing, "/Type") == "/EmbeddedFile" and number not in inside:
            yield Point(f"object {number} is a file that no name leads to", "F905")
        elif "/EF" in thing and number not in known:
            name = str(value(thing, "/UF") or value(thing, "/F") or "")[:60]
            yield Point(f"object {number} describes a further file '{name}'", "F905")


# --- What the file says of itself -----------------------------------------------------------------


def _metadata(reader: Reader) -> list[tuple[str, str]]:
    stream = value(root_of(reader), "/Metadata")
    if stream is None:
        return []
    return _XMP.findall(decoded(stream).decode("utf-8", "replace"))


def _identity(reader: Reader) -> str:
    told = value(reader.trailer, "/ID")
    if not isinstance(told, list) or not told:
        return ""
    first = resolved(told[0])
    written = first if isinstance(first, bytes) else str(first).encode("latin-1", "replace")
    return written.decode("latin-1")


def _destinations(reader: Reader) -> set[str]:
    tree = raw(value(root_of(reader), "/Names"), "/Dests")
    return {name for name, _ in _leaves(tree, set(), 0, [])}


def _words(reader: Reader) -> Iterator[Passage]:
    count = parsed(lambda: len(reader.pages))
    if not count:
        raise broken("it has no page")
    if count > MOST_PAGES:
        raise too_much(f"it has more than {MOST_PAGES} pages")
    for number in range(count):
        text = parsed(reader.pages[number].extract_text)
        lines = (line.strip() for line in text.encode("utf-8", "replace").decode().split("\n"))
        yield Passage(place=f"page {number + 1}", lines=tuple(line for line in lines if line))


def _printed(passage: Passage) -> list[str]:
    return _HEX.findall("\n".join(passage.lines))


def _trailing(reader: Reader, content: bytes) -> Iterator[Point]:
    """What was added after the file was written: revisions, and bytes behind the last."""
    ends = list(_END.finditer(content))
    if not ends:
        yield Point("the file does not end as a PDF does", "F915")
        return
    behind = len(content) - ends[-1].end()
    if behind:
        yield Point(f"{behind} bytes stand behind the end of the PDF", "F915")
    if "/Prev" in reader.trailer or len(ends) > 1:
        count = len(ends) - 1
        yield Point(f"the PDF was changed after it was written: {count} later revisions", "F915")
