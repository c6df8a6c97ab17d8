"""Reading a file in a process of its own, with a bound on its memory and its time (law 7).

A few hundred bytes can make a parser build gigabytes. Where the system has `fork` and tells how much
memory a process has mapped (Linux), the child may take `FACTOR` times the input and `BESIDE` more; on
other systems with `fork` only the time is bounded; on systems without, reading happens in this process,
unbounded. Time is that of the processor, so that a busy machine refuses nothing. What comes back is rebuilt
from our own nouns alone.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Reading
from fiche.kernel.said import Listed, Said, Short, Shown

# Up to here the input is too short to make much of; a child would cost more than it protects.
SMALL = 1024 * 1024
FACTOR = 16
BESIDE = 200 * 1024 * 1024
# Processor time. The slowest importers read some megabytes a second.
SECONDS = 10
BYTES_A_SECOND = 500_000
# A child that waits for something takes no processor time: so many times as long, and no longer.
_TIMES_AS_LONG, _WAIT_S = 20, 20
_STEP = 1024 * 1024
_LOOK_AFTER_PARENT_S = 0.5
# Of Linux's `prctl`: a signal for when the parent ends.
_PR_SET_PDEATHSIG = 1
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")


class DefectError(Exception):
    """The reader in the child failed by a defect of ours; the message is its traceback."""


def within_budget(
    read: Callable[[], Reading],
    num_bytes: int,
    sha256: str,
    *,
    apart: bool = False,
    seconds: int = SECONDS,
) -> Reading:
    """What `read` returns for an input of `num_bytes` unpacked bytes; `apart` bounds a short one too.

    It may take so many `seconds` of a processor, and one more for every half megabyte.

    Raises:
        Refused: what `read` refuses; F471, it took more memory than it may; F472, it was killed, or did not
            answer in time.
    """
    if not (apart or num_bytes > SMALL) or not hasattr(os, "fork"):
        return read()
    return _answer(_from_child(read, num_bytes, sha256, seconds), sha256)


def _from_child(read: Callable[[], Reading], num_bytes: int, sha256: str, seconds: int) -> bytes:
    """All that the child says before it ends."""
    import signal

    limits = _Limits(num_bytes, seconds + num_bytes // BYTES_A_SECOND)
    said, status = None, 0
    out, into = os.pipe()
    with _signals_held():
        child = os.fork()
        if child == 0:
            os.close(out)
            _be_the_child(read, limits, into)
    os.close(into)
    try:
        said = _all_of(out, limits.wait)
    finally:
        os.close(out)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # it has said all it will say
        status = os.waitpid(child, 0)[1]
    if said is None or (not said and os.WIFSIGNALED(status) and os.WTERMSIG(status) in _late()):
        message = "reading took longer than a file of this length may take"
        raise refused("F472", message, sha256, hint="cite the part of it that matters")
    return said


class _Limits:
    """What a child may take: memory for an input of so many bytes, seconds of a processor, and of waiting."""

    def __init__(self, num_bytes: int, seconds: int) -> None:
        self.num_bytes, self.seconds = num_bytes, max(1, seconds)
        self.wait = _TIMES_AS_LONG * seconds + _WAIT_S
        self.parent = os.getpid()
        self.dies_with_parent = _tie()


def _late() -> tuple[int, ...]:
    """The signals that end a child which took too long."""
    import signal

    return signal.SIGXCPU, signal.SIGALRM


def _tie() -> Callable[[], None] | None:
    """What a child calls to end with its parent, whatever it is doing; None where there is no such call."""
    if not sys.platform.startswith("linux"):
        return None
    import signal

    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    wanted = [_PR_SET_PDEATHSIG, *map(ctypes.c_ulong, (signal.SIGKILL, 0, 0, 0))]
    return lambda: prctl(*wanted)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Until the child has its own way with signals, it must not act on its parent's behalf."""
    import signal

    asking = [getattr(signal, name) for name in _ASKING]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, asking)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _all_of(out: int, seconds: float) -> bytes | None:
    """What comes through a pipe until its end; None where that takes longer than `seconds`."""
    import selectors
    import time

    parts: list[bytes] = []
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if selector.select(left):
                part = os.read(out, _STEP)
                if not part:
                    return b"".join(parts)
                parts.append(part)
    return None


# --- In the child ---------------------------------------------------------------------------------


def _be_the_child(read: Callable[[], Reading], limits: _Limits, into: int) -> NoReturn:
    try:
        _limit(limits)
        _say(into, _outcome(read))
    finally:
        os._exit(0)  # nothing of the parent's is flushed or removed twice


def _outcome(read: Callable[[], Reading]) -> tuple[bytes, object]:
    try:
        return b"R", read()
    except Refused as refusal:
        return b"D", tuple(refusal.diagnostics)
    except MemoryError:
        return b"M", None
    except BaseException:  # noqa: BLE001 - whatever it is, it is told in the parent
        import traceback

        return b"X", traceback.format_exc()


def _say(into: int, outcome: tuple[bytes, object]) -> None:
    import pickle

    word, value = outcome
    try:
        said = word + pickle.dumps(value, protocol=5)
    except MemoryError:
        said = b"M" + pickle.dumps(None)
    except Exception:  # noqa: BLE001 - a value that cannot travel is a defect of its importer
        import traceback

        said = b"X" + pickle.dumps(traceback.format_exc())
    view = memoryview(said)
    while view:
        view = view[os.write(into, view) :]


def _limit(limits: _Limits) -> None:
    """Signals as they are by default, an end when the parent ends, and no more memory and time than agreed."""
    import resource
    import signal

    asking = [getattr(signal, name) for name in _ASKING]
    for number in asking:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for number in _late():
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.wait + 1)  # its default action is the end
    _end_with_parent(limits)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, asking)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _at_most(resource.RLIMIT_CPU, limits.seconds, over=1)
    mapped = _mapped()
    if mapped is not None:
        _at_most(resource.RLIMIT_AS, mapped + FACTOR * limits.num_bytes + BESIDE)


def _end_with_parent(limits: _Limits) -> None:
    """Where the system has no way, look now and then: code that is not Python's own is then ended late."""
    import signal

    def look(*_: object) -> None:
        if os.getppid() != limits.parent:
            os._exit(1)

    if limits.dies_with_parent is not None:
        limits.dies_with_parent()
    else:
        signal.signal(signal.SIGPROF, look)
        signal.setitimer(signal.ITIMER_PROF, _LOOK_AFTER_PARENT_S, _LOOK_AFTER_PARENT_S)
    look()


def _at_most(limit: int, most: int, over: int = 0) -> None:
    """Never above what this process was given; `over` is how much further the system's last word is."""
    import resource

    _, hard = resource.getrlimit(limit)
    bounded = hard != resource.RLIM_INFINITY
    most = min(most, hard) if bounded else most
    last = hard if not over else min(most + over, hard) if bounded else most + over
    resource.setrlimit(limit, (most, last))


def _mapped() -> int | None:
    """Bytes of memory that this process has mapped; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


# --- What comes back ------------------------------------------------------------------------------


# Texts that fiche tells are plain strings with what fills them: nothing acts when one is made.
_TOLD = (Said, Listed, Shown, Short)


def _answer(said: bytes, sha256: str) -> Reading:
    if not said:
        message = "reading was ended by the system: it ran out of memory, or somebody killed it"
        raise refused("F472", message, sha256, hint="cite the part of the file that matters")
    word, value = said[:1], _rebuilt(said[1:])
    if word == b"R" and isinstance(value, Reading):
        return value
    if word == b"D" and isinstance(value, tuple):
        raise Refused(list(value))
    if word == b"M":
        message = "reading this file takes more memory than a file of its length may take"
        raise refused("F471", message, sha256, hint="cite the part of it that matters")
    raise DefectError(f"in the process that read the file:\n{value}")


def _rebuilt(said: bytes) -> object:
    """A value of our own nouns: a child that has been taken over can make nothing else of it."""
    import io
    import pickle

    class Ours(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> object:
            if (module, name) == ("fractions", "Fraction"):
                return Fraction
            found = _noun(module, name)
            if found is None:
                raise pickle.UnpicklingError(f"{module}.{name} is none of our nouns")
            return found

    return Ours(io.BytesIO(said)).load()


def _noun(module: str, name: str) -> type | None:
    """A record of the kernel, or a text that knows its template."""
    if not module.startswith("fiche.kernel.") or not module.replace(".", "_").isidentifier():
        return None
    if module not in sys.modules:
        import importlib

        importlib.import_module(module)
    found = vars(sys.modules[module]).get(name)
    ours = isinstance(found, type) and (hasattr(found, "__fields__") or found in _TOLD)
    return found if ours else None
