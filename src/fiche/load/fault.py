"""Collects what is wrong, so that a stage shows all of it at once (law 4)."""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread

MOST_HINTS = 100


class Faults:
    """The diagnostics of one stage; `stop` ends the stage where there are any."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    @property
    def helpful(self) -> bool:
        """True until there are more than anybody reads: looking for what was meant takes time."""
        return len(self.found) < MOST_HINTS

    def add(self, code: str, message: str, span: Span, hint: str = "") -> None:
        """Note one fault; the caret underlines the first line of the text at `span`."""
        length = max(1, len(span.text.partition("\n")[0]))
        self.found.append(
            Diagnostic(code=code, message=message, address=span, hint=hint, length=length)
        )

    def misread(self, misread: Misread, span: Span) -> None:
        """Note a quantity that has no single reading."""
        self.add(misread.code, misread.message, span, misread.hint)

    def stop(self) -> None:
        """Raise what was found, each place and code once.

        Raises:
            Refused: something was found.
        """
        if self.found:
            raise Refused({(d.code, d.address, d.message): d for d in self.found}.values())


def refused(code: str, message: str, span: Span, hint: str = "") -> Refused:
    """The exception of a fault after which nothing more can be read."""
    faults = Faults()
    faults.add(code, message, span, hint)
    return Refused(faults.found)
