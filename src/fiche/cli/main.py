"""The `fiche` command: its subcommands, and how each way of ending becomes an exit code (law 9).

0 done; 2 refused (usage, diagnostics, files that cannot be read or written); 3 a gate not met, raised
by the command; 130 interrupted. 1 and a traceback are left to a defect of fiche itself.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from fiche import __version__
from fiche.cli.interrupt import INTERRUPTED
from fiche.cli.plain import PlainCommand, PlainGroup
from fiche.cli.streams import discard, write_error
from fiche.cli.terminal import clean
from fiche.kernel.diagnostic import Diagnostic, Refused

REFUSED = 2
# What typer's option parser raises; typer brings its own copy of click, or uses the installed one.
_USAGE: Any = typer.BadParameter.__bases__[0]

# In the order of the help. Each is a module of its name, with a function of its name; where Python has
# that word already, both end in an underscore.
COMMANDS = (
    *("new", "model", "estimate", "simulate", "environment", "measure", "run", "campaign"),
    *(
        "import",
        "check",
        "report",
        "sign",
        "verify",
        "explain",
        "diff",
        "letters",
        "criteria",
        "schema",
    ),
)
GROUPS = ("catalog", "lab", "archive")


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
            made.command(name, cls=PlainCommand)(_command(name))
    for name in GROUPS:
        if name in names:
            made.add_typer(import_module(f"fiche.cli.{name}").app, name=name)
    return made


def _command(name: str) -> Callable[..., None]:
    module = import_module(f"fiche.cli.{name}_" if name == "import" else f"fiche.cli.{name}")
    found: Callable[..., None] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """`app` is the whole command line, made where somebody asks for it.

    Raises:
        AttributeError: there is nothing of that name.
    """
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return app_of((*COMMANDS, *GROUPS))


def _version(asked: bool) -> None:
    if asked:
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


def run() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        code = app_of(_asked(sys.argv[1:]))(prog_name="fiche", standalone_mode=False)
    except Refused as refused:
        return _refused(refused)
    except BrokenPipeError:  # the help, on a pipe that nobody reads
        discard(sys.stdout.fileno())
        return 0
    except OSError as error:
        return _refused(Refused([_unusable(error)]))
    except _USAGE as error:
        return _misused(error)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        write_error("interrupted\n")
    return code if isinstance(code, int) else 0


def _asked(words: Sequence[str]) -> Collection[str]:
    """The command that is called, where it comes first; else all, for help, completion and near misses.

    The version is asked of none.
    """
    every = (*COMMANDS, *GROUPS)
    if not words or _COMPLETION in os.environ:
        return every
    if words[0] == "--version":
        return ()
    return (words[0],) if words[0] in every else every


_COMPLETION = "_FICHE_COMPLETE"


def _misused(error: Any) -> int:  # noqa: ANN401 - typer brings its own copy of click
    """A usage error, as the option parser words it; the words typed may be hostile."""
    told = io.StringIO()
    error.show(file=told)
    write_error(clean(told.getvalue()))
    return REFUSED


def _refused(refused: Refused) -> int:
    from fiche.cli.diagnostics import put_refused

    put_refused(refused)
    return REFUSED


def _unusable(error: OSError) -> Diagnostic:
    """A file that the system refuses, a full disk: one line, for it is no defect of ours."""
    why, hint = error.strerror or str(error), _USABLE
    where = "standard output" if error.filename is None else error.filename
    if error.filename is None and error.errno == errno.EBADF:
        why, hint = "it is closed", "leave >&- out; > /dev/null throws away what is written"
    elif error.filename is None and error.errno in _SHORT_OF:
        where, hint = "the system", "end other programs, or raise its limits (ulimit -a)"
    return Diagnostic(code="F700", message=f"{where}: {why}", address=None, hint=hint)


_USABLE = "check that it exists, who may use it, and the free space"
# What a process may have only so many of.
_SHORT_OF = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
