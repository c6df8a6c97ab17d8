"""A record as a journal of lines, which may be cut anywhere: every finished phase stands.

Phases may be nested: one starts while another is open and names it as its `parent`. One that never ended,
or whose surroundings ended before it, has no known outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._json import NotJsonError, pointer_text
from fiche.importers._record_json import decoded
from fiche.importers._record_places import Form, told
from fiche.importers._refusal import diagnostic, refused
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import field, record
from fiche.kernel.said import tell

_BLANK = " \t\r\0"
_ORDER = "a journal is a header, then phase_start and phase_end per phase, then a footer"


def is_header(line: str) -> bool:
    """True for a whole line of a journal."""
    if '"event"' not in line:
        return False
    try:
        value, _ = decoded(line)
    except NotJsonError:
        return False
    return isinstance(value, dict) and "event" in value


def journal(lines: list[str], first: int, sha256: str) -> Form:
    """Read the lines of a journal whose header is line `first`, counted from 0.

    Raises:
        Refused: a line inside is no JSON (F430) or out of order (F437, F439).
    """
    found = Form(document={}, sha256=sha256, header_line=first + 1)
    reading = _Journal(found)
    for number, event in _events(lines, first, found):
        reading.take(number, event)
    reading.end()
    return found


_Open = tuple[dict[str, Any], int]


@record(frozen=False, kw_only=False)
class _Journal:
    """A journal in the reading: the phases that are open, the outermost first."""

    found: Form
    open: list[_Open] = field(default_factory=list)
    finished: list[_Open] = field(default_factory=list)
    footer: bool = False

    def take(self, number: int, event: dict[str, Any]) -> None:
        kind = event.pop("event", None)
        if number == self.found.header_line:
            self._header(kind, event, number)
        elif self.footer:
            raise self._out_of_order("there is a line behind the footer", number)
        elif kind == "footer":
            self._footer(event.get("phases"), number)
        else:
            self._phase(kind, event.get("phase"), number)

    def _header(self, kind: object, event: dict[str, Any], number: int) -> None:
        if kind != "header" or "phases" in event:
            message = "the first line is not the header of a journal"
            raise self._out_of_order(message, number)
        self.found.document = {**event, "phases": []}

    def _footer(self, count: object, number: int) -> None:
        self.footer = True
        if count != len(self.finished):
            message = f"the footer counts {count} phases, the journal holds {len(self.finished)}"
            raise self._out_of_order(message, number)

    def _phase(self, kind: object, phase: object, number: int) -> None:
        if kind not in ("phase_start", "phase_end") or not isinstance(phase, dict):
            raise self._out_of_order(f"{kind!r} is no event of a journal", number)
        if kind == "phase_start":
            self._start(phase, number)
        else:
            self._end(phase, number)

    def _start(self, phase: dict[str, Any], number: int) -> None:
        """What is open and does not hold the new phase was left without an end."""
        parent = phase.get("parent")
        while self.open and self.open[-1][0].get("index") != parent:
            self._leave(self.open.pop())
        if parent is not None and not self.open:
            message = f"the phase stands in phase {parent}, which is not open"
            raise Refused([told(self.found, "F439", message, line=number, hint=_ORDER)])
        self.open.append((phase, number))

    def _end(self, phase: dict[str, Any], number: int) -> None:
        index = phase.get("index")
        if all(started.get("index") != index for started, _ in self.open):
            raise self._out_of_order("a phase ends that did not start", number)
        while self.open[-1][0].get("index") != index:
            self._leave(self.open.pop())
        self.open.pop()
        self.finished.append((phase, number))

    def _leave(self, started: _Open) -> None:
        phase, line = started
        self.found.unfinished.append((phase, Pointer(sha256=self.found.sha256, line=line)))

    def end(self) -> None:
        for started in self.open:
            self._leave(started)
        self.found.unfinished.sort(key=lambda told: told[1].line or 0)
        self.finished.sort(key=_index)
        self.found.document["phases"] = [phase for phase, _ in self.finished]
        self.found.phase_lines = [line for _, line in self.finished]
        if not self.footer:
            self.found.cut = True
            self.found.warnings.append(
                tell("no_footer: the journal has no last line; the series may have been cut short")
            )

    def _out_of_order(self, message: str, line: int) -> Refused:
        return refused("F437", message, self.found.sha256, line=line, hint=_ORDER)


def _index(finished: _Open) -> int:
    """An outer phase ends behind those inside it; a document lists phases as they started."""
    index = finished[0].get("index")
    return index if isinstance(index, int) else 0


def _events(lines: list[str], first: int, found: Form) -> Iterator[tuple[int, dict[str, Any]]]:
    last = max((n for n, line in enumerate(lines) if line.strip(_BLANK)), default=first)
    for n in range(first, last + 1):
        if not lines[n].strip(_BLANK):
            continue
        try:
            value, faults = decoded(lines[n].strip("\0"))
        except NotJsonError as error:
            if n == last and n > first:
                found.warnings.append(
                    tell("cut_line: line {count} is cut; what it said is not known", count=n + 1)
                )
                return
            message = f"line {n + 1} is not JSON: {error}"
            raise refused("F430", message, found.sha256, line=n + 1) from None
        if faults:
            raise Refused(
                diagnostic(
                    f.code,
                    f"{pointer_text(f.path)}: {f.message}",
                    found.sha256,
                    line=n + 1,
                    hint=f.hint,
                )
                for f in faults
            )
        if not isinstance(value, dict):
            raise refused("F430", f"line {n + 1} is no JSON object", found.sha256, line=n + 1)
        yield n + 1, value
