"""The cards of this machine, asked of a process of its own: asking takes memory on the card.

`python -m fiche.measure.campaign.cards` prints them as JSON, or says in one sentence why there is none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.measure.wrapped.asking import python_of, why_not

# A test puts its own in this place; nothing that a user types does.
PROBE: tuple[str, ...] = (sys.executable, "-P", "-m", "fiche.measure.campaign.cards")

# The Python of a command need not know fiche.
_COUNT = """
import json, torch
kind = "cuda" if torch.cuda.is_available() else "xpu"
print(json.dumps({"count": getattr(torch, kind).device_count(), "backend": kind}))
"""
_SECONDS = 300
_VISIBLE = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
)
_BY_BACKEND = {"xpu": "ZE_AFFINITY_MASK"}


@record
class Cards:
    """The cards that jobs may get: what to write into `variable` so that a process sees one."""

    variable: str
    tokens: tuple[str, ...]

    def only(self, chosen: Sequence[str]) -> dict[str, str | None]:
        """What a job's variables must say for it to see these alone."""
        # submitit hides every card from a process of this machine, unless it is told otherwise.
        told: dict[str, str | None] = {n: None for n in _VISIBLE if n not in os.environ}
        if tuple(chosen) != self.tokens or self.variable in os.environ:
            told[self.variable] = ",".join(chosen)
        return told


def cards(command: Sequence[str] = ()) -> Cards:
    """The cards of this machine, as the Python of `command` sees them; our own where there is none.

    Raises:
        Refused: F566 there is none, in one sentence.
    """
    if not command:
        return _cards(_asked(PROBE), os.environ)
    missing = why_not(command, os.environ, ())
    if missing is not None:
        raise Refused([_none(missing)])
    python = python_of(command[0], os.environ)
    if python is None:  # a shell: how many it will see is not known, so one job runs at a time
        return _cards({"count": 1}, os.environ)
    return _cards(_asked((python, "-c", _COUNT)), os.environ)


def _asked(words: Sequence[str]) -> dict[str, Any]:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Refused([_none(f"the cards did not answer in {_SECONDS} s")]) from None
    try:
        told = json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        told = None
    if not isinstance(told, dict):
        lines = done.stderr.strip().splitlines()
        raise Refused([_none(lines[-1] if lines else "no card was found")])
    return told


def _none(sentence: str) -> Diagnostic:
    return Diagnostic(code="F566", message=sentence, address=None)


def _cards(told: Mapping[str, Any], environ: Mapping[str, str]) -> Cards:
    """Where somebody chose cards for us, a job gets some of those, by the names that were used."""
    count = int(told["count"])
    for variable in _VISIBLE:
        named = tuple(each.strip() for each in environ.get(variable, "").split(",") if each.strip())
        if named:
            return Cards(variable=variable, tokens=named[:count] or named)
    variable = _BY_BACKEND.get(str(told.get("backend", "")), _VISIBLE[0])
    return Cards(variable=variable, tokens=tuple(str(index) for index in range(count)))


def main() -> int:
    """Print the cards; 2 where there is none."""
    from fiche.measure.protocol.devices import NoDevice, find_devices

    try:
        found = find_devices("all")
    except NoDevice as error:
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        return 2
    backend = found.all[0].name.partition(":")[0]
    sys.stdout.write(json.dumps({"count": len(found.all), "backend": backend}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
