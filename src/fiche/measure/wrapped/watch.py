"""Runs inside the user's process: waits for the first use of a GPU, then keeps the process's record."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from functools import partial, wraps
from types import TracebackType
from typing import Any

from fiche.measure.protocol.devices import find_devices
from fiche.measure.protocol.resets import ResetWatch
from fiche.measure.wrapped.program import Program
from fiche.measure.wrapped.settings import settings_of

_KINDS = ("cuda", "xpu")
_IMPATIENT_S = 5.0
_CURRENT: list[Program] = []


def watch(torch: Any) -> None:
    """Ask PyTorch to call back when it initialises an accelerator: imports alone make no record."""
    os.register_at_fork(after_in_child=_CURRENT.clear)
    for kind in _KINDS:
        later = getattr(getattr(torch, kind, None), "_lazy_call", None)
        if later is not None:
            later(partial(_begin_quietly, torch, kind))


def _begin_quietly(torch: Any, kind: str) -> None:
    """The program goes on whatever happens here; that it is not watched is noted."""
    try:
        _begin(torch, kind)
    except Exception as error:  # noqa: BLE001 - never the user's problem
        from fiche.measure.wrapped.hook._fiche_meeting import note

        note(f"{type(error).__name__}: {error}")


def _begin(torch: Any, kind: str) -> None:
    if _CURRENT:
        return
    settings = settings_of(os.environ)
    devices = find_devices(settings.devices or "all")
    program = Program(settings, devices)
    program.begin()
    _CURRENT.append(program)
    ResetWatch(torch._C, program.resets.before)
    program.ooms.follow(torch, kind, snapshot=settings.snapshot)
    _follow_ends(program)


def _follow_ends(program: Program) -> None:
    """Every way in which a Python process ends by itself; forked workers leave by `os._exit`."""
    atexit.register(_at_exit, program)
    _follow_exceptions(program)
    _follow_exits(program)


def _at_exit(program: Program) -> None:
    raised = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    program.end(raised if isinstance(raised, BaseException) else None)


def _follow_exceptions(program: Program) -> None:
    """At once, since a process may hang while it comes down after a failure."""
    inner = sys.excepthook

    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not hasattr(sys, "ps1"):
            program.end(error, patient=False)
        inner(kind, error, trace)

    sys.excepthook = excepthook


def _follow_exits(program: Program) -> None:
    leave, ask = os._exit, sys.exit

    # Under the names of the functions that they stand for, so that both can be pickled as before.
    @wraps(leave)
    def leave_at_once(status: int) -> Any:
        if program.runs_here():
            program.exit_asked = status
            _hurried(partial(_end_impatiently, program))
        leave(status)

    @wraps(ask)
    def ask_to_leave(status: Any = None, /) -> Any:
        program.exit_asked = status if isinstance(status, int) else int(status is not None)
        ask(status)

    leave_at_once.__module__ = "os"
    os._exit = leave_at_once
    sys.exit = ask_to_leave


def _end_impatiently(program: Program) -> None:
    with contextlib.suppress(Exception):
        program.end(patient=False)


def _hurried(act: Callable[[], None]) -> None:
    """Whoever leaves at once may hold a lock, or a device that answers no more: it is not waited for long."""
    thread = threading.Thread(target=act, daemon=True)
    try:
        thread.start()
        thread.join(_IMPATIENT_S)
    except RuntimeError:  # no more threads
        pass
