"""What the check of an archive found, in the terminal or as JSON."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from fiche.archive.around import repaired
from fiche.archive.checking import Overall, check_archive, check_entries
from fiche.archive.fixity import Finding
from fiche.archive.local import LocalStore
from fiche.archive.store import Store
from fiche.cli.archive_options import opened
from fiche.cli.streams import write_error
from fiche.cli.terminal import clean, put_json, put_text
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.report.numbers import exact

# Shorter checks say nothing until they are done.
_QUIET_S = 1.0
_EVERY_S = 0.2


def check_and_tell(
    ids: Sequence[str], archive: str | None, *, quick: bool, repair: bool, as_json: bool
) -> bool:
    """Check an archive, or some entries of it, and say what was found; False where something is wrong.

    Raises:
        Refused: F930, F931, F936 there is no archive; F932 an entry is not there; F702 options that go ill.
    """
    store = opened(archive)
    if repair and (ids or not isinstance(store, LocalStore)):
        hint = "--repair is for a whole archive in a folder"
        raise Refused([together("--repair goes with neither ids nor a URL", hint)])
    mended = repaired(store) if repair and isinstance(store, LocalStore) else None
    found = _checked(store, ids, quick=quick)
    if as_json:
        put_json(_json(store, found, mended, quick=quick))
    else:
        put_text(_text(store, found, mended, quick=quick))
    return not found.findings


def _checked(store: Store, ids: Sequence[str], *, quick: bool) -> Overall:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    if not isinstance(store, LocalStore):
        from fiche.archive.checking_remote import check_remote

        return check_remote(store, ids, today, quick=quick)
    if ids:
        return check_entries(store, ids, today, quick=quick)
    with _Progress() as progress:
        return check_archive(store, today, quick=quick, progress=progress)


class _Progress:
    """How far a long check is, on a terminal; nothing of it stays on the screen."""

    def __init__(self) -> None:
        self._is_wanted = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _QUIET_S
        self._is_shown = False

    def __enter__(self) -> _Progress:
        return self

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._is_wanted and now >= self._next:
            write_error(f"\r\x1b[Kchecked {done} of {total} entries")
            self._is_shown, self._next = True, now + _EVERY_S

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            write_error("\r\x1b[K")


def _text(store: Store, found: Overall, mended: tuple[int, int] | None, *, quick: bool) -> str:
    lines = [f"{one.code} {one.place}: {one.message}" for one in found.findings]
    lines += [f"and {found.untold} more"] * bool(found.untold)
    lines += [f"note: {one.code} {one.place}: {one.message}" for one in found.notes]
    if mended is not None:
        gone = _counted(mended[1], "leftover", "leftovers")
        lines.append(f"mended: {_counted(mended[0], 'line', 'lines')} of additions.jsonl, {gone}")
    how = "names and lengths alone" if quick else f"{exact(found.num_bytes)} bytes read"
    count = len(found.findings) + found.untold
    told = f"{count} wrong" if count else "all as they were written"
    entries = _counted(found.num_bags, "entry", "entries")
    files = _counted(found.num_files, "file", "files")
    lines.append(f"{store.where}: {entries}, {files}, {how}: {told}")
    return "".join(f"{clean(line)}\n" for line in lines)


def _counted(count: int, one: str, several: str) -> str:
    return f"{exact(count)} {one if count == 1 else several}"


def _json(
    store: Store, found: Overall, mended: tuple[int, int] | None, *, quick: bool
) -> dict[str, object]:
    told: dict[str, object] = {
        "format": "fiche-archive-checked/1",
        "archive": store.where,
        "archive_id": store.id,
        "quick": quick,
        "entries": found.num_bags,
        "files": found.num_files,
        "bytes": found.num_bytes,
        "findings": [_finding(one) for one in found.findings],
        "untold": found.untold,
        "notes": [_finding(one) for one in found.notes],
    }
    if mended is not None:
        told["mended"] = {"lines": mended[0], "leftovers": mended[1]}
    return told


def _finding(one: Finding) -> dict[str, str]:
    return {"code": one.code, "place": one.place, "message": one.message}
