"""Pieces of evidence as a fiche cites them: bytes as received, a reading beside them (law 6, C13)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from typing import NamedTuple

from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.doors import Reader
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.number import quoted
from fiche.kernel.piece import Passage, Piece, Reading
from fiche.kernel.record import replace
from fiche.kernel.simulation import SIMULATION
from fiche.load.attached import check_digest, replaced, suspicions
from fiche.load.attests import attested
from fiche.load.custody import citation, custody, overdue
from fiche.load.fault import Faults
from fiche.load.folder import PIECE_LIMIT, Folder, UnreadableError
from fiche.load.inputs import media_type
from fiche.load.node import Mapping, Scalar
from fiche.load.quoting import Document
from fiche.load.references import Known, nearest
from fiche.load.values import Signature, fact, leaves, unique
from fiche.load.vocabulary import RENAMED
from fiche.load.workload import dimensions

# Read by people: what they attest is typed and quoted, nothing is imported.
DOCUMENT_KINDS = ("quote", "datasheet", "document", "result")
_OWN_SCOPE = ("by", "executed")
# What an author writes for the kind of a file of fiche's own.
_SHORT = {"simulation": SIMULATION}


class Desk(NamedTuple):
    """What reading a piece takes; `contents` keeps the bytes of each file by its name."""

    folder: Folder
    importers: Reader
    sign: Signature
    scope: Mapping_[str, Known]
    contents: dict[str, bytes]


def pieces(fiche: Mapping, desk: Desk) -> tuple[Piece, ...]:
    """Read every piece that can be read, noting what is wrong with the others."""
    nodes = unique(fiche.each("pieces"), "piece", desk.sign.faults)
    found = (_piece(node, desk, fiche.text("date")) for node in nodes)
    return tuple(piece for piece in found if piece is not None)


def _piece(node: Mapping, desk: Desk, day: str) -> Piece | None:
    _check_scope(node, desk)
    content = _content(node.scalar("file"), desk)
    if content is None:
        return None
    sha256 = hashlib.sha256(content).hexdigest()
    check_digest(node, sha256, desk.sign.faults)
    kept = custody(node)
    late = overdue(kept, day)
    reading = _warned(_reading(node, content, sha256, desk), (*suspicions(content), *late))
    _check_computed(node, reading, desk.sign.faults)
    scope, name = node.mapping("scope"), node.text("id")
    by = scope.scalar("by") if "by" in scope else None
    document = Document(name, sha256, content, by, _passages(reading))
    items = enumerate(node.each("attests"), start=1)
    return Piece(
        id=name,
        file=node.text("file"),
        sha256=sha256,
        num_bytes=len(content),
        media_type=media_type(node.text("file")),
        kind=reading.kind,
        version=node.text("version") or reading.version,
        span=node.scalar("id").span,
        reading=_kept(reading),
        typed=dict(_typed(node, by, desk.sign)),
        typed_dimensions=dimensions(scope.mapping("executed"), name, desk.sign.faults, "/"),
        attested=tuple(attested(one, document, place, desk.sign) for place, one in items),
        date=node.text("date"),
        valid_until=node.text("valid_until"),
        about=dict(_about(node)),
        about_dimensions=_then(node, name, desk.sign.faults),
        run=node.text("run"),
        redacted=replaced(node),
        custody=kept,
        cites=citation(node),
        typed_by=by.text if by is not None else desk.sign.author,
    )


def _about(node: Mapping) -> Iterator[tuple[str, Fact]]:
    """What the piece hung on when it was made, by the paths of a workload."""
    told = leaves(node.mapping("about"))
    yield from ((path, fact(one)) for path, one in told if not path.startswith("dimensions."))


def _then(node: Mapping, name: str, faults: Faults) -> dict[str, Figure]:
    """The dimensions of its case as they were then."""
    return dimensions(node.mapping("about").mapping("dimensions"), f"{name}/about", faults, "/")


def _check_scope(node: Mapping, desk: Desk) -> None:
    scope, about = node.mapping("scope"), node.mapping("about")
    for key, known in desk.scope.items():
        if key in scope:
            known.check(scope.scalar(key), desk.sign.faults)
    if "case" in about:
        desk.scope["case"].check(about.scalar("case"), desk.sign.faults)


def _typed(node: Mapping, by: Scalar | None, sign: Signature) -> Iterator[tuple[str, Fact]]:
    """The scope that a person typed, each fact on their word."""
    told = [(p, s) for p, s in leaves(node.mapping("scope")) if p.split(".")[0] not in _OWN_SCOPE]
    if "machine" in node:
        told.append(("machine", node.scalar("machine")))
        if "machine" in node.mapping("scope"):
            again = node.mapping("scope").entries["machine"].key.span
            sign.faults.add("F104", "the machine is told twice", again, "once is enough")
    if told or "executed" in node.mapping("scope"):
        name = sign.of(by, node.scalar("id"), "the scope of this piece")
        yield from ((RENAMED.get(path, path), fact(scalar, name)) for path, scalar in told)


def _check_computed(node: Mapping, reading: Reading, faults: Faults) -> None:
    """What is computed is nobody's word (DESIGN 4)."""
    if reading.kind == SIMULATION and "attests" in node:
        message = f"the simulation {quoted(node.text('id'))} attests nothing"
        hint = "cite what says it as a piece of its own"
        faults.add("F589", message, node.entries["attests"].key.span, hint)


def _content(file: Scalar, desk: Desk) -> bytes | None:
    try:
        desk.contents[file.text] = desk.folder.read(file.text, PIECE_LIMIT)
        return desk.contents[file.text]
    except UnreadableError as problem:
        desk.sign.faults.add(problem.code, problem.message, file.span, problem.hint)
        return None


def _reading(node: Mapping, content: bytes, sha256: str, desk: Desk) -> Reading:
    """What the piece says by itself: read by the importer of its kind, or the one that its content asks for."""
    kind = _SHORT.get(node.text("kind"), node.text("kind"))
    if kind in DOCUMENT_KINDS:
        return _of_document(node, content, sha256, desk)
    if kind and not _known(node, desk):
        return Reading(kind=kind, shape="document")
    try:
        return desk.importers.read(content, sha256, node.text("file"), kind)
    except Refused as refused:
        for found in refused.diagnostics:
            _told_at(node.scalar("file"), found, desk)
        return Reading(kind=kind or "document", shape="refused")


def _of_document(node: Mapping, content: bytes, sha256: str, desk: Desk) -> Reading:
    """What people read; the words of a PDF, a mail or a word processor are laid out where some are quoted."""
    plain = Reading(kind=node.text("kind"), shape="document")
    if not any("quote" in one for one in node.each("attests")):
        return plain
    try:
        found = desk.importers.document(content, sha256, node.text("file"))
    except Refused as refused:
        for told in refused.diagnostics:
            _told_at(node.scalar("file"), told, desk)
        return replace(plain, shape="refused")
    if found is None:
        return plain
    return replace(found, kind=plain.kind)


def _kept(reading: Reading) -> Reading:
    """A piece keeps a document's count of pages, not its words: those were laid out to look some up."""
    if not reading.passages and "figure_lines" not in reading.further:
        return reading
    pages = {key: reading.further[key] for key in _PAGES if key in reading.further}
    return replace(reading, passages=(), further=pages)


_PAGES = ("pages", "pages_without_text")


def _passages(reading: Reading) -> tuple[Passage, ...] | None:
    """The words of a document in a container; None where the lines of the file itself are searched."""
    contained = reading.passages and not reading.passages[0].place.startswith("line ")
    return reading.passages if contained or reading.shape == "refused" else None


def _warned(reading: Reading, told: tuple[str, ...]) -> Reading:
    found = [one for one in told if one not in reading.warnings]
    return replace(reading, warnings=(*reading.warnings, *found)) if found else reading


def _known(node: Mapping, desk: Desk) -> bool:
    """Every one of the kinds that are to be read from one log: `torch_oom+vllm_log`."""
    kind, known = node.scalar("kind"), desk.importers.kinds()
    known = (*known, *_SHORT)
    wrong = [part for part in kind.text.split("+") if part not in known]
    for part in wrong:
        near = nearest(part, (*DOCUMENT_KINDS, *known)) if desk.sign.faults.helpful else ""
        message = f"there is no kind of piece {quoted(part)}"
        desk.sign.faults.add("F453", message, kind.span, near or _KINDS)
    return not wrong


_KINDS = f"read by people: {', '.join(DOCUMENT_KINDS)}; without `kind` the format is found"


_UNKNOWN = "F420"


def _told_at(file: Scalar, found: Diagnostic, desk: Desk) -> None:
    """An importer's complaint, at the place where the fiche names the file."""
    if found.code == _UNKNOWN:
        hint = f"say its kind; read by people: {', '.join(DOCUMENT_KINDS)}"
        message = f"no importer knows the format of '{file.text}'"
        desk.sign.faults.add("F454", message, file.span, hint)
        return
    place = ""
    if isinstance(found.address, Pointer):
        where = found.address
        place = f", {where.path}" if where.path is not None else f", line {where.line}"
    desk.sign.faults.add(found.code, f"{file.text}{place}: {found.message}", file.span, found.hint)
