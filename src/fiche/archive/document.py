"""An entry as the bytes of its `fiche-entry.json`, and back: canonical JSON, read with bounds and no trust.

A key that a newer fiche of the same format added is passed over; a newer format is refused.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fiche.archive.entry import CONFIDENTIALITY, KINDS, Entry, Kept, Row
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import field_names
from fiche.render.canonical import canonical

FORMAT = "fiche-archive-entry/1"
# More than the rows of any decision take; what is longer was not written by fiche.
MOST_BYTES = 8 * 2**20
MOST_ROWS = 20_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
TEXTS = (
    *("id", "kind", "title", "date", "added", "main", "own_id", "author"),
    *("tool_version", "keep_until", "confidentiality", "rights", "source"),
)
_NEEDED = ("id", "kind", "title", "added", "main")
_ROW = frozenset(field_names(Row(model="")))


def document(entry: Entry) -> dict[str, object]:
    """The entry as JSON; what it does not say is absent."""
    texts = {key: getattr(entry, key) for key in TEXTS}
    told: dict[str, object] = {key: text for key, text in texts.items() if text or key in _NEEDED}
    told |= {"format": FORMAT, "files": [_filled(one) for one in entry.files]}
    if entry.format:
        told["content_format"] = entry.format
    if entry.rows:
        told["rows"] = [_filled(one) for one in entry.rows]
    if entry.supersedes:
        told["supersedes"] = list(entry.supersedes)
    if entry.labels:
        told["labels"] = dict(entry.labels)
    return told


def _filled(one: Kept | Row) -> dict[str, object]:
    told = ((key, getattr(one, key)) for key in field_names(one))
    return {key: value for key, value in told if value != ""}


def document_bytes(entry: Entry) -> bytes:
    """The bytes of `fiche-entry.json`: one canonical line, and its end."""
    return canonical(document(entry)) + b"\n"


def read_entry(content: bytes) -> Entry:
    """The entry that a `fiche-entry.json` tells.

    Raises:
        Refused: F931 it is of a newer format; F941 it is no entry, or too long to be one.
    """
    told = parsed(content)
    try:
        return _entry(told)
    except (KeyError, TypeError, ValueError) as error:
        raise no_entry(_why(error)) from None


def parsed(content: bytes) -> dict[str, Any]:
    """The JSON of an entry, of which nothing but its format is known yet.

    Raises:
        Refused: as `read_entry`.
    """
    if len(content) > MOST_BYTES:
        raise no_entry(f"it is longer than {MOST_BYTES // 2**20} MiB")
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        raise no_entry("it is no JSON that can be read") from None
    found = told.get("format") if isinstance(told, dict) else None
    if isinstance(found, str) and found.startswith("fiche-archive-entry/") and found != FORMAT:
        message = f"an entry is of the format {found[:60]}: this fiche reads {FORMAT}"
        raise Refused([Diagnostic(code="F931", message=message, address=None, hint=_NEWER)])
    if found != FORMAT:
        raise no_entry(f"it does not say that it is a {FORMAT}")
    return dict(told)


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


def _entry(told: dict[str, Any]) -> Entry:
    texts = {key: _text(told, key) for key in TEXTS if key in told or key in _NEEDED}
    one_of(texts["kind"], KINDS, "kind")
    one_of(texts.get("confidentiality", ""), ("", *CONFIDENTIALITY), "confidentiality")
    files = tuple(kept_of(each) for each in _list(told, "files"))
    if texts["main"] not in {each.path for each in files}:
        raise ValueError("main is none of the files")
    if len({each.path for each in files}) != len(files):
        raise ValueError("a file is named twice")
    return Entry(
        **{"date": "", **texts},
        files=files,
        rows=tuple(_row(each) for each in _list(told, "rows", needed=False)),
        format=_text(told, "content_format") if "content_format" in told else "",
        supersedes=tuple(_plain(each) for each in _list(told, "supersedes", needed=False)),
        labels=labels_of(told),
    )


def labels_of(told: dict[str, Any]) -> dict[str, str]:
    """The labels; TypeError where they are none."""
    labels = told.get("labels", {})
    if not isinstance(labels, dict) or not all(isinstance(v, str) for v in labels.values()):
        raise TypeError("labels are no texts")
    return labels


def one_of(word: str, known: tuple[str, ...], what: str) -> None:
    """Refuse a word that is none of those known.

    Raises:
        ValueError: with the words that there are.
    """
    if word not in known:
        raise ValueError(f"{what} is none of {', '.join(filter(None, known))}")


def _text(told: dict[str, Any], key: str) -> str:
    return _plain(told[key])


def _plain(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError("a text was expected")
    return told


def _list(told: dict[str, Any], key: str, *, needed: bool = True) -> list[Any]:
    found = told[key] if needed else told.get(key, [])
    if not isinstance(found, list) or (needed and not found):
        raise TypeError(f"{key} is no list")
    return found


def kept_of(told: Any) -> Kept:  # noqa: ANN401 - any JSON
    """A file as an entry tells it; KeyError, TypeError or ValueError where it does not."""
    found, num_bytes = {key: _plain(told[key]) for key in ("path", "sha256")}, told["num_bytes"]
    if type(num_bytes) is not int or num_bytes < 0 or not _SHA256.fullmatch(found["sha256"]):
        raise ValueError("a file without its length or digest")
    return Kept(
        **found,
        num_bytes=num_bytes,
        media_type=_plain(told.get("media_type", "")),
        name=_plain(told.get("name", "")),
    )


def _row(told: Any) -> Row:  # noqa: ANN401 - any JSON
    if not isinstance(told, dict) or not all(type(each) is str for each in told.values()):
        raise TypeError("a row is not made of texts")
    return Row(**{key: text for key, text in told.items() if key in _ROW})
