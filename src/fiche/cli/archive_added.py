"""Adding paths to an archive one by one, and saying what became of each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fiche.archive.entry import CONFIDENTIALITY, Entry
from fiche.archive.identity import bag_path
from fiche.archive.reading import Told, entry_of
from fiche.archive.store import Store
from fiche.cli.archive_options import guarded, named
from fiche.cli.terminal import put_json, put_text
from fiche.cli.usage import together, unknown
from fiche.importers._room import Room
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record

if TYPE_CHECKING:
    from fiche.verify.container import Held


@record
class Outcome:
    """What became of one path: an entry that is new or was there already."""

    path: str
    entry: Entry
    is_new: bool


def asked(
    paths: Sequence[Path],
    *,
    kind: str | None,
    supersedes: Sequence[str] | None,
    keep_until: str | None,
    confidentiality: str | None,
    rights: str | None,
    label: Sequence[str] | None,
) -> Told:
    """What is said of the entries on the command line.

    Raises:
        Refused: F701, F702 an option says nothing that can be kept.
    """
    if supersedes and len(paths) > 1:
        raise Refused([together("--supersedes: several paths are named", "add the new one alone")])
    if confidentiality is not None and confidentiality not in CONFIDENTIALITY:
        raise Refused([unknown("confidentiality", confidentiality, CONFIDENTIALITY)])
    return Told(
        importers=Room(),
        added=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        attached=_attached,
        long=_long,
        kind=kind or "",
        supersedes=tuple(dict.fromkeys(supersedes or ())),
        keep_until=_day(keep_until),
        confidentiality=confidentiality or "",
        rights=rights or "",
        labels=_labels(label or ()),
    )


def _day(text: str | None) -> str:
    if text is None:
        return ""
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        told = together(f"--keep-until {text!r} is no day", "write it as 2036-12-31")
        raise Refused([told]) from None


def _labels(given: Sequence[str]) -> Mapping[str, str]:
    """NAME=TEXT each; a name that is given twice says one thing."""
    found: dict[str, str] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not equals or not name.strip() or found.get(name.strip(), text) != text:
            hint = "write it as --label project=docs-assistant, each name once"
            raise Refused([together(f"--label {each!r} is no NAME=TEXT", hint)])
        found[name.strip()] = text
    return found


def _long(path: Path, kind: str) -> Reading:
    """Evidence of any length, read as `fiche import` reads it: a log is searched, never held."""
    from fiche.importers._intake import take_in
    from fiche.load.folder import UnreadableError, open_file

    try:
        with open_file(path, str(path)) as content:
            return take_in(content, path.name, kind or None).reading
    except UnreadableError as problem:
        raise Refused([problem.told]) from None


def _attached(content: bytes) -> Mapping[str, bytes]:
    """What a report carries; nothing, where it is no report of fiche.

    Raises:
        Refused: F901, F903 it is broken, or holds more than is read.
    """
    try:
        if content[:1024].lstrip().startswith(b"%PDF"):
            from fiche.verify.pdf_read import read_pdf as read
        else:
            from fiche.verify.html_read import read_html as read
        return {one.name: _whole(one) for one in read(content).held}
    except Refused as refused:
        if refused.diagnostics[0].code != _NO_REPORT:
            raise
        return {}


def _whole(one: Held) -> bytes:
    if one.damaged:
        from fiche.verify.bounds import broken

        raise broken(f"{one.name}, which it carries: {one.damaged}")
    return one.content


_NO_REPORT = "F900"


def add_paths(paths: Sequence[Path], archive: str | None, told: Told, *, as_json: bool) -> None:
    """Add every path that can be added, then refuse with what is wrong with the others.

    Raises:
        Refused: F930 no archive is named, or something else is there; F932 what is superseded is not in it;
            F934 it cannot be written; whatever is wrong with a path.
    """
    where, store, is_made = named(archive), None, False
    done: list[Outcome] = []
    wrong: list[Diagnostic] = []
    for path in paths:
        try:
            entry, files = entry_of(path, told)
        except Refused as refused:
            wrong += refused.diagnostics
            continue
        if store is None:  # nothing is made for what cannot be read
            store, is_made = _opened(where, told)
        try:
            done.append(Outcome(path=str(path), entry=entry, is_new=store.put(entry, files)))
        except Refused as refused:  # what was added before stays, and is told
            wrong += refused.diagnostics
            break
    _told(where, done, wrong, is_made=is_made, as_json=as_json)
    if wrong:
        raise Refused(wrong)


def _told(
    where: str,
    done: Sequence[Outcome],
    wrong: Sequence[Diagnostic],
    *,
    is_made: bool,
    as_json: bool,
) -> None:
    if as_json:
        put_json(_json(where, done, wrong, is_made=is_made))
    elif done:
        put_text(_text(where, done, is_made=is_made))


def _opened(where: str, told: Told) -> tuple[Store, bool]:
    """The archive; a new one, where there is nothing yet and nothing is said to be in it."""
    try:
        store, is_made = Store.opened(where), False
    except Refused as refused:
        if refused.diagnostics[0].code != "F930" or told.supersedes:
            raise
        store, is_made = Store.made(where), True
    for id in told.supersedes:
        store.entry(id)
    return guarded(store), is_made


def _text(where: str, done: Sequence[Outcome], *, is_made: bool) -> str:
    lines = [f"a new archive: {where}"] if is_made else []
    for one in done:
        entry = one.entry
        state = "added" if one.is_new else "there already, unchanged"
        lines.append(f"{entry.id}  {state}: {entry.kind}, {entry.title}")
    return "".join(f"{line}\n" for line in lines)


def _json(
    where: str, done: Sequence[Outcome], wrong: Sequence[Diagnostic], *, is_made: bool
) -> dict[str, object]:
    told: dict[str, object] = {
        "format": "fiche-archive-added/1",
        "archive": where,
        "archive_made": is_made,
        "entries": [_entry_json(one) for one in done],
    }
    if wrong:
        told["refused"] = [
            {"code": one.code, "message": one.message, "hint": one.hint} for one in wrong
        ]
    return told


def _entry_json(one: Outcome) -> dict[str, object]:
    entry = one.entry
    return {
        "path": one.path,
        "id": entry.id,
        "added": one.is_new,
        "kind": entry.kind,
        "title": entry.title,
        "bag": bag_path(entry.id),
        "files": len(entry.files),
        "rows": len(entry.rows),
    }
