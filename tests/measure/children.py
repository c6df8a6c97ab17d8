"""Puts another child in the place of the one that measures; no option and no variable of fiche can."""

import json
import sys
from pathlib import Path

import pytest

from fiche.measure import trials

SCRIPTED = Path(__file__).with_name("scripted_child.py")
SIMULATED = Path(__file__).with_name("simulated_child.py")


@pytest.fixture
def scripted(monkeypatch, tmp_path):
    """`scripted(limit={"context": 4096})` writes the script that the next children follow."""
    path = tmp_path / "script.json"

    def script(**told):
        path.write_text(json.dumps({"folder": str(tmp_path), **told}), encoding="utf-8")
        monkeypatch.setattr(trials, "CHILD", (sys.executable, "-u", str(SCRIPTED), str(path)))
        return path

    return script


# Runs the command line in a process of its own, its children following a script.
COMMAND = f"""
import sys
script = sys.argv.pop(1)
from fiche.measure import trials
trials.CHILD = (sys.executable, "-u", {str(SCRIPTED)!r}, script)
from fiche.cli.process import main
main()
"""


def command(script, *arguments):
    """The words that start `fiche` with scripted children."""
    return [sys.executable, "-c", COMMAND, str(script), *map(str, arguments)]
