"""What asks a process to end, answered by the one that started another."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def answered(answer: Callable[[int, object], None]) -> Iterator[None]:
    """Within it `answer` is called for each signal that asks this process to end.

    One that is ignored already stays so; outside the main thread Python allows no handler, and none is set.
    """
    before = {}
    for name in _ASKING if threading.current_thread() is threading.main_thread() else ():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, answer)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
