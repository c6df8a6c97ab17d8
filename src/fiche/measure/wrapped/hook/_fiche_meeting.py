"""Meets the first import of PyTorch, and lends fiche to a Python that has none.

Every Python process of the command runs this, so it imports nothing and does nothing until then.
"""

# The start of every Python process pays for what is imported here.
# ruff: noqa: PTH100, PTH118, PTH120, PTH123

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# <source>/fiche/measure/wrapped/hook/_meeting.py
SOURCE = os.path.dirname(os.path.abspath(__file__)).rsplit(os.sep, 3)[0]


class Lender:
    """Stands last among the finders: only where nothing else is called `fiche` is this one found."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """The package that `fiche run` itself came from."""
        if name != "fiche":
            return None
        from importlib.util import spec_from_file_location

        start = os.path.join(SOURCE, "__init__.py")
        return spec_from_file_location(name, start, submodule_search_locations=[SOURCE])


class Meeting:
    """Stands first among the finders until PyTorch has been imported, then is gone."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """PyTorch as the other finders find it, with a step behind its import."""
        if name != "torch":
            return None
        for finder in list(sys.meta_path):
            found = None if finder is self else finder.find_spec(name, None, None)
            if found is not None:
                self._follow(found.loader)
                return found
        return None

    def _follow(self, loader: Any) -> None:
        inner = getattr(loader, "exec_module", None)
        if inner is None:
            return

        def exec_module(module: Any) -> None:
            inner(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                _watch(module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            note("PyTorch was loaded in a way that cannot be followed")


def _watch(torch: Any) -> None:
    """Whatever goes wrong here is noted in the folder, and never reaches the user's program."""
    try:
        from fiche.measure.wrapped.watch import watch

        watch(torch)
    except Exception as error:  # noqa: BLE001 - the user's program goes on
        note(f"{type(error).__name__}: {error}")


def note(text: str) -> None:
    """Leave word in the run's folder that this process is not watched, and why."""
    folder = os.environ.get("FICHE_RUN_FOLDER", "")
    try:
        with open(os.path.join(folder, f".unwatched-{os.getpid()}"), "a", encoding="utf-8") as file:
            file.write(text[:500].replace("\n", " ") + "\n")
    except OSError:
        pass


def install() -> None:
    """Both finders, where `fiche run` started this process."""
    if os.environ.get("FICHE_RUN_HOOK"):
        sys.meta_path.insert(0, Meeting())
        sys.meta_path.append(Lender())
