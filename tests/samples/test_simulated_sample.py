"""The simulation among the samples is what the command computes today, to the byte."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "second-opinion"
# Builds and patch releases name themselves; what they compute is the same.
OF_A_MACHINE = ("tool", "simulator")


@pytest.mark.torch
def test_second_opinion_is_what_the_command_computes_today(tmp_path):
    """Renew it by the command of its README where the simulation itself has changed."""
    shutil.copytree(SAMPLE, tmp_path / "sample")
    made = tmp_path / "simulation.json"
    command = ("simulate", "--from", "sample/fiche.yaml", "--case", "limit", "--output", made.name)
    ended = subprocess.run(
        [sys.executable, "-m", "fiche", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    today = json.loads(made.read_text(encoding="utf-8"))
    kept = json.loads((SAMPLE / "evidence" / "simulation.json").read_text(encoding="utf-8"))
    for key in (key for key in kept if key not in OF_A_MACHINE):
        assert today[key] == kept[key], key
    assert today["simulator"]["answers"] == kept["simulator"]["answers"]
