"""What `fiche run` does: ask for a GPU, make the folder, run the command, tell what it left."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from fiche import __version__
from fiche.cli.interrupt import INTERRUPTED
from fiche.cli.output import exists, write_file
from fiche.cli.running_text import summary
from fiche.cli.running_words import covered, declared, identifier
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record, replace
from fiche.kernel.secrets import replaced
from fiche.measure.wrapped.asking import HOOK, why_not
from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.command import run as run_command
from fiche.measure.wrapped.finishing import Left, finish, unwatched
from fiche.measure.wrapped.index import NAME, index
from fiche.measure.wrapped.settings import HOOK as HOOK_VARIABLE
from fiche.measure.wrapped.settings import Settings

_FAILED = 3
_INNER = frozenset(("FICHE_RUN_FOLDER", "FICHE_RUN_ID", HOOK_VARIABLE))


@record
class Asked:
    """The options as typed; `words` are case, machine and gpu, empty where not given."""

    command: tuple[str, ...]
    output: Path | None
    run: str | None
    snapshot: bool
    covers: str | None
    dimensions: tuple[str, ...]
    words: Mapping[str, str]
    devices: tuple[str, ...]
    json: bool


def run_asked(asked: Asked) -> int:
    """Run the command to its end, and return the exit code of `fiche run` (law 9).

    Raises:
        Refused: F540 an option cannot be, F541 there is no GPU, F542 the command cannot be started, F543 it
            used none, F610 the folder exists, F611 it cannot be written. No folder is left then.
    """
    now = datetime.now(UTC)
    folder = asked.output or Path(f"fiche-run-{now:%Y%m%dT%H%M%SZ}")
    settings = _settings(asked, folder)
    inherited = {key: value for key, value in os.environ.items() if key not in _INNER}
    missing = why_not(asked.command, inherited, asked.devices)
    if missing is not None:
        raise Refused([Diagnostic(code="F541", message=missing, address=None)])
    _make(folder)
    ended = _ended(asked, settings.environment(inherited, str(HOOK)), folder)
    left, missed = finish(folder, ended), unwatched(folder)
    if not left and ended.status == 0:
        raise _nothing(folder, missed)
    line, hidden = replaced(shlex.join(asked.command).encode("utf-8", "surrogateescape"))
    document = index(
        run=settings.run,
        version=__version__,
        command=line.decode("utf-8", "replace")[:100_000],
        redacted=hidden,
        started_at=now.isoformat(timespec="seconds"),
        ended=ended,
        left=left,
        unwatched=missed,
    )
    _tell(document, folder, ended, left, missed, as_json=asked.json)
    if ended.signal == "SIGINT":
        return INTERRUPTED
    return 0 if ended.status == 0 else _FAILED


def _settings(asked: Asked, folder: Path) -> Settings:
    named = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.absolute().name).lstrip("._-")[:100]
    return Settings(
        str(folder.absolute()),
        identifier("--run", asked.run) if asked.run is not None else named or "run",
        covers=covered(asked.covers),
        declared=declared(asked.dimensions),
        case=asked.words["case"][:500],
        machine=identifier("--machine", asked.words["machine"]),
        gpu=identifier("--gpu", asked.words["gpu"]),
        devices=list(asked.devices),
        snapshot=asked.snapshot,
        version=__version__,
    )


def _make(folder: Path) -> None:
    """A folder of this run alone: no measurement is ever added to another one's, or replaces it (C10)."""
    try:
        if not folder.parent.is_dir():
            folder.parent.mkdir(parents=True)
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error
    try:
        folder.mkdir()
    except FileExistsError:
        there = replace(exists(folder), hint="choose another name: no measurement is ever replaced")
        raise Refused([there]) from None
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error


def _unwritable(folder: Path, error: OSError) -> Diagnostic:
    why = f"{folder} cannot be written: {error.strerror or error}"
    hint = "check the free space and the rights of that folder"
    return Diagnostic(code="F611", message=why, address=None, hint=hint)


def _ended(asked: Asked, environment: Mapping[str, str], folder: Path) -> Ended:
    try:
        return run_command(asked.command, environment)
    except OSError as error:
        _take_away(folder)
        message = f"{asked.command[0]} cannot be started: {error.strerror or error}"
        hint = "name a program that exists and may be run, behind --"
        raise Refused(
            [Diagnostic(code="F542", message=message, address=None, hint=hint)]
        ) from error


def _nothing(folder: Path, missed: list[str]) -> Refused:
    """The command ended well and no process of it used a GPU that could be watched."""
    _take_away(folder)
    why = f": {missed[0]}" if missed else ""
    message = f"the command ended with 0, and none of its processes used a GPU through PyTorch{why}"
    hint = "nothing was measured, so no folder is left; python -I, -E and -S cannot be watched"
    return Refused([Diagnostic(code="F543", message=message, address=None, hint=hint)])


def _take_away(folder: Path) -> None:
    """The folder that was made here, unless something lies in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _tell(
    document: Mapping[str, object],
    folder: Path,
    ended: Ended,
    left: list[Left],
    missed: list[str],
    *,
    as_json: bool,
) -> None:
    """Write run.json; what is said goes beside the command's own output, not into it."""
    import json

    from fiche.cli.terminal import put_json, put_message

    content = (json.dumps(document, indent=2) + "\n").encode()
    write_file(folder / NAME, content, force=False)
    if as_json:
        put_json(document)
    else:
        put_message(summary(folder, ended, left, missed))
