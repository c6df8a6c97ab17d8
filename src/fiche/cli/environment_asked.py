"""Who looks at framework and devices is a process of its own: a broken PyTorch crashes, hangs or prints.

`python -m fiche.cli.environment_asked` reads what is asked as JSON and prints the answer as JSON; whatever a
library prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from typing import Any

# A cold import from a shared disk takes a minute.
_SECONDS = 180
# A test puts its own in this place; nothing that a user types does.
PROGRAM: tuple[str, ...] = (sys.executable, "-P", "-m", "fiche.cli.environment_asked")


def asked(device: str | None, machine: str) -> dict[str, Any]:
    """The document `fiche-environment/1`; where nobody comes back, what is known without the framework.

    Raises:
        UnknownDevice: as `found_environment`.
    """
    from fiche.measure.protocol.found import UnknownDevice, broken_environment, found_environment

    if "torch" in sys.modules:  # it is here already, or known not to be
        return found_environment(device, machine)
    told, how = _answer({"device": device, "machine": machine})
    if told is None:
        return broken_environment(f"PyTorch cannot be imported: {how}", machine)
    if "defect" in told:
        raise RuntimeError(told["defect"])
    if "unknown" in told:
        raise UnknownDevice(told["unknown"])
    document: dict[str, Any] = told["document"]
    return document


def _answer(question: dict[str, str | None]) -> tuple[dict[str, Any] | None, str]:
    """What the process says, or how it ended without a word."""
    try:
        done = subprocess.run(
            PROGRAM,
            input=json.dumps(question).encode(),
            stdout=subprocess.PIPE,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer in {_SECONDS} s"
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return None, f"the process that tried ended with {_ending(done.returncode)}"
    return told, ""


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _told(question: dict[str, Any]) -> dict[str, Any]:
    from fiche.measure.protocol.found import UnknownDevice, found_environment

    try:
        return {"document": found_environment(question["device"], question["machine"])}
    except UnknownDevice as unknown:
        return {"unknown": str(unknown)}
    except Exception:  # noqa: BLE001 - a defect of ours is none of PyTorch's
        return {"defect": traceback.format_exc()}


def main() -> None:
    """Answer one question."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a terminal asks both; the other one says so
    answers = os.dup(1)
    os.dup2(2, 1)
    told = _told(json.load(sys.stdin))
    with os.fdopen(answers, "w", encoding="ascii") as stream:
        json.dump(told, stream)
    os._exit(0)  # what a library does at the end of a process is nobody's question


if __name__ == "__main__":
    main()
