"""The libraries that run a model, imported when one is built; a missing one is one sentence.

Nothing is fetched: hubs are switched off before the first import, and no code but the library's runs (C10).
"""

from __future__ import annotations

import os
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def transformers() -> Any:
    """transformers, offline and silent.

    Raises:
        ValueError: it, or PyTorch, cannot be imported; one sentence.
    """
    os.environ.update(dict.fromkeys(_OFFLINE, "1"))
    for name in ("torch", "transformers"):
        _imported(name, f"this workload runs in {name}")
    library = import_module("transformers")
    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    return library


def peft() -> Any:
    """peft, which makes adapters.

    Raises:
        ValueError: it cannot be imported; one sentence.
    """
    transformers()
    return _imported("peft", "adapters are made by peft")


def bitsandbytes(why: str) -> Any:
    """Bitsandbytes.

    Raises:
        ValueError: it cannot be imported; one sentence.
    """
    return _imported("bitsandbytes", why)


def needs(name: str, why: str) -> None:
    """See that a library is installed, without importing it.

    Raises:
        ValueError: it is not; one sentence.
    """
    if find_spec(name) is None:
        raise ValueError(f"{why}, and {name} is not installed in this Python")


def version_of(name: str) -> str:
    """The installed version of a distribution."""
    return metadata.version(name)


def first_line(error: BaseException) -> str:
    """What an exception says, in one line; where that only announces the next one, with it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [
        type(error).__name__
    ]
    return " ".join(lines[:2] if lines[0].endswith(":") else lines[:1])[:300]


def _imported(name: str, why: str) -> Any:
    needs(name, why)
    try:
        return import_module(name)
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        raise ValueError(f"{why}, and {name} cannot be imported: {first_line(error)}") from None
