"""Step 2: the attached files are those of manifest.json, each under its name, no more and no fewer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from fiche.kernel.record import record
from fiche.verify.bounds import refused
from fiche.verify.container import CRATE, MANIFEST, Container, Held, read_json
from fiche.verify.step import Sheet, Step

_FORMAT = "fiche-manifest/1"
_KEYS = ("bytes", "file", "media_type", "name", "relationship", "sha256")
_MADE = ("decision.json", CRATE, MANIFEST)
BUILT_IN = "fiche:"


@record
class Listed:
    """The manifest as it reads: entries by name, and the fiche's own name; empty where it cannot be read."""

    entries: Mapping[str, Mapping[str, Any]]
    fiche: str = ""

    def files(self, container: Container) -> dict[str, bytes]:
        """What went in, by the names that the fiche uses, from the files that are attached."""
        return {
            str(self.entries[one.name]["file"]): one.content
            for one in container.held
            if one.name in self.entries and one.name not in _MADE and not one.damaged
        }


def listed(container: Container) -> Listed:
    """Read the manifest.

    Raises:
        Refused: F904 a name in it leads out of a folder.
    """
    content = container.file(MANIFEST)
    try:
        document = read_json(content) if content is not None else {}
    except ValueError:
        document = {}
    entries = document.get("files")
    if document.get("format") != _FORMAT or not isinstance(entries, list):
        return Listed(entries={})
    found = {str(e["name"]): e for e in entries if isinstance(e, dict) and _is_entry(e)}
    for entry in found.values():
        check_name(str(entry["file"]))
        check_name(str(entry["name"]))
    sources = [str(e["file"]) for e in found.values() if e["relationship"] == "Source"]
    return Listed(entries=found, fiche=sources[0] if len(sources) == 1 else "")


def _is_entry(entry: Mapping[str, Any]) -> bool:
    texts = all(isinstance(entry.get(key), str) for key in _KEYS if key != "bytes")
    return texts and isinstance(entry.get("bytes"), int)


def check_name(name: str) -> None:
    """Refuse a name that a fiche cannot have used: it would lead somewhere else when it is put back.

    Raises:
        Refused: F904.
    """
    plain = name.removeprefix(BUILT_IN)
    parts = PurePosixPath(plain).parts
    acts = any(ord(c) < 32 or ord(c) == 127 for c in plain) or "\\" in plain
    leads = plain.startswith("/") or ".." in parts or plain[1:2] == ":" or not parts
    if acts or leads or len(plain) > 4096:
        hint = "it was not written by fiche: do not put its files anywhere"
        raise refused("F904", f"the name '{name[:80]}' leads out of the report's folder", hint)


def attachments_step(container: Container, found: Listed) -> Step:
    """Compare what is attached with what is listed."""
    sheet = Sheet("attachments", "The attached files are the listed ones")
    for point in container.odd:
        sheet.fault(point.code, point.text)
    held = {one.name: one for one in container.held}
    if not found.entries:
        told = "is missing" if MANIFEST not in held else "cannot be read as fiche writes it"
        sheet.fault("F905", f"{MANIFEST} {told}: nothing says which files belong to the report")
    else:
        _compare(sheet, held, found)
        _describe(sheet, held)
        _doubled(sheet, container)
    total = sum(len(one.content) for one in held.values())
    return sheet.step(f"{len(held)} attached files, {total} bytes, against {MANIFEST}")


def _compare(sheet: Sheet, held: Mapping[str, Held], found: Listed) -> None:
    by_digest: dict[str, str] = {}
    for name, told_of in found.entries.items():
        by_digest.setdefault(told_of["sha256"], name)
    for name in found.entries:
        if name not in held:
            sheet.fault("F905", f"{name} is listed and not attached")
    for name, one in held.items():
        if name == MANIFEST:
            continue
        entry = found.entries.get(name)
        if entry is None:
            sheet.fault("F905", f"{name} is attached and not listed")
            continue
        if one.damaged:
            sheet.fault("F905", f"{name} has other bytes than listed: {one.damaged}")
        elif one.sha256 != entry["sha256"] or len(one.content) != entry["bytes"]:
            other = by_digest.get(one.sha256, "")
            swapped = f": they are those of {other}" if other else ""
            told = f"{entry['bytes']} bytes, sha256 {entry['sha256'][:12]}…"
            is_ = f"{len(one.content)} bytes, sha256 {one.sha256[:12]}…"
            sheet.fault("F905", f"{name} has other bytes than listed ({is_}, not {told}){swapped}")
        if one.media_type != entry["media_type"]:
            told = f"{name} is attached as {one.media_type}, listed as {entry['media_type']}"
            sheet.fault("F906", told)
        if one.relationship and one.relationship != entry["relationship"]:
            told = f"{name} is attached as {one.relationship}, listed as {entry['relationship']}"
            sheet.fault("F906", told)


def _doubled(sheet: Sheet, container: Container) -> None:
    content = container.file(MANIFEST) or b"{}"
    entries = json.loads(content)["files"]
    names = [entry.get("name") for entry in entries if isinstance(entry, dict)]
    for name, count in sorted(Counter(map(str, names)).items()):
        if count > 1:
            sheet.fault("F905", f"{name} is listed twice")
    if len(names) != len(entries) or any(not _is_entry(entry) for entry in entries):
        sheet.fault("F905", f"{MANIFEST} has an entry that is none")


def _describe(sheet: Sheet, held: Mapping[str, Held]) -> None:
    """The crate describes the same files a second time: descriptions are in it and not in the manifest."""
    crate = held.get(CRATE)
    if crate is None:
        sheet.fault("F905", f"{CRATE} is missing: nothing says what the files are")
        return
    try:
        graph = read_json(crate.content).get("@graph")
    except ValueError:
        graph = None
    if not isinstance(graph, list):
        sheet.fault("F906", f"{CRATE} cannot be read as fiche writes it")
        return
    told = {
        str(e.get("name")): e for e in graph if isinstance(e, dict) and e.get("@type") == "File"
    }
    for name, one in held.items():
        if name in (CRATE, MANIFEST) or one.damaged:
            continue
        entry = told.get(name, {})
        for key, value in (
            ("description", one.description),
            ("encodingFormat", one.media_type),
            ("sha256", one.sha256),
        ):
            if entry.get(key) != value:
                sheet.fault("F906", f"{name}: {CRATE} tells another {_WORDS[key]} ('{value[:60]}')")


_WORDS = {"description": "description", "encodingFormat": "type", "sha256": "digest"}
