"""`fiche archive`: what was decided and measured, kept for years and found again.

One subcommand a module, `archive_NAME.py`, with a function of its name; only the one that is asked for is
imported, since `add` is to cost no more than the bag that it writes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer

from fiche.cli.plain import PlainCommand, PlainGroup

# In the order of the help; where Python has that word already, the function ends in an underscore.
COMMANDS = (
    *("add", "list", "show", "search", "report"),
    *("check", "index", "export", "import"),
)


def app_of(names: Collection[str]) -> typer.Typer:
    """The group with these subcommands alone."""
    made = typer.Typer(
        cls=PlainGroup,
        help="Keep decisions and records, and find them again.",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    made.callback()(_archive)
    for name in COMMANDS:
        if name in names and find_spec(_module(name)) is not None:
            made.command(name, cls=PlainCommand)(_command(name))
    return made


def _module(name: str) -> str:
    return f"fiche.cli.archive_{name}"


def _command(name: str) -> Callable[..., None]:
    module = import_module(_module(name))
    found: Callable[..., None] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found


def _archive() -> None:
    """Keep each subcommand a word of its own."""


def _asked() -> Collection[str]:
    """The subcommand that is called; else all, for its help, completion and near misses.

    Help on all commands names the group alone.
    """
    words = sys.argv[1:3]
    if words == ["--help"]:
        return ()
    alone = len(words) == 2 and words[0] == "archive" and words[1] in COMMANDS
    return (words[1],) if alone and "_FICHE_COMPLETE" not in os.environ else COMMANDS


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """`app` is the group, made where somebody asks for it.

    Raises:
        AttributeError: there is nothing of that name.
    """
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return app_of(_asked())
