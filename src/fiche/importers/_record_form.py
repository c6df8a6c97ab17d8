"""A record as one JSON document or as a journal of lines: both become one document with places.

A journal is appended to and flushed line by line, so it may be cut anywhere: every finished phase
stands, a phase that started and did not end has no known outcome, a half-written last line is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fiche.importers._json import NotJsonError, pointer_text
from fiche.importers._record_json import Fault, decoded, schema_faults
from fiche.importers._refusal import diagnostic, refused
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused

FORMAT = "fiche-measurement/1"
_FAMILY = "fiche-measurement/"


@dataclass(slots=True)
class Form:
    """The document; in a journal also the line of the header and of each phase."""

    document: dict[str, Any]
    sha256: str
    header_line: int | None = None
    phase_lines: list[int] = field(default_factory=list)
    unfinished: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def at(self, *path: str | int, text: str = "") -> Pointer:
        """Where a value stands: a JSON pointer in a document, a line in a journal."""
        if self.header_line is None:
            return Pointer(sha256=self.sha256, path=pointer_text(path), text=text)
        line = self.header_line
        if len(path) > 1 and path[0] == "phases" and isinstance(path[1], int):
            line = self.phase_lines[path[1]] if path[1] < len(self.phase_lines) else line
        return Pointer(sha256=self.sha256, line=line, text=text)


def form(text: str, sha256: str) -> Form:
    """Read and check a record of either form.

    Raises:
        Refused: every fault of its structure (F430 to F437).
    """
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is not None and _is_header(lines[first]):
        found = _journal(lines, first, sha256)
    else:
        found = Form(document=_document(text, sha256), sha256=sha256)
    _refuse(found, [*_version(found.document), *_cpu(found.document)])
    _refuse(found, list(schema_faults(found.document)))
    _refuse(found, list(_indexes(found.document)))
    return found


def _is_header(line: str) -> bool:
    try:
        value, _ = decoded(line)
    except NotJsonError:
        return False
    return isinstance(value, dict) and "event" in value


def _refuse(found: Form, faults: list[Fault]) -> None:
    if faults:
        raise Refused(_diagnostics(found, faults))


def _diagnostics(found: Form, faults: list[Fault]) -> Iterator[Any]:
    for fault in faults:
        place = found.at(*fault.path)
        yield diagnostic(
            fault.code,
            fault.message,
            found.sha256,
            line=place.line,
            path=place.path,
            hint=fault.hint,
        )


def _document(text: str, sha256: str) -> dict[str, Any]:
    try:
        value, faults = decoded(text)
    except NotJsonError as error:
        hint = "a record is one JSON object, or a journal with one JSON object a line"
        message = f"not JSON: {error}"
        raise refused("F430", message, sha256, line=error.line, hint=hint) from None
    if not isinstance(value, dict):
        raise refused("F430", "a record is a JSON object", sha256, path="")
    _refuse(Form(document=value, sha256=sha256), faults)
    return value


def _version(document: dict[str, Any]) -> Iterator[Fault]:
    version = document.get("format")
    if version != FORMAT:
        hint = f"this fiche reads {FORMAT}"
        if isinstance(version, str) and version.startswith(_FAMILY):
            hint += "; a newer fiche may read this one"
        yield Fault("F431", ("format",), f"the format is {version!r}", hint)


def _cpu(document: dict[str, Any]) -> Iterator[Fault]:
    """A result of the CPU is never a measurement of a GPU (C10)."""
    hint = "measure on a CUDA, ROCm or XPU device"
    backend = _inside(document, "environment", "backend")
    if backend == "cpu":
        yield Fault("F436", ("environment", "backend"), "the backend is the CPU", hint)
    for place, phase in enumerate(_listed(document, "phases")):
        for index, device in enumerate(_listed(phase, "devices")):
            name = _inside(device, "device")
            if isinstance(name, str) and name.split(":")[0] == "cpu":
                path = ("phases", place, "devices", index, "device")
                yield Fault("F436", path, f"{name!r} is no GPU", hint)


def _inside(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _listed(value: object, key: str) -> list[Any]:
    found = _inside(value, key)
    return found if isinstance(found, list) else []


def _indexes(document: dict[str, Any]) -> Iterator[Fault]:
    seen: set[int] = set()
    for place, phase in enumerate(document["phases"]):
        if phase["index"] in seen:
            message = f"the index {phase['index']} stands twice"
            yield Fault("F437", ("phases", place, "index"), message, "count phases as they ran")
        seen.add(phase["index"])
        names = [device["device"] for device in phase.get("devices", ())]
        if len(names) != len(set(names)):
            hint = "one entry a device; a process of several ranks writes one record each"
            message = "a device stands twice in one phase"
            yield Fault("F437", ("phases", place, "devices"), message, hint)


def _journal(lines: list[str], first: int, sha256: str) -> Form:
    found = Form(document={}, sha256=sha256, header_line=first + 1)
    started: tuple[dict[str, Any], int] | None = None
    ended = False
    for number, event in _events(lines, first, found):
        kind = event.pop("event", None)
        if number == found.header_line:
            found.document = {**event, "phases": []}
            if kind != "header" or "phases" in event:
                raise _out_of_order("the first line is not the header of a journal", number, sha256)
        elif ended:
            raise _out_of_order("there is a line behind the footer", number, sha256)
        elif kind == "footer":
            ended = True
            _footer(event, found, number)
        else:
            started = _phase_event(kind, event, number, started, found)
    if started is not None:
        found.unfinished.append(started)
    if not ended:
        found.warnings.append(
            "no_footer: the journal has no last line; the series may have been cut short"
        )
    return found


def _events(lines: list[str], first: int, found: Form) -> Iterator[tuple[int, dict[str, Any]]]:
    last = max((n for n, line in enumerate(lines) if line.strip(" \t\r\0")), default=first)
    for n in range(first, last + 1):
        if not lines[n].strip(" \t\r\0"):
            continue
        try:
            value, faults = decoded(lines[n].strip("\0"))
        except NotJsonError as error:
            if n == last and n > first:
                found.warnings.append(f"cut_line: line {n + 1} is cut; what it said is not known")
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


def _phase_event(
    kind: object,
    event: dict[str, Any],
    number: int,
    started: tuple[dict[str, Any], int] | None,
    found: Form,
) -> tuple[dict[str, Any], int] | None:
    phase = event.get("phase")
    if kind not in ("phase_start", "phase_end") or not isinstance(phase, dict):
        raise _out_of_order(f"{kind!r} is no event of a journal", number, found.sha256)
    if kind == "phase_start":
        if started is not None:
            found.unfinished.append(started)
        return phase, number
    if started is None or started[0].get("index") != phase.get("index"):
        raise _out_of_order("a phase ends that did not start", number, found.sha256)
    found.document["phases"].append(phase)
    found.phase_lines.append(number)
    return None


def _footer(event: dict[str, Any], found: Form, number: int) -> None:
    told = event.get("phases")
    if told != len(found.phase_lines):
        message = f"the footer counts {told} phases, the journal holds {len(found.phase_lines)}"
        raise _out_of_order(message, number, found.sha256)


def _out_of_order(message: str, line: int, sha256: str) -> Refused:
    hint = "a journal is a header, then phase_start and phase_end per phase, then a footer"
    return refused("F437", message, sha256, line=line, hint=hint)
