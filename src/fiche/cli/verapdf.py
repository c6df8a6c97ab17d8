"""Runs veraPDF on a finished PDF, once for each standard that the file is built to.

The program is the user's own, named by `--verapdf`. It is not trusted: it gets a copy of the file in a
folder of its own and no input, has a limit of time and of output, and is ended with all that it started.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fiche.cli.verapdf_read import STANDARDS, Judged, judged, no_verdict
from fiche.kernel.diagnostic import Diagnostic, Refused

# Starting Java and reading a large report take tens of seconds on a slow machine.
SECONDS = 300
# Its report on a faulty file lists checks by the thousand.
MOST_BYTES = 64 * 2**20


def program_of(told: str) -> str:
    """The program's path, looked up as a shell would.

    Raises:
        Refused: F603 there is no such program.
    """
    found = shutil.which(told)
    if found is None:
        raise Refused([_absent(told)])
    return str(Path(found).absolute())


def validated(pdf: bytes, program: str) -> tuple[Judged, ...]:
    """What the program says of the file, by standard; where it says nothing readable, why."""
    with tempfile.TemporaryDirectory(prefix="fiche-") as folder:
        copy = Path(folder) / "report.pdf"
        copy.write_bytes(pdf)
        return tuple(_by(program, flavour, copy) for flavour in STANDARDS)


def _by(program: str, flavour: str, copy: Path) -> Judged:
    try:
        output, ending = _run([program, "-f", flavour, str(copy)], copy.parent)
    except OSError as error:
        return no_verdict(flavour, f"it cannot be run: {error.strerror or error}")
    if ending:
        return no_verdict(flavour, ending)
    return judged(output, flavour)


def _run(command: Sequence[str], folder: Path) -> tuple[bytes, str]:
    """All that it printed, and why it was ended before it was through, else nothing."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return _read(process)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _read(process: subprocess.Popen[bytes]) -> tuple[bytes, str]:
    assert process.stdout is not None
    pipe, until, output = process.stdout.fileno(), time.monotonic() + SECONDS, bytearray()
    while len(output) <= MOST_BYTES:
        left = until - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return bytes(output), f"no answer in {SECONDS} s"
        chunk = os.read(pipe, 2**16)
        if not chunk:
            return bytes(output), ""
        output += chunk
    return bytes(output), f"it printed more than {MOST_BYTES} bytes"


def _absent(told: str) -> Diagnostic:
    return Diagnostic(
        code="F603",
        message=f"there is no program '{told}' to validate the PDF with",
        address=None,
        hint="give the path of veraPDF's own command, e.g. --verapdf ~/verapdf/verapdf",
    )
