"""Making an index by several processes: each reads a share of the bags, and one enters what they hand over.

Run as a program, it is one of those that read. It ends by itself when nobody takes its lines any more.
"""

from __future__ import annotations

import marshal
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from fiche.archive.index_database import Database
from fiche.archive.index_lines import Aliases, Line, Words, also, no_aliases
from fiche.archive.local import LocalStore
from fiche.archive.refusals import refused
from fiche.archive.store import Store

# Fewer bags than this are read sooner than another process has started.
_ALONE = 4000
_AT_ONCE = 4
_HEAD = 8


def shares_of(store: Store, count: int) -> int:
    """How many processes read that many bags; one is this one alone."""
    if count < _ALONE or not isinstance(store, LocalStore):
        return 1
    return min(os.cpu_count() or 1, _AT_ONCE)


def side_by_side(
    database: Database,
    store: Store,
    aliases: Aliases,
    ids: Sequence[str],
    told: Any,  # noqa: ANN401
) -> None:
    """Enter all entries, read by several processes.

    Raises:
        Refused: F950 one of them has ended early.
    """
    shares = shares_of(store, len(ids))
    count = 0
    for name, lines in _handed(store.where, shares):
        if name == "words":
            lines = [_named(line, aliases) for line in lines]
        database.fill(name, lines)
        if name == "entries":
            count += len(lines)
            told(count)


def _named(line: Line, aliases: Aliases) -> Line:
    """A new word with its other names, which only this process knows."""
    n, kind, text, folded, _ = line
    return n, kind, text, folded, also(aliases(str(kind), str(text)))


def _handed(where: str, shares: int) -> Iterator[tuple[str, list[Line]]]:
    """What all processes hand over, as it comes; whichever way this ends, none is left running."""
    command = [sys.executable, "-m", "fiche.archive.index_apart", where]
    running = [
        subprocess.Popen([*command, str(share), str(shares)], stdout=subprocess.PIPE)
        for share in range(shares)
    ]
    try:
        yield from _taken([each.stdout for each in running if each.stdout is not None])
    finally:
        for each in running:
            if each.stdout is not None:
                each.stdout.close()  # whoever still writes ends
            each.wait()
    if any(each.returncode for each in running):
        hint = "try again; fiche archive check names a bag that cannot be read"
        raise refused("F950", f"{where}: a process that reads bags has ended early", hint)


def _taken(streams: Sequence[Any]) -> Iterator[tuple[str, list[Line]]]:
    with selectors.DefaultSelector() as waiting:
        for each in streams:
            waiting.register(each, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                found = _frame(key.fileobj)
                if found is None:
                    waiting.unregister(key.fileobj)
                else:
                    yield found


def _frame(stream: Any) -> tuple[str, list[Line]] | None:  # noqa: ANN401 - a pipe
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        return None
    content = stream.read(int.from_bytes(head, "big"))
    name, lines = marshal.loads(content)  # of a process that this one has started
    return str(name), list(lines)


def read(where: str, share: int, shares: int, into: BinaryIO) -> None:
    """Read every so many bags, and hand over their lines; numbers are every so many too."""
    from fiche.archive.index_filled import Filling

    def hand_over(name: str, lines: Sequence[Line]) -> None:
        content = marshal.dumps((name, list(lines)))
        into.write(len(content).to_bytes(_HEAD, "big") + content)

    store = Store.opened(where)
    words = Words((), no_aliases, first=share + 1, step=shares)
    filling = Filling(hand_over, words, share + 1, shares)
    for told in store.documents(list(store.ids())[share::shares]):
        filling.take(told)
    filling.flush()
    into.flush()


def main() -> None:
    """Read a share: WHERE, which one, of how many."""
    import gc

    gc.set_threshold(100_000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that takes the lines is asked to end
    where, share, shares = sys.argv[1:]
    try:
        read(where, int(share), int(shares), sys.stdout.buffer)
    except BrokenPipeError:
        os._exit(1)


if __name__ == "__main__":
    main()
