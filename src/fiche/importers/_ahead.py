"""Making the next parts of a text (read, digested, unpacked) while the last one is being searched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_WAITING = 2


@contextlib.contextmanager
def ahead(parts: Iterator[bytes]) -> Iterator[Iterator[bytes]]:
    """The same parts in order, made in a thread of their own; it has ended when the block is left."""
    import queue
    import threading

    ready: queue.Queue[bytes | BaseException | None] = queue.Queue(_WAITING)
    left = threading.Event()

    def make() -> None:
        try:
            for part in parts:
                if left.is_set():
                    return
                ready.put(part)
            ready.put(None)
        except BaseException as problem:  # noqa: BLE001 - raised again where the parts are taken
            ready.put(problem)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        yield _taken(ready.get)
    finally:
        left.set()
        while thread.is_alive():
            with contextlib.suppress(queue.Empty):
                ready.get(timeout=0.05)  # it may be waiting for room
        thread.join()


def _taken(take: object) -> Iterator[bytes]:
    assert callable(take)
    while (part := take()) is not None:
        if isinstance(part, BaseException):
            raise part
        yield part
