"""What a fiche tells of a job: each word read once; what is untold or cannot run is noted with its place."""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic
from fiche.kernel.fact import written
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_OWN_PROGRAM = "run your own program, with its phases in fiche.recorder"


class Told:
    """A workload with one of its cases, and everything that is wrong with them as a job.

    Whatever was never read stays in `left`: a job does what the fiche says, or refuses. `placed`: the job may
    be one device of several.
    """

    def __init__(self, workload: Workload, case: Case, *, placed: bool = False) -> None:
        self.workload = workload
        self.placed = placed
        self.case = case
        self._faults: list[Diagnostic] = []
        self._untold: list[tuple[str, str]] = []
        self._read: set[str] = set()

    def word(self, path: str) -> str:
        """A word of the workload, empty where it is untold."""
        self._read.add(path)
        fact = self.workload.facts.get(path)
        return "" if fact is None else fact.value

    def count(self, path: str) -> int | None:
        """A stated whole number of the workload."""
        self._read.add(path)
        figure = self.workload.figures.get(path)
        return None if figure is None else int(figure.low)

    def dimension(self, name: str) -> int | None:
        """A dimension of the case."""
        self._read.add(f"{self.case.id}.{name}")
        figure = self.case.dimensions.get(name)
        return None if figure is None else int(figure.low)

    def needed(self, path: str, choices: str) -> str:
        """A word without which nothing can run: nothing is guessed in its place."""
        found = self.word(path)
        if not found:
            self.untold(path, choices)
        return found

    def needed_dimension(self, name: str) -> int:
        """A dimension without which nothing can run; 1 stands in while faults are gathered."""
        found = self.dimension(name)
        if found is None:
            self.untold(f"cases.{self.case.id}.{name}", "how many it is")
            return 1
        return found

    def one_of(self, path: str, known: tuple[str, ...], *, needed: bool = False) -> str:
        """A word that must be one of those that a ready workload can do."""
        found = self.needed(path, " or ".join(known)) if needed else self.word(path)
        if found and found.casefold() not in known:
            why = tell(
                "{key} is {found}, and can be {known} in a ready workload",
                key=written(path),
                found=found,
                known=", ".join(known),
            )
            self.cannot(path, why)
        return found.casefold()

    def untold(self, path: str, choices: str) -> None:
        """F531: all that is untold is asked for at once."""
        self._untold.append((written(path), choices))

    def cannot(self, path: str, why: str, hint: str = _OWN_PROGRAM) -> None:
        """F530, with the whole sentence."""
        self._fault("F530", path, why, hint)

    def another(self, path: str, why: str, hint: str) -> None:
        """F532, with the whole sentence."""
        self._fault("F532", path, why, hint)

    def left(self, *prefixes: str) -> tuple[str, ...]:
        """Paths under these prefixes that the fiche states and nobody has read."""
        stated = (*self.workload.facts, *self.workload.figures)
        found = {path for path in stated if path.startswith(prefixes)} - self._read
        return tuple(sorted(found))

    def left_dimensions(self) -> tuple[str, ...]:
        """Dimensions of the case that nobody has read."""
        own = self.case.dimensions
        return tuple(sorted(name for name in own if f"{self.case.id}.{name}" not in self._read))

    @property
    def faults(self) -> list[Diagnostic]:
        """What cannot run, each at its place, and what is untold, at the case."""
        if not self._untold:
            return self._faults
        names = ", ".join(path for path, _ in self._untold)
        choices = "; ".join(f"{path}: {choices}" for path, choices in self._untold)
        message = tell(
            "{names}: the fiche does not say, and it cannot be measured without", names=names
        )
        untold = Diagnostic(
            code="F531", message=message, address=self.case.span, hint=f"state {choices}", length=1
        )
        return [*self._faults, untold]

    def _fault(self, code: str, path: str, message: str, hint: str) -> None:
        span, length = self._place(path)
        self._faults.append(
            Diagnostic(code=code, message=message, address=span, hint=hint, length=length)
        )

    def _place(self, path: str) -> tuple[Span | None, int]:
        """Where the fiche states it; what is untold stands at the case."""
        told = self.workload.facts.get(path)
        if told is not None and isinstance(told.address, Span):
            return told.address, max(1, len(told.value))
        name = path.rpartition(".")[2]
        figure = self.workload.figures.get(path, self.case.dimensions.get(name))
        span = None if figure is None else getattr(figure.origin, "span", None)
        return (self.case.span if span is None else span), 1
