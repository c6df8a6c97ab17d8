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
GROUPS = ("catalog", "lab", "archive")
# Of `fiche archive`, as those of `fiche`.
OF_ARCHIVE = (
    *("add", "list", "show", "search", "report"),
    *("check", "index", "export", "import"),
)


def command_named(name: str) -> Callable[..., None]:
    """The function of a command."""
    module = import_module(f"fiche.cli.{name}_" if name == "import" else f"fiche.cli.{name}")
    found: Callable[..., None] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found


def archive_command_named(name: str) -> Callable[..., None]:
    """The function of a command of `fiche archive`."""
    module = import_module(f"fiche.cli.archive_{name}")
    found: Callable[..., None] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found
