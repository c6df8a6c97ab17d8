"""The command line as typer knows it: all commands, their help, and what typer says of words it refuses."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from fiche import __version__
from fiche.cli.deferred import real
from fiche.cli.interrupt import INTERRUPTED
from fiche.cli.named import COMMANDS, COMPLETION, GROUPS, REFUSED, command_named
from fiche.cli.plain import PlainCommand, PlainGroup
from fiche.cli.streams import write_error
from fiche.cli.terminal import clean

# What typer's option parser raises; typer brings its own copy of click, or uses the installed one.
_USAGE: Any = typer.BadParameter.__bases__[0]


def app_of(names: Collection[str]) -> typer.Typer:
    """The command line with these commands and groups alone: making all of them takes a while."""
    made = typer.Typer(
        name="fiche",
        cls=PlainGroup,
        help="Compile a workload, its evidence and a GPU catalog into a decision report.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
    )
    made.callback()(_fiche)
    for name in COMMANDS:
        if name in names:
            made.command(name, cls=PlainCommand)(real(command_named(name)))
    for name in GROUPS:
        if name in names:
            made.add_typer(import_module(f"fiche.cli.{name}").app, name=name)
    return made


def parsed(words: Sequence[str]) -> int:
    """Run what typer reads in the words, and say with which code it ended.

    Raises:
        Refused: whatever the command refuses.
        OSError: likewise.
    """
    try:
        code = app_of(asked(words))(prog_name="fiche", standalone_mode=False)
    except _USAGE as error:
        return _misused(error)
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def asked(words: Sequence[str]) -> Collection[str]:
    """The command that is called, where it comes first; else all, for help, completion and near misses.

    The version is asked of none.
    """
    every = (*COMMANDS, *GROUPS)
    if not words or COMPLETION in os.environ:
        return every
    if words[0] == "--version":
        return ()
    return (words[0],) if words[0] in every else every


def _version(asked_for: bool) -> None:
    if asked_for:
        from fiche.cli.terminal import put_text

        put_text(f"fiche {__version__}\n")
        raise typer.Exit


def _fiche(
    version: Annotated[
        bool,
        typer.Option("--version", help="print the version", callback=_version, is_eager=True),
    ] = False,
) -> None:
    pass


def _misused(error: Any) -> int:  # noqa: ANN401 - typer brings its own copy of click
    """A usage error, as the option parser words it; the words typed may be hostile."""
    told = io.StringIO()
    error.show(file=told)
    write_error(clean(told.getvalue()))
    return REFUSED
