"""What should agree around the bags of an archive: lines, leftovers, what supersedes what, and days."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from fiche.archive import additions
from fiche.archive.fixity import Finding
from fiche.archive.founding import INCOMING
from fiche.archive.identity import bag_path, is_id
from fiche.archive.local import LocalStore
from fiche.archive.opened import LinkedError, is_plain, own_folders
from fiche.archive.payload_paths import plain_place, shown
from fiche.archive.refusals import unwritable
from fiche.kernel.record import record

_HOUR_S, _DAY_S = 3600, 86400


@record
class Related:
    """What an entry says that concerns others, or a day."""

    id: str
    supersedes: tuple[str, ...]
    keep_until: str


def line_findings(store: LocalStore, ids: set[str]) -> Iterator[Finding]:
    """Bags without a line, lines without a bag, and lines that are none."""
    if not is_plain(store.root / additions.NAME):
        yield Finding("F937", additions.NAME, "it is a link, or no file: nothing of it is read")
        return
    seen: set[str] = set()
    broken = 0
    for one in additions.every(store.root / additions.NAME):
        if one is None:
            broken += 1
        elif one.id not in ids and one.id not in seen and not _is_there(store, one.id):
            yield Finding(
                "F943", bag_path(one.id), f"{additions.NAME} has a line of it: it is gone"
            )
        if one is not None:
            seen.add(one.id)
    told_elsewhere = {one.id for one in store.unlisted()}
    for id in sorted(ids - seen - told_elsewhere):
        yield Finding("F943", bag_path(id), f"{additions.NAME} has no line of it")
    if broken:
        yield Finding("F943", additions.NAME, f"{broken} of its lines cannot be read")


def _is_there(store: LocalStore, id: str) -> bool:
    """True for a bag that landed since all were listed: its line comes after it.

    Where nobody may look, its folder is told already, and nothing is known of the bag.
    """
    try:
        return (store.root / bag_path(id)).exists()
    except PermissionError:
        return True


def leftovers(store: LocalStore) -> Iterator[tuple[Finding, bool]]:
    """What lies in `incoming/`, and whether it is young enough to be still at work."""
    now = time.time()
    if (store.root / INCOMING).is_symlink():
        yield Finding("F937", INCOMING, "it is a link: nothing behind it is looked at"), False
        return
    try:
        found = sorted(os.scandir(store.root / INCOMING), key=lambda each: each.name)
    except OSError:
        return
    for each in found:
        age = max(now - each.stat(follow_symlinks=False).st_mtime, 0)
        told = f"left by a writer {_age(age)} ago; it is no part of the archive"
        if is_id(each.name[:36]) and (store.root / bag_path(each.name[:36])).exists():
            told = f"left by a writer {_age(age)} ago, whose bag is in its place"
        yield Finding("F944", plain_place(INCOMING, each.name), told), age < _HOUR_S


def _age(seconds: float) -> str:
    for length, word in ((_DAY_S, "day"), (_HOUR_S, "hour"), (60, "minute"), (1, "second")):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {word}{'s' * (count > 1)}"
    return "a moment"


def conflicts(related: Iterable[Related], ids: set[str]) -> Iterator[Finding]:
    """Entries that supersede what is not there, or in a circle, or what another one supersedes, too."""
    successors: dict[str, list[str]] = {}
    for one in related:
        for id in one.supersedes:
            successors.setdefault(id, []).append(one.id)
            if id not in ids:
                told = f"it supersedes {shown(id)}, which is not in the archive"
                yield Finding("F945", bag_path(one.id), told)
    for id, later in sorted(successors.items()):
        latest, is_circle = _latest(id, successors)
        if len(later) > 1 and len(latest) > 1:
            told = f"{', '.join(sorted(latest)[:5])} come after it, and none of them holds for all"
            yield Finding("F945", bag_path(id), told)
        if is_circle:
            yield Finding("F945", bag_path(id), "it is superseded in a circle")


def _latest(id: str, successors: dict[str, list[str]]) -> tuple[set[str], bool]:
    """The entries after one that nothing supersedes, and whether the way leads back to it."""
    seen: set[str] = set()
    ahead = list(successors[id])
    while ahead:
        here = ahead.pop()
        if here not in seen:
            seen.add(here)
            ahead += successors.get(here, ())
    return {each for each in seen if each not in successors}, id in seen


def passed(related: Iterable[Related], today: str) -> Iterator[Finding]:
    """Entries that need not be kept any longer: said, and never acted on."""
    for one in related:
        if one.keep_until and one.keep_until < today:
            told = (
                f"it was to be kept until {_day(one.keep_until)}; whether it goes is for you to say"
            )
            yield Finding("F946", bag_path(one.id), told)


def _day(text: str) -> str:
    """A day as an entry says it; anybody may have written that."""
    return text if text.isprintable() and len(text) <= 20 else shown(text)


def repaired(store: LocalStore) -> tuple[int, int]:
    """Bring `additions.jsonl` in line with the bags, and take old leftovers away: how many of each.

    Lines are blanked where they stand, so that an index that has read so far reads on at the right place.

    Raises:
        Refused: F934 nothing can be written there, or what would be mended is a link and leads elsewhere.
    """
    try:
        return _repaired(store)
    except OSError as error:
        raise unwritable(store.where, error) from error


def _repaired(store: LocalStore) -> tuple[int, int]:
    own_folders(store.root, (INCOMING,))
    if not is_plain(store.root / additions.NAME):
        raise LinkedError(f"{additions.NAME} is a link, or no file")
    ids = set(store.ids())
    lines, listed = additions.blanked(
        store.root / additions.NAME, lambda id: id in ids or _is_there(store, id)
    )
    for id in sorted(ids - listed):
        additions.append(store.root / additions.NAME, store.added(id), durable=store.durable)
        lines += 1
    return lines, sum(1 for _ in _cleared(store))


def _cleared(store: LocalStore) -> Iterator[str]:
    import shutil

    for each in os.scandir(store.root / INCOMING):
        if time.time() - each.stat(follow_symlinks=False).st_mtime > _DAY_S:
            if each.is_dir(follow_symlinks=False):
                shutil.rmtree(each.path)
            else:
                os.unlink(each.path)  # noqa: PTH108 - a link goes, not what it leads to
            yield each.name
