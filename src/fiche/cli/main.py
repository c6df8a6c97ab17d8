"""The `fiche` command: its subcommands, and how each way of ending becomes an exit code (law 9).

0 done; 2 refused (usage, diagnostics, files that cannot be read or written); 3 a gate not met, raised
by the command; 130 interrupted. 1 and a traceback are left to a defect of fiche itself.
"""

from __future__ import annotations

import errno
import io
import sys
from typing import Annotated, Any

import typer

from fiche import __version__
from fiche.cli.campaign import campaign
from fiche.cli.catalog import app as catalog
from fiche.cli.check import check
from fiche.cli.environment import environment
from fiche.cli.estimate import estimate
from fiche.cli.explain import explain
from fiche.cli.import_ import import_
from fiche.cli.interrupt import INTERRUPTED
from fiche.cli.lab import app as lab
from fiche.cli.measure import measure
from fiche.cli.model import model
from fiche.cli.new import new
from fiche.cli.plain import PlainCommand, PlainGroup
from fiche.cli.report import report
from fiche.cli.run import run_
from fiche.cli.schema import schema
from fiche.cli.streams import discard, write_error
from fiche.cli.terminal import clean
from fiche.kernel.diagnostic import Diagnostic, Refused

REFUSED = 2
# What typer's option parser raises; typer brings its own copy of click, or uses the installed one.
_USAGE: Any = typer.BadParameter.__bases__[0]

app = typer.Typer(
    name="fiche",
    cls=PlainGroup,
    help="Compile a workload, its evidence and a GPU catalog into a decision report.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
for command in (
    new,
    model,
    estimate,
    environment,
    measure,
    run_,
    campaign,
    import_,
    check,
    report,
    explain,
    schema,
):
    app.command(command.__name__.strip("_"), cls=PlainCommand)(command)
app.add_typer(catalog, name="catalog")
app.add_typer(lab, name="lab")


def _version(asked: bool) -> None:
    if asked:
        from fiche.cli.terminal import put_text

        put_text(f"fiche {__version__}\n")
        raise typer.Exit


@app.callback()
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
        code = app(prog_name="fiche", standalone_mode=False)
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
