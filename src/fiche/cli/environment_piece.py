"""The environment of this machine as a piece: asked for, and written as a new file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fiche.cli.output import write_new_file
from fiche.kernel.diagnostic import Diagnostic, Refused

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def piece_of(device: str | None, machine: str | None, output: Path | None) -> dict[str, Any]:
    """The document `fiche-environment/1` of this machine.

    Raises:
        Refused: F510 no such device, F511 no id of a machine; F610 the output exists already.
    """
    if machine is not None and _ID.fullmatch(machine) is None:
        raise Refused([_refused("F511", f"{machine!r} is no id of a machine", _ID_HINT)])
    if output is not None and (output.exists() or output.is_symlink()):
        raise Refused([_refused("F610", f"{output} exists already", _NEW_HINT)])
    from fiche.cli.environment_asked import asked
    from fiche.measure.protocol.found import UnknownDevice

    try:
        return asked(device, machine or "")
    except UnknownDevice as unknown:
        raise Refused([_refused("F510", str(unknown), _DEVICE_HINT)]) from None


_ID_HINT = "letters, digits, '.', '_' and '-', such as lab-node-7: the word that candidates use"
_NEW_HINT = "choose another name: what a machine showed is never written over"
_DEVICE_HINT = "`fiche environment` without --device shows every device that this process sees"


def write_piece(document: dict[str, Any], output: Path) -> None:
    """Write the piece whole, or not at all.

    Raises:
        Refused: F610 it exists by now; F611 it cannot be written.
    """
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    write_new_file(output, text.encode("ascii"))


def _refused(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, address=None, hint=hint)
