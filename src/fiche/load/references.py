"""Names that stand for something written elsewhere: found, or refused with the nearest one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fiche.kernel.number import quoted
from fiche.load.fault import Faults
from fiche.load.node import Scalar

_SHOWN = 8


class Known(NamedTuple):
    """The names of one sort of thing, and the code of a dangling one.

    `partial` when a file that may hold more names is refused already: then a name that is not among
    these is nobody's fault yet.
    """

    what: str
    names: tuple[str, ...]
    code: str
    otherwise: str = ""
    partial: bool = False

    def check(self, name: Scalar, faults: Faults) -> bool:
        """True when the name stands for something; else a fault is noted at its place."""
        if name.text in self.names or self.partial:
            return name.text in self.names
        near = nearest(name.text, self.names) if faults.helpful else ""
        hint = near or _listed(self.what, self.names)
        hint += f" ({self.otherwise})" if self.otherwise else ""
        faults.add(self.code, f"there is no {self.what} {quoted(name.text)}", name.span, hint)
        return False


def nearest(word: str, names: Iterable[str]) -> str:
    """`did you mean …?`, or nothing where no name comes near."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(names), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(found)}?" if found else ""


def _listed(what: str, names: tuple[str, ...]) -> str:
    if not names:
        return f"the fiche names no {what}"
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"known: {', '.join(names[:_SHOWN])}{more}"
