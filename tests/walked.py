"""A page of the documentation as something to do: files to write, lines to change, commands to run.

A fenced block is done when a comment stands above it: `<!-- file: PATH -->` writes it, `<!-- append: PATH -->`
adds it, `<!-- change: PATH -->` replaces its `-` lines by its `+` lines, `<!-- run -->` runs its command
(`<!-- run: 2 -->` with that exit code) and compares what it prints. A line `…` stands for whatever is left
out, and so does `…` at the end of a line.

Run as a program with the path of a page, it prints what each command says.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"^<!-- (file|append|change|run)(?:: ([^\n]*?))? -->\n```\w+\n(.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Ran:
    """A command, what the page says that it prints, and what it printed."""

    command: str
    shown: str
    printed: str
    wanted_code: int
    code: int

    @property
    def missing(self):
        """Lines that the page shows and the command did not print there."""
        printed = iter(self.printed.splitlines())
        shown = [line for line in self.shown.splitlines() if line and line != "…"]
        return [line for line in shown if not any(agrees(line, one) for one in printed)]


def agrees(shown, printed):
    if shown.endswith("…"):
        return printed.startswith(shown[:-1].rstrip())
    return shown == printed.rstrip()


def walk(page, folder):
    """Do what the page says in that folder; yields each command that was run."""
    folder.mkdir(exist_ok=True)
    for verb, told, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if verb == "run":
            yield run(folder, text, int(told or 0))
        else:
            put(folder / told, text, verb)


def put(path, text, verb):
    path.parent.mkdir(parents=True, exist_ok=True)
    if verb == "file":
        path.write_text(text, encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8")
    if verb == "append":
        path.write_text(before + text, encoding="utf-8")
        return
    old, new = (
        "".join(f"{line[1:]}\n" for line in text.splitlines() if line[0] == sign) for sign in "-+"
    )
    assert before.count(old) == 1, old
    path.write_text(before.replace(old, new), encoding="utf-8")


def run(folder, text, wanted):
    first, _, shown = text.partition("\n")
    command = first.removeprefix("$ ")
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Ran(command, shown, done.stdout + done.stderr, wanted, done.returncode)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for ran in walk(Path(sys.argv[1]), Path(made)):
            sys.stdout.write(f"=== {ran.command} ({ran.code})\n{ran.printed}\n")
