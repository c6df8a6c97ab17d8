"""Runs at the start of every Python process of the command, then hands over to the one it shadows."""

# The start of every Python process pays for what is imported here.
# ruff: noqa: PTH100, PTH120, SIM105

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _begin() -> None:
    """This folder leaves the path again, so that the program sees no module that it did not have."""
    from _fiche_meeting import install  # type: ignore[import-not-found]

    sys.path[:] = [each for each in sys.path if os.path.abspath(each or os.curdir) != _HERE]
    install()


def _hand_over() -> None:
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _begin()
except Exception:  # noqa: BLE001 - the user's program goes on, unwatched: fiche run says so
    pass
_hand_over()
