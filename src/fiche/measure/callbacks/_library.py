"""Libraries that only their own callback needs: a missing one is one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(names: tuple[str, ...], what: str) -> Any:
    """The first of these modules that is there.

    Raises:
        ImportError: none is; one sentence that says which to install.
    """
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as missing:
            if missing.name != name.partition(".")[0]:
                raise ImportError(
                    f"{what} needs {name}, which cannot be imported: {missing}"
                ) from None
    told = " or ".join(name.partition(".")[0] for name in names)
    raise ImportError(f"{what} needs {told}, which is not installed")
