"""An entry as the bytes of its `fiche-entry.json`, and back: canonical JSON, read with bounds and no trust.

A key that a newer fiche of the same format added is passed over; a newer format is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from typing import Any

from fiche.archive.entry import CONFIDENTIALITY, KINDS, ORIGINS, OUTCOMES, Entry, Kept, Row
from fiche.archive.identity import id_made
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import field_names
from fiche.render.canonical import canonical

FORMAT = "fiche-archive-entry/1"
# More than the rows of any decision take; what is longer was not written by fiche.
MOST_BYTES = 8 * 2**20
MOST_ROWS = 20_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Python reads no longer ones.
_AMOUNT = re.compile(r"-?[0-9]{1,2000}(?:\.[0-9]{1,2000})?")
_ORIGINS, _OUTCOMES = frozenset(("", *ORIGINS)), frozenset(("", *OUTCOMES))
# A path below data/, as `names` makes it: whoever copies the file writes there, so it leads nowhere else.
_PART = r"(?!\.\.?(?:/|\Z))[A-Za-z0-9._+=@,() -]+"
_PATH = re.compile(f"{_PART}(?:/{_PART})*")
TEXTS = (
    *("id", "kind", "title", "date", "added", "main", "own_id", "author"),
    *("tool_version", "keep_until", "confidentiality", "rights", "source", "identifier"),
)
_LISTS = ("supersedes", "stated_supersedes")
_NEEDED = ("id", "kind", "title", "added", "main")
_ROW = frozenset(field_names(Row(model="")))
_TOLD = (*TEXTS, "content_format")
_TEXT = frozenset((str,))
_RECORDS: tuple[Any, ...] = (Kept, Row)
_FIELDS: dict[type, tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]] = {
    kind: (kind.__fields__, attrgetter(*kind.__fields__)) for kind in _RECORDS
}
_TEXTS_OF = attrgetter(*TEXTS, "format")
# An entry as JSON.
Document = dict[str, Any]


def document(entry: Entry) -> Document:
    """The entry as JSON; what it does not say is absent."""
    texts = {key: getattr(entry, key) for key in TEXTS}
    told: Document = {key: text for key, text in texts.items() if text or key in _NEEDED}
    told |= {"format": FORMAT, "files": [_filled(one) for one in entry.files]}
    if entry.format:
        told["content_format"] = entry.format
    if entry.rows:
        told["rows"] = [_filled(one) for one in entry.rows]
    for key in _LISTS:
        if named := getattr(entry, key):
            told[key] = list(named)
    if entry.labels:
        told["labels"] = dict(entry.labels)
    return told


def _filled(one: Kept | Row) -> Document:
    names, values = _FIELDS[type(one)]
    return {key: value for key, value in zip(names, values(one), strict=True) if value != ""}


def at_most(entry: Entry) -> int:
    """More bytes than its document has, a sign taking twelve at most: sooner told than by writing it."""
    texts = chain(_TEXTS_OF(entry), chain.from_iterable(map(_FIELDS[Row][1], entry.rows)))
    num_signs = sum(map(len, texts))
    num_signs += sum(len(one.path) + len(one.name) + len(one.media_type) for one in entry.files)
    num_signs += sum(len(name) + len(text) for name, text in entry.labels.items())
    named = (*entry.supersedes, *entry.stated_supersedes)
    num_signs += sum(map(len, named))
    count = 2 + len(entry.rows) + len(entry.files) + len(entry.labels) + len(named)
    return 12 * num_signs + 400 * count


def document_bytes(entry: Entry) -> bytes:
    """The bytes of `fiche-entry.json`: one canonical line, and its end."""
    return canonical(document(entry)) + b"\n"


def read_entry(content: bytes) -> Entry:
    """The entry that a `fiche-entry.json` tells.

    Raises:
        Refused: F931 it is of a newer format; F941 it is no entry, or too long to be one.
    """
    return entry_from(checked(content))


def checked(content: bytes) -> Document:
    """The JSON of an entry, each part of which is what it has to be; what it does not say is absent.

    Raises:
        Refused: as `read_entry`.
    """
    told = parsed(content)
    try:
        _check(told)
    except (KeyError, TypeError, ValueError) as error:
        raise no_entry(_why(error)) from None
    return told


def parsed(content: bytes) -> Document:
    """The JSON of an entry, of which nothing but its format is known yet.

    Raises:
        Refused: as `read_entry`.
    """
    if len(content) > MOST_BYTES:
        raise no_entry(f"it is longer than {MOST_BYTES // 2**20} MiB")
    try:
        told: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise no_entry("it is no JSON that can be read") from None
    found = told.get("format") if isinstance(told, dict) else None
    if isinstance(found, str) and found.startswith("fiche-archive-entry/") and found != FORMAT:
        message = f"an entry is of the format {found[:60]}: this fiche reads {FORMAT}"
        raise Refused([Diagnostic(code="F931", message=message, address=None, hint=_NEWER)])
    if found != FORMAT:
        raise no_entry(f"it does not say that it is a {FORMAT}")
    known: Document = told
    return known


_NEWER = "a newer fiche wrote it: install that"


def no_entry(why: str) -> Refused:
    """F941: what cannot be used as an entry."""
    hint = "fiche archive check names every bag that is not as it was written"
    message = f"fiche-entry.json cannot be used: {why}"
    return Refused([Diagnostic(code="F941", message=message, address=None, hint=hint)])


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    return str(error)[:120]


def _check(told: Document) -> None:
    for key in _NEEDED:
        told[key]
    _texts([told[key] for key in _TOLD if key in told])
    _one_of(told["kind"], KINDS, "kind")
    if told.get("confidentiality"):
        _one_of(told["confidentiality"], CONFIDENTIALITY, "confidentiality")
    files = _list(told, "files")
    for each in files:
        _check_file(each)
    paths = {each["path"] for each in files}
    if told["main"] not in paths:
        raise ValueError("main is none of the files")
    if len(paths) != len(files):
        raise ValueError("a file is named twice")
    for row in _list(told, "rows", needed=False):
        if type(row) is not dict or not _TEXT.issuperset(map(type, row.values())):
            raise TypeError("a row is not made of texts")
        if "passed" in row:  # what it was called at first, and was taken for an outcome
            row.setdefault("which_pass", row.pop("passed"))
        _check_row(row)
    for key in _LISTS:
        _texts(_list(told, key, needed=False))
    labels = told.get("labels", {})
    if type(labels) is not dict or not _TEXT.issuperset(map(type, labels.values())):
        raise TypeError("labels are no texts")


def _check_row(row: Document) -> None:
    """What is counted with is a number, and what is told of it is one of the words that there are."""
    amount = row.get("amount")
    if amount and not _AMOUNT.fullmatch(amount):
        raise ValueError("an amount is no decimal")
    if row.get("origin", "") not in _ORIGINS or row.get("outcome", "") not in _OUTCOMES:
        raise ValueError("an origin or an outcome is none")


def _check_file(told: Document) -> None:
    _texts([told["path"], told["sha256"], told.get("media_type", ""), told.get("name", "")])
    num_bytes = told["num_bytes"]
    if type(num_bytes) is not int or num_bytes < 0 or not _SHA256.fullmatch(told["sha256"]):
        raise ValueError("a file without its length or digest")
    if not _PATH.fullmatch(told["path"]):
        raise ValueError("a file has a path that is none below data/")


def _one_of(word: str, known: tuple[str, ...], what: str) -> None:
    if word not in known:
        raise ValueError(f"{what} is none of {', '.join(known)}")


def _texts(told: list[Any]) -> None:
    if not _TEXT.issuperset(map(type, told)):
        raise TypeError("a text was expected")


def _list(told: Document, key: str, *, needed: bool = True) -> list[Any]:
    found = told[key] if needed else told.get(key, [])
    if not isinstance(found, list) or (needed and not found):
        raise TypeError(f"{key} is no list")
    return found


def entry_from(told: Document) -> Entry:
    """The entry of a document that was checked."""
    return Entry(
        **{"date": "", **{key: told[key] for key in TEXTS if key in told}},
        files=tuple(_kept(each) for each in told["files"]),
        rows=tuple(_row(each) for each in told.get("rows", ())),
        format=told.get("content_format", ""),
        supersedes=tuple(told.get("supersedes", ())),
        stated_supersedes=tuple(told.get("stated_supersedes", ())),
        labels=told.get("labels", {}),
    )


def _kept(told: Document) -> Kept:
    return Kept(
        path=told["path"],
        num_bytes=told["num_bytes"],
        sha256=told["sha256"],
        media_type=told.get("media_type", ""),
        name=told.get("name", ""),
    )


def _row(told: Document) -> Row:
    return Row(**{key: text for key, text in told.items() if key in _ROW})


def has_own_id(told: Document) -> bool:
    """True where the id of a document is the one that its kind and files make."""
    named = ((one.get("name") or one["path"], one["sha256"]) for one in told["files"])
    return bool(told["id"] == id_made(told["kind"], named))
