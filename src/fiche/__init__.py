"""fiche compiles a workload, its evidence and a GPU catalog into a decision report."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

# What programs and notebooks use, by the module that has it: nothing is imported before it is asked for.
_PUBLIC = {
    "recorder": "fiche.measure.protocol.recorder",
    "NoDevice": "fiche.measure.protocol.devices",
    "read_record": "fiche.notebook.records",
    "compiled": "fiche.notebook.decisions",
}
__all__ = ["NoDevice", "compiled", "read_record", "recorder"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module has
    """Import a public name on first use.

    Raises:
        AttributeError: there is none of that name.
    """
    if name not in _PUBLIC:
        raise AttributeError(f"module 'fiche' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
