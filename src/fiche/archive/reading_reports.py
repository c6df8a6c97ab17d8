"""What fiche compiled: a decision, alone, in the folder of its report, or taken out of a report."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fiche.archive.decision_rows import FORMAT, decision_rows, under
from fiche.archive.reading import Files, Subject, plain
from fiche.archive.refusals import refused
from fiche.kernel.custody import Custody, highest

DECISION = "decision.json"
_DEEPEST = 8
_DIGEST = re.compile(r"[0-9a-f]{64}")


def decision(files: Files, named: str, *, main: str = "") -> Subject:
    """A decision and what lies beside it; `named` is its `decision.json`.

    Raises:
        Refused: F935 it is no decision that can be read.
    """
    told = _told(files[named], named)
    fiche, tool = under(told, "fiche"), under(told, "tool")
    return Subject(
        kind="decision",
        title=_text(told, "title") or named,
        files=files,
        main=main or named,
        rows=decision_rows(told),
        date=_text(told, "date"),
        format=_text(told, "format"),
        own_id=_text(fiche, "id"),
        author=_text(told, "author"),
        tool_version=f"{_text(tool, 'name')} {_text(tool, 'version')}".strip(),
        custody=_custody(told),
        replaces=tuple(filter(is_digest, (_text(fiche, "replaces"),))),
    )


def _custody(told: Mapping[str, Any]) -> Custody:
    """What the fiche said of keeping and showing it; of its level the highest, with those of its pieces."""
    pieces = told.get("pieces")
    every = [under(told, "fiche"), *(pieces if isinstance(pieces, list) else ())]
    levels = (_text(each, "confidentiality") for each in every if isinstance(each, dict))
    named = every[0].get("supersedes")
    return Custody(
        rights=_text(every[0], "rights"),
        confidentiality=highest(Custody(confidentiality=level) for level in levels),
        keep_until=_text(every[0], "keep_until"),
        identifier=_text(every[0], "identifier"),
        supersedes=tuple(filter(is_text, named if isinstance(named, list) else ())),
    )


def is_text(told: object) -> bool:
    """True for a text."""
    return isinstance(told, str)


def is_digest(text: str) -> bool:
    """True for the digest of a decision that a choice replaces; it may be told in free words as well."""
    return _DIGEST.fullmatch(text) is not None


def _text(told: Mapping[str, Any], key: str) -> str:
    found = told.get(key)
    return found if isinstance(found, str) else ""


def _told(content: bytes | Path, name: str) -> Mapping[str, Any]:
    content = plain(content) if isinstance(content, Path) else content
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        hint = "write the report again, and add that"
        raise refused("F935", f"{name} is no decision that this fiche reads", hint)
    return told


def report_folder(folder: Path) -> Subject:
    """The folder of a report, whole.

    Raises:
        Refused: F935 it is none.
    """
    if not (folder / DECISION).is_file():
        hint = "name the fiche, the record or the report in it; of a report, the folder with decision.json"
        raise refused("F935", f"{folder} is no folder of a report: it has no {DECISION}", hint)
    files = dict(_plain_files(folder, ""))
    return decision(files, DECISION)


def _plain_files(folder: Path, above: str, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """Every plain file below a folder; a link or a device is no part of a report."""
    if depth > _DEEPEST:
        raise refused(
            "F935", f"{folder} is nested too deep for a report", "name the report's folder"
        )
    for each in sorted(os.scandir(folder), key=lambda each: each.name):
        name = f"{above}{each.name}"
        if each.is_dir(follow_symlinks=False):
            yield from _plain_files(Path(each.path), f"{name}/", depth + 1)
        elif each.is_file(follow_symlinks=False):
            yield name, plain(Path(each.path))
        else:
            hint = "a report is made of plain files: put the file itself there, or take it away"
            raise refused("F935", f"{each.path} is a link, or no file", hint)
