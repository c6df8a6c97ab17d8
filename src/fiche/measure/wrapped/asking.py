"""Before anything is written: is there a PyTorch with a usable GPU for this command (C10)?

This process imports no PyTorch; the Python that the command itself will run is asked.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HOOK = Path(__file__).parent / "hook"
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*(?:-dbg|\.exe|t)?|uv-python")
_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-S[ \t]+)?)?(\S*python[0-9.]*)")
# What tools that install scripts write where the path of Python is too long for a first line.
_LONG = re.compile(rb"#!/bin/sh\n'''exec' \"?([^\"\n]*?python[0-9.]*)\"? ")
# Options of Python that make it look at no PYTHONPATH, or import no sitecustomize.
_BLIND = re.compile(r"-[a-zA-Z]*[IES][a-zA-Z]*")
_WAIT_S = 300
_NODES = ("nvidia[0-9]*", "kfd", "dxg", "dri/renderD*")


def why_not(
    command: Sequence[str], environment: Mapping[str, str], devices: Sequence[str]
) -> str | None:
    """One sentence that says why nothing could be measured; None where nothing speaks against it."""
    python = python_of(command[0], environment)
    if python is None:
        return _of_another_program(command, environment, devices)
    blind = blinding(command) if python == command[0] or _is_python(command[0]) else None
    if blind is not None:
        return f"python {blind} ignores PYTHONPATH, so its processes could not be watched"
    return ask(python, environment, devices)


def python_of(program: str, environment: Mapping[str, str]) -> str | None:
    """The Python that a program is, or that its first line names; None for any other program."""
    found = shutil.which(program, path=environment.get("PATH"))
    if found is None:
        return None
    if _is_python(found):
        return found
    try:
        with Path(found).open("rb") as file:
            head = file.read(1024)
    except OSError:
        return None
    named = _LONG.match(head) or _SHEBANG.match(head)
    if named is None:
        return None
    return shutil.which(named[1].decode("utf-8", "replace"), path=environment.get("PATH"))


def _is_python(program: str) -> bool:
    return _PYTHON.fullmatch(Path(program).name) is not None


def blinding(command: Sequence[str]) -> str | None:
    """The option of a `python` command under which the hook would not be seen."""
    for word in command[1:]:
        if not word.startswith("-") or word in ("-", "-c", "-m") or word.startswith("--"):
            return None
        if word[1] in "WX":
            continue
        if _BLIND.fullmatch(word):
            return word
    return None


def ask(python: str, environment: Mapping[str, str], devices: Sequence[str]) -> str | None:
    """Let one short process of that Python look for the devices."""
    line = [python, str(HOOK / "ask.py"), *devices]
    try:
        done = subprocess.run(
            line,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_WAIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{python} cannot be asked for a GPU: {error}"
    if done.returncode == 0:
        return None
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    sentence = told[-1][:300] if told else f"it ended with {done.returncode}"
    return sentence if done.returncode == 2 else f"{python} cannot be asked for a GPU: {sentence}"


def _of_another_program(
    command: Sequence[str], environment: Mapping[str, str], devices: Sequence[str]
) -> str | None:
    """A shell or a launcher: which Python it will run is not known, so the machine is looked at first."""
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        return None  # starting it will say so
    if _has_nodes():
        return None
    for name in ("python", "python3"):
        python = shutil.which(name, path=environment.get("PATH"))
        if python is not None:
            told = ask(python, environment, devices)
            return told if told is None else f"{told} ({python} was asked)"
    return "this machine shows no GPU, so nothing can be measured"


def _has_nodes() -> bool:
    """Whether the system shows a GPU; elsewhere than on Linux that is not looked at."""
    dev = Path("/dev")
    return sys.platform != "linux" or any(True for pattern in _NODES for _ in dev.glob(pattern))
