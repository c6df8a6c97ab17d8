"""A lab as it is carried: its files, and copies of its script that find a simulated device."""

import subprocess
import sys
from pathlib import Path

MEASURE = Path(__file__).resolve().parents[1]
TAIL = 'if __name__ == "__main__":'

# What a copy of the script gets in front of its last lines, so that its processes find it too.
SIMULATION = f"""
sys.path[:0] = [{str(MEASURE)!r}, {str(MEASURE / "lab")!r}]
import simulated as _simulated
import tiny_torch as _tiny_torch

_machine = _simulated.simulated()
if LIMIT:
    _tiny_torch.install(_machine.all[0], LIMIT)


def find_devices(names=None):
    return _machine
"""


def simulation(limit=1 << 34):
    """The text that makes a script find a simulated device; a limit of 0 keeps the real PyTorch."""
    return SIMULATION.replace("LIMIT", str(limit))


def with_simulation(script, limit=1 << 34):
    head, mark, tail = script.rpartition(TAIL)
    assert mark
    return f"{head}{simulation(limit)}\n\n{mark}{tail}"


def ran(script, *words, cwd, flags=(), python=sys.executable):
    """Run a script as a user would; standard output and error as text."""
    command = [python, *flags, str(script), *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )
