"""The messages of fiche's reports and their catalogs: `python tools/messages.py`.

Without an option it collects every message of the source, brings `src/fiche/languages/messages.pot` and each
`<tag>.po` up to date and compiles `<tag>.mo`. A new language is `--add TAG`. For translators:
`--export TAG FILE` writes what is left to say as JSON, `--fill TAG FILE` takes it back.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import _catalog as catalogs
from _collect import SOURCE, Entry, entries

FOLDER = SOURCE / "languages"
POT = FOLDER / "messages.pot"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks."""
    asked = _parser().parse_args(arguments)
    found = entries()
    with _alone():
        if asked.check:
            return _check(found)
        if asked.export:
            return _export(found, *asked.export, whole=asked.all)
        if asked.fill:
            _fill(found, *asked.fill)
        elif asked.add:
            _put(FOLDER / f"{asked.add}.po", _current(asked.add, found))
        _write(found)
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    made.add_argument("--check", action="store_true", help="say what is missing or stale; exit 1")
    made.add_argument("--add", metavar="TAG", help="begin a language")
    made.add_argument(
        "--export", nargs=2, metavar=("TAG", "FILE"), help="what is left to say, as JSON"
    )
    made.add_argument("--all", action="store_true", help="with --export: what is said already too")
    made.add_argument(
        "--fill", nargs=2, metavar=("TAG", "FILE"), help="take translations from JSON"
    )
    return made


@contextmanager
def _alone() -> Iterator[None]:
    """One at a time: two runs would lose each other's translations."""
    folder = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _tags() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.po"))


def _current(tag: str, found: Sequence[Entry]) -> catalogs.Plain:
    return catalogs.updated(tag, catalogs.read(FOLDER / f"{tag}.po"), found)


def _outputs(found: Sequence[Entry]) -> dict[Path, bytes]:
    made = {POT: catalogs.po_bytes(catalogs.template(found))}
    for tag in _tags():
        now = _current(tag, found)
        made[FOLDER / f"{tag}.po"] = catalogs.po_bytes(now)
        made[FOLDER / f"{tag}.mo"] = catalogs.mo_bytes(now)
    return made


def _write(found: Sequence[Entry]) -> None:
    for path, content in _outputs(found).items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    for tag in _tags():
        left = sum(1 for _ in catalogs.faults(catalogs.read(FOLDER / f"{tag}.po")))
        _say(f"{tag}: {len(found)} messages, {left} left")


def _put(path: Path, catalog: catalogs.Plain) -> None:
    path.write_bytes(catalogs.po_bytes(catalog))


def _check(found: Sequence[Entry]) -> int:
    wrong = 0
    for path, content in _outputs(found).items():
        if not path.exists() or path.read_bytes() != content:
            wrong += 1
            _say(f"{path.name}: stale; run `make messages`")
    for tag in _tags():
        for message, why in catalogs.faults(catalogs.read(FOLDER / f"{tag}.po")):
            wrong += 1
            _say(f"{tag}: {message.context or '-'}: {why}: {message.id!r}")
    return 1 if wrong else 0


# --- For translators ----------------------------------------------------------------------------


def _name(message: object) -> str:
    """A short name of a message, which changes with its text."""
    told = json.dumps([message.context, message.id])
    return hashlib.sha256(told.encode()).hexdigest()[:10]


def _export(found: Sequence[Entry], tag: str, file: str, *, whole: bool) -> int:
    now = _current(tag, found)
    why: dict[str, list[str]] = {}
    for message, said in catalogs.faults(now):
        why.setdefault(_name(message), []).append(said)
    rows = []
    for message in now:
        if not message.id or not (whole or _name(message) in why):
            continue
        row: dict[str, object] = {"id": _name(message), "context": message.context}
        row["en"] = message.id
        row["files"] = [place for place, _ in message.locations]
        row["why"] = why.get(_name(message), [])
        row[tag] = message.string
        rows.append(row)
    Path(file).write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _say(f"{tag}: {len(rows)} messages in {file}")
    return 0


def _fill(found: Sequence[Entry], tag: str, file: str) -> None:
    """Take a JSON of rows as exported, or of {id: text or list of forms}."""
    given = json.loads(Path(file).read_text(encoding="utf-8"))
    if isinstance(given, list):
        given = {row["id"]: row[tag] for row in given}
    now = _current(tag, found)
    taken, refused = 0, 0
    for message in now:
        told = given.pop(_name(message), "") if message.id else ""
        told = [told] if isinstance(told, str) and not isinstance(message.string, str) else told
        if not told or not all(told):
            continue
        before, flags = message.string, set(message.flags)
        message.string = told if isinstance(message.string, str) else _forms(told, now.plural_count)
        message.flags -= {"fuzzy"}
        wrong = [why for each, why in catalogs.faults([message]) if each is message]
        if wrong:
            message.string, message.flags = before, flags
            _say(f"refused {_name(message)}: {'; '.join(wrong)}: {told!r}")
            refused += 1
        else:
            taken += 1
    _put(FOLDER / f"{tag}.po", now)
    _say(f"{tag}: {taken} taken, {refused} refused, {len(given)} of no message here")


def _forms(told: Sequence[str], count: int) -> tuple[str, ...]:
    """A list of forms; where one is left out, as `many` may be, the last stands for it."""
    return tuple((list(told) + [told[-1]] * count)[:count])


if __name__ == "__main__":
    sys.exit(main())
