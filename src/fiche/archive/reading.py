"""What a path holds, as an entry with its files and rows: told by its content, never by its name alone.

What reads and what judges is handed in: this room knows neither importers of its own nor reports.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from fiche.archive.document import MOST_BYTES, at_most, document_bytes
from fiche.archive.entry import Entry, Kept, Row
from fiche.archive.identity import id_of
from fiche.archive.names import safe_paths
from fiche.archive.refusals import refused
from fiche.kernel.custody import NO_CUSTODY, Custody, highest
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Reader
from fiche.kernel.piece import Reading
from fiche.kernel.record import field, record, replace
from fiche.load.folder import PIECE_LIMIT, UnreadableError, read_file
from fiche.load.inputs import media_type

Files = Mapping[str, bytes | Path]
Attached = Callable[[bytes], Mapping[str, bytes]]
Long = Callable[[Path, str], Reading]
# What is longer is no fiche, no report and no table: a log, a trace or a snapshot, which is not held whole.
_LONG = 64 * 2**20
_STEP = 2**20


@record
class Told:
    """What is said of an entry beside what its files say, and what reads them.

    `added` is the moment (`2026-12-01T10:00:00Z`). `kind` forces an importer, as for `fiche import`. `attached`
    takes the attachments out of a report in PDF or HTML, by name; none, where it is no report of fiche. `long`
    reads evidence of any length from its file, as a kind or as what its content calls for.
    """

    importers: Reader
    added: str
    attached: Attached | None = None
    long: Long | None = None
    kind: str = ""
    supersedes: tuple[str, ...] = ()
    keep_until: str = ""
    confidentiality: str = ""
    rights: str = ""
    source: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


@record
class Subject:
    """What a reader of one kind found: files by their own names, and what they say.

    What `custody` says of rights and of the day holds where nobody says otherwise at the adding; nobody makes
    less confidential what says that it is. `replaces` are digests of decisions that it takes the place of.
    """

    kind: str
    title: str
    files: Files
    main: str
    rows: tuple[Row, ...] = ()
    date: str = ""
    format: str = ""
    own_id: str = ""
    author: str = ""
    tool_version: str = ""
    custody: Custody = NO_CUSTODY
    replaces: tuple[str, ...] = ()


def entry_of(path: Path, told: Told) -> tuple[Entry, dict[str, bytes | Path]]:
    """The entry that a path makes, and its files by their paths in the bag.

    Raises:
        Refused: F935 it is nothing that an archive keeps; F318, F319 it cannot be read; or whatever is wrong
            with the fiche, the catalog, the policy or the evidence that it is.
    """
    return _entry(subject_of(path, told), told)


def subject_of(path: Path, told: Told) -> Subject:
    """What a path holds, by its content; see `entry_of`."""
    if path.is_dir():
        from fiche.archive.reading_reports import report_folder

        return report_folder(path)
    if told.long is not None and path.is_file() and path.stat().st_size > _LONG:
        long = told.long
        return _evidence(path.name, path, _named(path.name, lambda: long(path, told.kind)))
    content = plain(path)
    if told.kind:
        return _piece(path.name, content, told)
    if _DECISION.match(content):
        from fiche.archive.reading_reports import decision

        return decision({path.name: content}, path.name)
    report = _report(path.name, content, told)
    if report is not None:
        return report
    word = _kind_of_yaml(path.name, content)
    if word:
        from fiche.archive.reading_yaml import READERS

        return READERS[word](path, content, told.importers)
    if path.name.endswith(_TABLES):
        return _table(path.name, content, told)
    return _piece(path.name, content, told)


def plain(path: Path) -> bytes:
    """The bytes of a plain file.

    Raises:
        Refused: F318 it cannot be read, F319 it is too long.
    """
    try:
        return read_file(path, str(path), PIECE_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None


# Keys are in order in the canonical form, and `format` is not the first.
_DECISION = re.compile(
    rb'\s{0,99}\{(?:[^\n]{0,1000000}?[,{])?\s{0,99}"format"\s{0,9}:\s{0,9}"fiche-decision/',
    re.DOTALL,
)
_YAML = re.compile(rb"^(fiche|catalog|offers|policy)[ \t]{0,20}:", re.MULTILINE)
_YAML_NAMES = (".yaml", ".yml")
_TABLES = (".csv", ".jsonl")


def _kind_of_yaml(name: str, content: bytes) -> str:
    """The key that says what a YAML file of fiche's own is."""
    if not name.lower().endswith(_YAML_NAMES):
        return ""
    found = {match[1].decode("ascii") for match in _YAML.finditer(content)}
    # A fiche names policies and catalogs of its own; nothing else names a fiche.
    order = ("fiche", "policy", "offers", "catalog")
    word = next((word for word in order if word in found), "")
    if not word:
        raise _nothing(name)
    return word


def _nothing(name: str) -> Refused:
    hint = "a record or another piece, a fiche, a report, a catalog, offers, or a policy"
    return refused("F935", f"{name} is nothing that an archive keeps", hint)


def _report(name: str, content: bytes, told: Told) -> Subject | None:
    """A report in PDF or HTML, with what it carries; None for any other document."""
    head = content[:1024].lstrip().lower()
    is_report = head.startswith((b"%pdf", b"<!doctype html", b"<html"))
    if told.attached is None or not is_report:
        return None
    attached = told.attached(content)
    if "decision.json" not in attached:
        return None
    from fiche.archive.reading_reports import decision

    beside = {f"attachments/{each}": each_content for each, each_content in attached.items()}
    return decision({name: content, **beside}, "attachments/decision.json", main=name)


def _piece(name: str, content: bytes, told: Told) -> Subject:
    """A record, or any other piece of evidence: whatever an importer reads."""
    sha256 = hashlib.sha256(content).hexdigest()
    read = told.importers.read
    return _evidence(name, content, _named(name, lambda: read(content, sha256, name, told.kind)))


def _table(name: str, content: bytes, told: Told) -> Subject:
    """Offers in CSV or JSON lines; any other table is whatever an importer reads."""
    from fiche.archive.reading_tables import is_offers, offers_table

    if is_offers(name, content):
        return offers_table(name, content)
    try:
        return _piece(name, content, told)
    except Refused as refusal:
        (first, *_) = refusal.diagnostics
        if first.code != _UNKNOWN:
            raise
        raise Refused([replace(first, hint=_OF_OTHERS)]) from None


_UNKNOWN = "F420"
_OF_OTHERS = (
    "a listing of offers of another program becomes one with `fiche catalog import FILE -o offers.csv`: add "
    "that; what people read is added with --kind document"
)


def _named(name: str, read: Callable[[], Reading]) -> Reading:
    """What an importer reads; of what it refuses, with the name of the file."""
    try:
        return read()
    except Refused as refusal:
        named = [
            replace(each, message=f"{name}: {each.message}", address=None)
            for each in refusal.diagnostics
        ]
        raise Refused(named) from None


def _evidence(name: str, content: bytes | Path, reading: Reading) -> Subject:
    from fiche.archive.rows import rows_of

    held = content if isinstance(content, bytes) else b""
    facts = {path: fact.value for path, fact in reading.facts.items()}
    is_record = reading.kind == "fiche_record"
    names = ("model.name", "operation", "gpu" if "gpu" in facts else "device")
    words = [facts[path] for path in names if path in facts]
    return Subject(
        kind="record" if is_record else "piece",
        title=", ".join(words) if is_record and words else name,
        files={name: content},
        main=name,
        rows=rows_of(reading, held),
        date=_day(facts.get("started_at") or facts.get("observed_at") or ""),
        format=reading.version if is_record else reading.kind,
        own_id=_series(held) if is_record else "",
        tool_version=" ".join(facts[k] for k in ("tool.name", "tool.version") if k in facts),
    )


def _series(content: bytes) -> str:
    """The id of a record's series: of a document, or of the head of a journal."""
    import json

    for text in (content, content.partition(b"\n")[0]):
        try:
            found = json.loads(text)["series"]["id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        return found if isinstance(found, str) else ""
    return ""


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(text: str) -> str:
    found = _DAY.match(text)
    return found[0] if found else ""


def _entry(subject: Subject, told: Told) -> tuple[Entry, dict[str, bytes | Path]]:
    paths = safe_paths(subject.files)
    files = tuple(_kept(name, paths[name], subject.files[name]) for name in sorted(paths))
    entry = Entry(
        id=id_of(subject.kind, files),
        kind=subject.kind,
        title=subject.title,
        date=subject.date,
        added=told.added,
        main=paths[subject.main],
        files=files,
        rows=subject.rows,
        format=subject.format,
        own_id=subject.own_id,
        author=subject.author,
        tool_version=subject.tool_version,
        supersedes=told.supersedes,
        stated_supersedes=tuple(dict.fromkeys((*subject.custody.supersedes, *subject.replaces))),
        identifier=subject.custody.identifier,
        keep_until=told.keep_until or subject.custody.keep_until,
        confidentiality=highest((subject.custody, Custody(confidentiality=told.confidentiality))),
        rights=told.rights or subject.custody.rights,
        source=told.source,
        labels=told.labels,
    )
    return _short(entry), {paths[name]: content for name, content in subject.files.items()}


def _short(entry: Entry) -> Entry:
    """An entry that a reader takes: where its rows are too many, the last ones stay in the files alone."""
    if at_most(entry) <= MOST_BYTES:  # nearly always
        return entry
    while entry.rows and len(document_bytes(entry)) > MOST_BYTES:
        entry = replace(entry, rows=entry.rows[: len(entry.rows) // 2])
    return entry


def _kept(name: str, path: str, content: bytes | Path) -> Kept:
    digest, num_bytes = hashlib.sha256(), 0
    for part in _parts(content):
        digest.update(part)
        num_bytes += len(part)
    return Kept(
        path=path,
        num_bytes=num_bytes,
        sha256=digest.hexdigest(),
        media_type=media_type(name),
        name="" if name == path else name,
    )


def _parts(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as stream:
        while part := stream.read(_STEP):
            yield part
