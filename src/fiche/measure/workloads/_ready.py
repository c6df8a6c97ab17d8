"""The door type of this package: a workload that fiche can run by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fiche.measure.protocol.turns import Workload

__all__ = ["ReadyWorkload", "Workload"]

_WORDS = {int: "a whole number", str: "a text", bool: "true or false"}


@dataclass(frozen=True)
class ReadyWorkload:
    """A workload by name, the options it knows with the type of each, and how it is made.

    `build` touches no device, and raises ValueError, one sentence, where a value is wrong: nothing ran then.
    """

    name: str
    title: str
    options: Mapping[str, type]
    build: Callable[[Mapping[str, Any]], Workload]

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, each known and of its type.

        Raises:
            ValueError: one is unknown or of another type; one sentence.
        """
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(sorted(self.options))
                raise ValueError(
                    f"{name} is no option of the workload {self.name}, which has {known}"
                )
            kind = self.options[name]
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                raise ValueError(f"{name} is not {_WORDS.get(kind, kind.__name__)}")
        return dict(options)
