"""Several starts of a program in one log: which line each begins on, what each states, and what differs.

A start is certain where the program prints its first lines again. Each container has starts of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.fact import Fact
from fiche.kernel.record import field, record
from fiche.kernel.said import listed, tell

# The first lines of one start may stand on several lines (a banner, the version), with no reading between.
_ONE_BANNER = 40
_SHOWN = 6
_SETTINGS = "engine.settings."


@record(frozen=False, kw_only=False)
class Start:
    """One start: its number within its container (from 1), its first line, what it states; `used` once read."""

    number: int
    line: int
    service: str | None
    facts: dict[str, Fact]
    used: bool = False

    @property
    def place(self) -> str:
        """The line for people."""
        return f"line {self.line}" + (f" ({self.service})" if self.service else "")


@record(frozen=False, kw_only=False)
class Starts:
    """The starts of a log in order; `common` are facts that were stated before any of them."""

    common: dict[str, Fact]
    told: list[Start] = field(default_factory=list)

    def begin(self, line: int, service: str | None) -> None:
        """Note that the program starts on a line."""
        last = self.at(service)
        if last is not None and not last.used and line - last.line <= _ONE_BANNER:
            return
        number = 1 if last is None else last.number + 1
        facts = {} if self.told else self.common
        self.told.append(Start(number, line, service, facts))

    def at(self, service: str | None) -> Start | None:
        """The last start of a container."""
        return next((each for each in reversed(self.told) if each.service == service), None)

    def facts(self, service: str | None) -> dict[str, Fact]:
        """Where a fact of this container is kept now."""
        start = self.at(service)
        return self.common if start is None else start.facts

    @property
    def again(self) -> bool:
        """True where a program started more than once."""
        return any(each.number > 1 for each in self.told)

    def merged(self) -> dict[str, Fact]:
        """Every fact of the file; one that differs from start to start is none of the whole file.

        Of settings, which decide nothing, the first is shown.
        """
        found = dict(self.common)
        for start in self.told:
            found |= {path: fact for path, fact in start.facts.items() if path not in found}
        return {
            path: fact
            for path, fact in found.items()
            if path.startswith(_SETTINGS) or len(self._said(path)) < 2
        }

    def warnings(self) -> Iterator[str]:
        """What a reader should know of several starts."""
        if len(self.told) < 2:
            return
        shown = ", ".join(each.place for each in self.told[:_SHOWN])
        more = f" and {len(self.told) - _SHOWN} more" if len(self.told) > _SHOWN else ""
        count = f"{len(self.told)} starts of a program are in this file ({shown}{more})"
        marked = "; each reading says of which start it is" if self.again else ""
        told = [*self._differing()]
        if told:
            yield tell(
                "facts_differ: {count}: {told}{marked}",
                count=count,
                told=listed(told, "; "),
                marked=marked,
            )
        elif self.again:
            yield tell("several_starts: {count}{marked}", count=count, marked=marked)

    def _differing(self) -> Iterator[str]:
        for path in dict.fromkeys(path for each in self.told for path in each.facts):
            runs = self._said(path)
            if len(runs) > 1:
                more = ", ..." if len(runs) > _SHOWN else ""
                yield f"{path} is {runs[0]}, then {', then '.join(runs[1:_SHOWN])}{more}"

    def _said(self, path: str) -> list[str]:
        """What the starts state of one thing, in their order, the same once where it follows itself."""
        said = [each.facts[path].value for each in self.told if path in each.facts]
        return [one for n, one in enumerate(said) if n == 0 or said[n - 1] != one]
