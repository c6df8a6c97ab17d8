"""Is there anything to measure with? Asked of the command's own Python, before anything is written (C10)."""

import os
import sys

import pytest
from measure.command_runs import STAND_IN, environment

from fiche.measure.wrapped import asking

PYTHON = sys.executable
HERE = {**os.environ, "PYTHONPATH": str(STAND_IN)}


@pytest.mark.parametrize(
    ("first", "named"),
    [
        (b"#!/usr/bin/env python3\n", True),
        (b"#!" + PYTHON.encode() + b" -s\n", True),
        (b"#!/bin/sh\n'''exec' \"" + PYTHON.encode() + b'" "$0" "$@"\n' + b"' '''\n", True),
        (b"#!/bin/bash\n", False),
        (b"\x7fELF\x02", False),
    ],
)
def test_a_script_names_its_python_in_its_first_line(tmp_path, first, named):
    """So do torchrun, accelerate and whatever else an installer writes."""
    program = tmp_path / "torchrun"
    program.write_bytes(first)
    program.chmod(0o755)
    found = asking.python_of(str(program), HERE)
    assert (found is not None) == named
    if found is not None:
        assert "python" in found


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["-u", "train.py", "-E"], None),
        (["-m", "train", "-I"], None),
        (["-c", "pass"], None),
        (["-W", "ignore", "-u", "x.py"], None),
        (["-I", "train.py"], "-I"),
        (["-u", "-sE", "train.py"], "-sE"),
        (["-S", "train.py"], "-S"),
    ],
)
def test_a_python_that_looks_at_no_path_is_refused(words, option):
    assert asking.blinding(["python", *words]) == option
    told = asking.why_not([PYTHON, *words], HERE, [])
    assert (told is None) == (option is None)


def test_the_commands_own_python_is_asked():
    assert asking.ask(PYTHON, HERE, []) is None
    assert asking.ask(PYTHON, HERE, ["cuda:1"]) is None
    assert "there is no cuda:7" in asking.ask(PYTHON, HERE, ["cuda:7"])
    none = asking.ask(PYTHON, environment(FAKE_NO_GPU="1"), [])
    assert none.startswith("PyTorch 2.13.0+stand.in sees no usable GPU")


def test_a_python_without_pytorch_says_so(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('no', name='torch')")
    told = asking.ask(PYTHON, {**os.environ, "PYTHONPATH": str(tmp_path)}, [])
    assert told == "PyTorch is not installed in this Python, so nothing can be measured"


def test_a_python_that_cannot_be_asked_says_so(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os; os._exit(9)")
    told = asking.ask(PYTHON, {**os.environ, "PYTHONPATH": str(tmp_path)}, [])
    assert told == f"{PYTHON} cannot be asked for a GPU: it ended with 9"
    assert "cannot be asked" in asking.ask("/nowhere/python", HERE, [])


def test_of_another_program_the_machine_is_looked_at_first(monkeypatch):
    """A shell may run any Python: where the system shows a GPU, only the run itself can tell."""
    asked = []
    monkeypatch.setattr(asking, "ask", lambda python, *_: asked.append(python) or "none")
    monkeypatch.setattr(asking, "_has_nodes", lambda: True)
    assert asking.why_not(["sh", "-c", "true"], HERE, []) is None
    assert asked == []
    monkeypatch.setattr(asking, "_has_nodes", lambda: False)
    assert asking.why_not(["sh", "-c", "true"], HERE, []).startswith("none (")
    assert len(asked) == 1
    told = asking.why_not(["/bin/sh"], {"PATH": "/nowhere"}, [])
    assert told == "this machine shows no GPU, so nothing can be measured"
