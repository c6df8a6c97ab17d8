"""What bounds the process of a simulation: its address space, its dumps, and the life of whoever asked for it.

These are no fence around hostile code: a function of one's own runs with one's own rights. They keep a mistake
in it, or a model that is larger than thought, from taking the machine along.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
# What torch's allocator of host memory and C++ say where the system gives no more.
_WITHOUT_MEMORY = (
    *("can't allocate memory", "cannot allocate memory", "std::bad_alloc"),
    "failed to map segment from shared object",
)


def bound(memory_bytes: int | None) -> None:
    """Bound this process: no more than so much address space, no core dump, no life without its parent.

    Where the system knows no such bound (Windows; macOS for the address space), it runs without.
    """
    _end_with_parent()
    try:
        import resource
    except ImportError:
        return
    bounds = [(resource.RLIMIT_CORE, 0)]
    if memory_bytes is not None:
        bounds.append((resource.RLIMIT_AS, memory_bytes))
    for which, most in bounds:
        with contextlib.suppress(OSError, ValueError, OverflowError):
            resource.setrlimit(which, (most, most))


def _end_with_parent() -> None:
    """Where the parent is killed this process ends too; one that is gone by now leaves an empty job."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def is_without_memory(error: BaseException) -> bool:
    """True where the system refused this very process more memory; a simulated device is another matter."""
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return False
        if isinstance(seen, MemoryError) or any(w in text_of(seen) for w in _WITHOUT_MEMORY):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def text_of(error: BaseException) -> str:
    """What an exception says; the text of some raises in its turn."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - whatever a program makes of it
        return ""
