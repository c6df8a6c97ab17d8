"""The commands by name, each in a module of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

# In the order of the help. Each is a module of its name, with a function of its name; where Python has
# that word already, both end in an underscore.
COMMANDS = (
    *("new", "model", "estimate", "simulate", "environment", "measure", "run", "campaign"),
    *("import", "check", "report", "sign", "verify", "explain", "diff"),
    *("letters", "criteria", "schema"),
)
# The exit code of what is refused (law 9).
REFUSED = 2
# Set by a shell that asks how a command line may go on.
COMPLETION = "_FICHE_COMPLETE"
GROUPS = ("catalog", "lab", "archive")
# Of `fiche archive`, as those of `fiche`.
OF_ARCHIVE = (
    *("add", "list", "show", "search", "report"),
    *("check", "index", "export", "import"),
)


def command_named(name: str) -> Callable[..., None]:
    """The function of a command."""
    return _function(f"{name}_" if name == "import" else name, name)


def archive_command_named(name: str) -> Callable[..., None]:
    """The function of a command of `fiche archive`."""
    return _function(f"archive_{name}", name)


def _function(module_name: str, name: str) -> Callable[..., None]:
    module = import_module(f"fiche.cli.{module_name}")
    found: Callable[..., None] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found
