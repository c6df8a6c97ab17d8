"""A whole archive checked: every bag, and what should agree between them. Nothing is mended unasked.

Bags are checked by several processes, one a processor; what they tell is added up as it comes.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from fiche.archive.around import Related, conflicts, leftovers, line_findings, passed
from fiche.archive.fixity import Finding, bags_in, portions
from fiche.archive.founding import BAGS
from fiche.archive.identity import bag_path, is_id
from fiche.archive.local import LocalStore
from fiche.archive.payload_paths import plain_place
from fiche.kernel.record import record

# Fewer bags than this are checked before another process would have started.
_ALONE = 1500
_MOST_TOLD = 1000
_AT_ONCE = 16

Progress = Callable[[int, int], None]


@record
class Overall:
    """What a check found. `notes` are worth knowing and wrong with nothing; `untold` findings were too many."""

    num_bags: int = 0
    num_files: int = 0
    num_bytes: int = 0
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    untold: int = 0


class _Sum:
    """What comes in, added up; of many findings the first ones are kept, the others counted."""

    def __init__(self) -> None:
        self.counts = [0, 0, 0]
        self.findings: list[Finding] = []
        self.untold = 0
        self.related: list[Related] = []

    def take(self, told: Any) -> None:  # noqa: ANN401 - a line of JSON
        """One portion of bags."""
        self.counts = [a + b for a, b in zip(self.counts, told["counts"], strict=True)]
        for each in told["findings"]:
            self.find(Finding(*each))
        for id, supersedes, keep_until in told["related"]:
            self.related.append(Related(id=id, supersedes=tuple(supersedes), keep_until=keep_until))

    def find(self, finding: Finding) -> None:
        """One finding more."""
        if len(self.findings) < _MOST_TOLD:
            self.findings.append(finding)
        else:
            self.untold += 1


def check_archive(
    store: LocalStore, today: str, *, quick: bool, progress: Progress | None = None
) -> Overall:
    """Check every bag of an archive, and the archive around them; `today` is a day."""
    total = _Sum()
    ids, folders = _listed(store, total)
    root = str(store.root)
    for told in _told(root, folders, len(ids), quick=quick):
        total.take(told)
        if progress is not None:
            progress(total.counts[0], len(ids))
    notes: list[Finding] = []
    for finding in line_findings(store, ids):
        total.find(finding)
    for finding, is_note in leftovers(store):
        notes.append(finding) if is_note else total.find(finding)
    for finding in conflicts(total.related, ids):
        total.find(finding)
    notes += passed(total.related, today)
    return _overall(total, notes)


def check_entries(store: LocalStore, ids: Iterable[str], today: str, *, quick: bool) -> Overall:
    """Check some bags alone.

    Raises:
        Refused: F932 one is not there.
    """
    total = _Sum()
    places = []
    for id in ids:
        store.exists(id)
        places.append(bag_path(id))
    for told in portions(str(store.root), iter(places), quick=quick):
        total.take(told)
    return _overall(total, list(passed(total.related, today)))


def _overall(total: _Sum, notes: Sequence[Finding]) -> Overall:
    return Overall(
        num_bags=total.counts[0],
        num_files=total.counts[1],
        num_bytes=total.counts[2],
        findings=tuple(total.findings),
        notes=tuple(notes[:_MOST_TOLD]),
        untold=total.untold,
    )


# --- Bags -----------------------------------------------------------------------------------------


def _listed(store: LocalStore, total: _Sum) -> tuple[set[str], list[str]]:
    """The ids of all bags and the folders that they lie in; whatever else lies there is told."""
    ids: set[str] = set()
    folders: list[str] = []
    for each in _within(store, BAGS, total):
        if not _is_folder_of_bags(each):
            total.find(Finding("F949", plain_place(BAGS, each.name), _NO_BAGS))
            continue
        before = len(ids)
        for bag in _within(store, f"{BAGS}/{each.name}", total):
            place = plain_place(f"{BAGS}/{each.name}", bag.name)
            if not bag.is_dir(follow_symlinks=False) or not is_id(bag.name):
                total.find(
                    Finding("F949", place, "it is no bag: a bag is a folder named by its id")
                )
            elif bag.name[:2] != each.name:
                total.find(Finding("F942", place, f"a bag of this id lies in {bag_path(bag.name)}"))
            else:
                ids.add(bag.name)
        if len(ids) > before:
            folders.append(each.name)
    return ids, folders


_NO_BAGS = "it is no folder of bags: those are named by the first two signs of an id"


def _is_folder_of_bags(each: os.DirEntry[str]) -> bool:
    is_hex = len(each.name) == 2 and all(sign in "0123456789abcdef" for sign in each.name)
    return is_hex and each.is_dir(follow_symlinks=False)


def _within(store: LocalStore, folder: str, total: _Sum) -> list[os.DirEntry[str]]:
    path = store.root / folder
    if path.is_symlink():
        total.find(Finding("F937", folder, "it is a link: nothing behind it is looked at"))
        return []
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda each: each.name)
    except OSError as error:
        total.find(Finding("F933", folder, f"it cannot be read: {error.strerror}"))
        return []


def _told(root: str, folders: Sequence[str], count: int, *, quick: bool) -> Iterator[Any]:
    workers = min(os.cpu_count() or 1, _AT_ONCE, len(folders))
    if count < _ALONE or workers < 2:
        places = (place for folder in folders for place in bags_in(root, folder))
        yield from portions(root, places, quick=quick)
        return
    # Each takes every so many folders of each kind of id: ids are spread evenly.
    shares = [folders[worker::workers] for worker in range(workers)]
    yield from _side_by_side(root, shares, quick=quick)


def _side_by_side(root: str, shares: Sequence[Sequence[str]], *, quick: bool) -> Iterator[Any]:
    """The lines of all processes as they come; whichever way this ends, none is left running."""
    import selectors

    how = "quick" if quick else "full"
    command = [sys.executable, "-m", "fiche.archive.fixity", root, how]
    with _held_back():
        running = [subprocess.Popen([*command, *share], stdout=subprocess.PIPE) for share in shares]
    try:
        with selectors.DefaultSelector() as waiting:
            for each in running:
                assert each.stdout is not None
                waiting.register(each.stdout, selectors.EVENT_READ, each.stdout)
            while waiting.get_map():
                for key, _ in waiting.select():
                    line = key.data.readline()
                    if line:
                        yield json.loads(line)
                    else:
                        waiting.unregister(key.data)
    finally:
        for each in running:
            if each.poll() is None:
                each.terminate()
            each.wait()
            if each.stdout is not None:
                each.stdout.close()
    if any(each.returncode for each in running):
        raise OSError(None, "a process that checks bags has ended early", root)


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Processes that begin here are not interrupted before they know what to do then."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
