"""What `fiche simulate` does: check, run the child, write what it made, show it."""

from __future__ import annotations

import json as json_module
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche.cli.interrupt import held
from fiche.cli.output import take_back, write_new_file
from fiche.cli.simulating_jobs import Asked, asked
from fiche.cli.terminal import clean, put_json, put_message, put_text
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.simulate import run
from fiche.simulate.job import FUNCTION
from fiche.simulate.run import Ended, run_child, sentence

_CODES = {run.REFUSED: "F580", run.MEMORY: "F581", run.TIME: "F581"}
_HINTS = {
    run.MEMORY: "a larger limit: --memory-limit AMOUNT, or none",
    run.TIME: "a larger limit: --time-limit DURATION; smaller dimensions take no less time",
}


def simulate_asked(typed: Mapping[str, Any]) -> None:
    """Do what the options ask for.

    Raises:
        Refused: F580 it cannot be simulated; F581 a limit was reached; F582 what was simulated failed, or its
            process was ended; F583 a file exists; whatever is wrong with the options. No file is left then.
        KeyboardInterrupt: by Ctrl-C; nothing is left.
    """
    what = asked(typed)
    if typed["dry_run"]:
        _show_planned(what, json=typed["json"])
        return
    _refuse_existing(what)
    if sys.stderr.isatty():
        put_message(f"simulating {what.title}")
    began = time.monotonic_ns()
    ended = run_child(what.job, what.seconds)
    _stop_if_asked(ended)
    if ended.outcome != run.DONE:
        raise Refused([_why(what, ended)])
    told = json_module.loads(ended.document)
    _pass_on(what, ended.told)
    _write(what, ended)
    _show(what, told, time.monotonic_ns() - began, json=typed["json"])


def _show_planned(what: Asked, *, json: bool) -> None:
    from fiche.cli.simulated_text import planned_json, planned_text

    if json:
        put_json(planned_json(what))
    else:
        put_text(clean(planned_text(what)))


def _refuse_existing(what: Asked) -> None:
    for path in what.paths:
        if os.path.lexists(path):
            raise Refused([_exists(path)])


def _exists(path: Path) -> Diagnostic:
    hint = "choose another name with --output: a simulation is never overwritten"
    return Diagnostic(code="F583", message=f"{path} exists already", address=None, hint=hint)


def _stop_if_asked(ended: Ended) -> None:
    """End as the one wants who asked for it; the child has ended by now, and wrote nothing."""
    if ended.outcome == run.INTERRUPTED:
        if ended.asked is not None and ended.asked != signal.SIGINT:
            os.kill(os.getpid(), ended.asked)
        raise KeyboardInterrupt


def _why(what: Asked, ended: Ended) -> Diagnostic:
    """One sentence; before it what the process said, where the code is the user's own."""
    _pass_on(what, ended.told.rpartition("\n")[0].rstrip() if ended.last else "")
    return Diagnostic(
        code=_CODES.get(ended.outcome, "F582"),
        message=sentence(ended, what.job, what.seconds),
        address=None,
        hint=_HINTS.get(ended.outcome, ""),
    )


def _pass_on(what: Asked, said: str) -> None:
    """What a user's function prints; what libraries have to say of a ready workload is nobody's question."""
    if what.job.workload == FUNCTION and said:
        put_message(said)


def _write(what: Asked, ended: Ended) -> None:
    """Both files or none, also where somebody asks for the end between the two."""
    with held():
        write_new_file(what.output, ended.document)
        if what.events is not None:
            try:
                write_new_file(what.events, ended.events)
            except Refused:
                take_back([what.output])
                raise


def _show(what: Asked, told: Mapping[str, Any], nanoseconds: int, *, json: bool) -> None:
    from fiche.cli.simulated_text import simulated_text

    if json:
        put_json(told)
    else:
        put_text(clean(simulated_text(what, told, nanoseconds)))
