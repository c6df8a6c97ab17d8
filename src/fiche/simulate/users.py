"""A user's own function as a workload: "module:name" or "file.py:name", called once.

One function serves `fiche.recorder` on a GPU and a simulation without one: where it takes a recorder it names
its phases itself, `with rec.phase("forward", batch=2):`, and all of it is the whole loop `program` around them;
where it takes none, all of it is one phase, `loop`.
It runs with the rights of whoever asks for it, like any program.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiche.measure.protocol.words import dimension_words
from fiche.measure.workloads._library import first_line

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.protocol.turns import Turn

PHASE, AROUND = "loop", "program"
_RECORDERS = ("rec", "recorder")
_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class OwnFunction:
    """The workload that a function makes: it has one turn, and no warm-up that it does not make itself."""

    turns = ("first",)

    def __init__(
        self, named: str, function: Callable[..., Any], options: Mapping[str, Any]
    ) -> None:
        """`named` as it was typed, `options` the keyword arguments of the call.

        Raises:
            ValueError: the function takes another form; one sentence.
        """
        self._function = function
        self._options = dict(options)
        self._takes_recorder = _takes_recorder(named, function, self._options)
        self.declared: dict[str, Any] = _dimensions(options)
        self.words = _words(named, function)

    def prepare(self, rec: Recorder, place: str) -> None:
        """Nothing: the function makes what it needs."""

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """Call the function."""
        if self._takes_recorder:
            # What is alive outside of its phases counts too.
            with rec.whole_loop(AROUND, **self.declared):
                self._function(rec, **self._options)
            return
        with rec.phase(PHASE, **self.declared):
            self._function(**self._options)


def _dimensions(options: Mapping[str, Any]) -> dict[str, int]:
    """Those of the options that can stand as dimensions in a document."""
    made: dict[str, int] = {}
    for name, value in options.items():
        with contextlib.suppress(TypeError, ValueError):
            made.update(dimension_words({name: value}))
    return made


def own_function(named: str, folder: str, options: Mapping[str, Any]) -> OwnFunction:
    """Find the function that `named` says, its folder first on Python's path.

    Raises:
        ValueError: there is none, it cannot be imported, or it does not take these options; one sentence.
    """
    module, _, name = named.rpartition(":")
    if not module or not name:
        raise ValueError(f"{named[:80]!r} names no function: write module:name, or file.py:name")
    found = _imported(module, folder)
    for part in name.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module} has no {name}")
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{named} is no function, but a {type(found).__name__}")
    if any(test(found) for test in _LATER):
        raise ValueError(
            f"{named} only makes a coroutine or a generator: name a function that runs"
        )
    return OwnFunction(named, found, options)


_LATER = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
)


def _imported(module: str, folder: str) -> Any:
    if module.endswith(".py"):
        path = Path(folder, module)
        if not path.is_file():
            raise ValueError(f"{module} is no file")
        found = _module(path.stem, str(path.parent))
        if Path(getattr(found, "__file__", None) or "").resolve() != path.resolve():
            raise ValueError(f"{module} has the name of another module: rename the file")
        return found
    if module.startswith("."):
        raise ValueError(f"{module[:80]!r} names no module: write it from its topmost package on")
    return _module(module, folder)


def _module(module: str, folder: str) -> Any:
    sys.path.insert(0, str(Path(folder or ".").resolve()))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = f"{module} needs {error.name}, which" if error.name != module else module
        raise ValueError(f"{missing} cannot be imported: there is no such module") from None
    except SystemExit:
        why = 'it ends its process; what only a program does stands under `if __name__ == "__main__":`'
        raise ValueError(f"{module} cannot be imported: {why}") from None
    except Exception as error:
        why = f"{type(error).__name__}: {first_line(error)}"
        raise ValueError(f"{module} cannot be imported: {why}") from error


def _takes_recorder(named: str, function: Callable[..., Any], options: Mapping[str, Any]) -> bool:
    """Whether the first thing that it needs, and no option gives, is a recorder.

    Raises:
        ValueError: it needs more than that, or does not take an option; one sentence.
    """
    try:
        taken = inspect.signature(function).parameters
    except (TypeError, ValueError):  # something built in
        return False
    _check_options(named, taken, options)
    needed = [
        each.name
        for each in taken.values()
        if each.default is each.empty and each.kind not in _ANY and each.name not in options
    ]
    first = next(iter(taken.values()), None)
    takes = first is not None and first.kind in _PLACED and first.name not in options
    takes = takes and first is not None and first.name in (*needed, *_RECORDERS)
    lacking = needed[1:] if takes and first is not None and first.name in needed else needed
    if lacking:
        lacks = ", ".join(lacking)
        raise ValueError(f"{named} needs {lacks} besides a recorder: say --set {lacking[0]}=VALUE")
    return takes


def _check_options(
    named: str, taken: Mapping[str, inspect.Parameter], options: Mapping[str, Any]
) -> None:
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return
    known = [each.name for each in taken.values() if each.kind is not each.POSITIONAL_ONLY]
    for name in options:
        if name not in known:
            raise ValueError(f"{named} takes no {name}: it takes {', '.join(known) or 'nothing'}")


def _words(named: str, function: Callable[..., Any]) -> dict[str, Any]:
    """The code's name and the digest of its file, as far as it has one; no folder of whoever asks."""
    code = {"name": Path(named).name[:500]}
    try:
        path = inspect.getsourcefile(inspect.unwrap(function))
        content = Path(path).read_bytes() if path else b""
    except (OSError, TypeError):
        content = b""
    if content:
        code["digest"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return {"code": code}
