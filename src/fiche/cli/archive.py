"""`fiche archive`: what was decided and measured, kept for years and found again.

One subcommand a module, `archive_NAME.py`, with a function of its name; only the one that is asked for is
imported, since `add` is to cost no more than the bag that it writes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import Any

import typer

from fiche.cli.deferred import real
from fiche.cli.named import COMPLETION, OF_ARCHIVE, archive_command_named
from fiche.cli.plain import PlainCommand, PlainGroup


def app_of(names: Collection[str]) -> typer.Typer:
    """The group with these subcommands alone."""
    made = typer.Typer(
        cls=PlainGroup,
        help="Keep decisions and records, and find them again.",
        rich_markup_mode=None,
        no_args_is_help=True,
    )
    made.callback()(_archive)
    for name in OF_ARCHIVE:
        if name in names:
            made.command(name, cls=PlainCommand)(real(archive_command_named(name)))
    return made


def _archive() -> None:
    """Keep each subcommand a word of its own."""


def _asked() -> Collection[str]:
    """The subcommand that is called; else all, for its help, completion and near misses.

    Help on all commands names the group alone.
    """
    words = sys.argv[1:3]
    if words == ["--help"]:
        return ()
    alone = len(words) == 2 and words[0] == "archive" and words[1] in OF_ARCHIVE
    return (words[1],) if alone and COMPLETION not in os.environ else OF_ARCHIVE


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """`app` is the group, made where somebody asks for it.

    Raises:
        AttributeError: there is nothing of that name.
    """
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return app_of(_asked())
