"""Puts another child in the place of the one that simulates; no option and no variable of fiche can."""

import json
import sys
from pathlib import Path

import pytest

from fiche.simulate import run
from fiche.simulate.job import Job

SCRIPTED = Path(__file__).with_name("scripted_simulation.py")


@pytest.fixture
def scripted(monkeypatch, tmp_path):
    """`scripted(code=2, says="…")` writes the script that the next child follows; its job is kept beside."""
    path = tmp_path / "script.json"

    def script(**told):
        path.write_text(json.dumps({"folder": str(tmp_path), **told}), encoding="utf-8")
        monkeypatch.setattr(run, "CHILD", (sys.executable, "-u", str(SCRIPTED), str(path)))
        return path

    return script


# Runs the command line in a process of its own, its child following a script.
COMMAND = f"""
import sys
script = sys.argv.pop(1)
from fiche.simulate import run
run.CHILD = (sys.executable, "-u", {str(SCRIPTED)!r}, script)
from fiche.cli.process import main
main()
"""


def command(script, *arguments):
    """The words that start `fiche` with a scripted child."""
    return [sys.executable, "-c", COMMAND, str(script), *map(str, arguments)]


def decode_of(options):
    """The first decode of a generation, how many steps it left out, and its notes (needs torch)."""
    from fiche.simulate.simulated import simulated
    from fiche.simulate.workload import workload_of

    workload = workload_of(Job(workload="generation", options=options))
    simulation = simulated(workload, turns=("first",))
    phase = next(each for each in simulation.phases() if each.name == "decode")
    span = simulation.spans[phase.order]
    skipped = options["new_tokens"] - 16 if "reserved_why" in span.notes else 0
    return phase, skipped, workload.notes
