"""The `fiche` command: its subcommands, and how each way of ending becomes an exit code (law 9).

0 done; 2 refused (usage, diagnostics, files that cannot be read or written); 3 a gate not met, raised
by the command; 130 interrupted. 1 and a traceback are left to a defect of fiche itself.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from fiche.cli.interrupt import INTERRUPTED
from fiche.cli.named import (
    COMMANDS,
    COMPLETION,
    OF_ARCHIVE,
    REFUSED,
    archive_command_named,
    command_named,
)
from fiche.cli.streams import discard, write_error
from fiche.kernel.diagnostic import Diagnostic, Refused


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """`app` is the whole command line, made where somebody asks for it.

    Raises:
        AttributeError: there is nothing of that name.
    """
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fiche.cli.app import app_of
    from fiche.cli.named import GROUPS

    return app_of((*COMMANDS, *GROUPS))


def run() -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(_exit_code(sys.argv[1:]))


def _exit_code(words: Sequence[str]) -> int:
    try:
        code = _run_plainly(words)
        if code is None:
            from fiche.cli.app import parsed

            code = parsed(words)
    except Refused as refused:
        return _refused(refused)
    except BrokenPipeError:  # the help, on a pipe that nobody reads
        discard(sys.stdout.fileno())
        return 0
    except OSError as error:
        return _refused(Refused([_unusable(error)]))
    except (KeyboardInterrupt, EOFError):
        code = INTERRUPTED
    if code == INTERRUPTED:
        write_error("interrupted\n")
    return code


def _run_plainly(words: Sequence[str]) -> int | None:
    """Run a command whose words are plain, without typer; None where typer has to read them."""
    if [*words] == ["--version"]:
        return _version()
    found = _called(words)
    if found is None or COMPLETION in os.environ:
        return None
    from fiche.cli.plain_words import values_of

    command, rest = found
    values = values_of(command, rest)
    if values is None:
        return None
    command(**values)
    return 0


def _version() -> int:
    from fiche import __version__
    from fiche.cli.terminal import put_text

    put_text(f"fiche {__version__}\n")
    return 0


def _called(words: Sequence[str]) -> tuple[Callable[..., None], Sequence[str]] | None:
    """The command that the first words name, and the words after them."""
    if words and words[0] in COMMANDS:
        return command_named(words[0]), words[1:]
    if len(words) > 1 and words[0] == "archive" and words[1] in OF_ARCHIVE:
        return archive_command_named(words[1]), words[2:]
    return None


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
