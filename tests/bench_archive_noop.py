"""A command that does nothing, as the floor of commands of an archive: what any program of this shape costs.

It takes the same kinds of words and options, two levels deep, converts them as plainly as fiche does, and ends
as fast; it has no command of fiche. `fiche --version` is no such floor: it reads no option of a command.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

_PROGRAM = '''
import os, sys
from pathlib import Path
from typing import Annotated
import typer
from fiche.cli.plain import PlainCommand, PlainGroup

app = typer.Typer(cls=PlainGroup, rich_markup_mode=None, pretty_exceptions_enable=False)
group = typer.Typer(cls=PlainGroup, rich_markup_mode=None)


@app.callback()
def program() -> None:
    pass


@group.callback()
def archive() -> None:
    pass


@group.command(cls=PlainCommand)
def nothing(
    words: Annotated[list[str] | None, typer.Argument(metavar="WORD", help="a word")] = None,
    model: Annotated[list[str] | None, typer.Option(metavar="PART", help="a part")] = None,
    sort: Annotated[str, typer.Option(metavar="NAME", help="a name")] = "date",
    archive: Annotated[str | None, typer.Option("--archive", metavar="DIR", help="a folder")] = None,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="a file")] = None,
    json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Do nothing."""


app.add_typer(group, name="archive")
try:
    app()
except SystemExit:
    os._exit(0)
'''


def noop_command(folder: Path) -> list[str]:
    """The command that does nothing, kept in a folder."""
    program = folder / "noop.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    return [sys.executable, str(program), "archive", "nothing", "word", "--archive", str(folder)]


def spent(command: list[str]) -> tuple[float, float]:
    """Processor time of a command and its children, and its wall time, in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def verdict(is_held: bool) -> str:
    """Whether a bound is held, and how busy the machine is: what others run slows the wall above all."""
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    return f"{'held' if is_held else 'MISSED'}; {load}"
