"""A record as one JSON document or as a journal of lines: both become one document with places.

Either may be cut anywhere: every finished phase stands, what was being written is dropped and said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fiche.importers._json import NotJsonError
from fiche.importers._record_journal import is_header, journal
from fiche.importers._record_json import Fault, decoded, follows_schema, plainly, schema_faults
from fiche.importers._record_places import FAMILY, FORMAT, Form, counted_twice, told
from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused
from fiche.kernel.said import tell

if TYPE_CHECKING:
    from fiche.importers._record_cut import Cut

# What a record must have said before its phases can be read.
HEAD = ("format", "tool", "series", "environment", "workload")
_CUT = tell(
    "cut_document: the file breaks off; what it said from the cut on is not known, the "
    "phases that were whole before it stand"
)


def form(text: str, sha256: str) -> Form:
    """Read and check a record of either form.

    Raises:
        Refused: every fault of its structure (F430 to F439).
    """
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is not None and is_header(lines[first]):
        found = journal(lines, first, sha256)
    else:
        found = _document(text, sha256)
    if not found.is_checked and not follows_schema(found.document):
        _refuse(found, [*_version(found.document), *_cpu(found.document)])
        _refuse(found, list(schema_faults(found.document)))
    _open_phases(found)
    _refuse(found, list(_indexes(found)))
    return found


def _refuse(found: Form, faults: list[Fault]) -> None:
    if faults:
        raise Refused(
            told(found, each.code, each.message, *each.path, hint=each.hint) for each in faults
        )


def _document(text: str, sha256: str) -> Form:
    plain = plainly(text)
    if isinstance(plain, dict) and follows_schema(plain):  # the schema bounds every number
        return Form(document=plain, sha256=sha256, is_checked=True)
    try:
        value, faults = decoded(text.rstrip("\0"))
    except NotJsonError as error:
        from fiche.importers._record_cut import cut_document

        cut = cut_document(text)
        if cut is not None:
            return _cut(cut, sha256)
        hint = "a record is one JSON object, or a journal with one JSON object a line"
        message = f"not JSON: {error}"
        raise refused("F430", message, sha256, line=error.line, hint=hint) from None
    if not isinstance(value, dict):
        raise refused("F430", "a record is a JSON object", sha256, path="")
    found = Form(document=value, sha256=sha256)
    _refuse(found, faults)
    return found


def _cut(cut: Cut, sha256: str) -> Form:
    """The record before the cut, with the phases that it still tells.

    Raises:
        Refused: F438, the head is not whole.
    """
    missing = [key for key in HEAD if key not in cut.document]
    if missing or "event" in cut.document:  # a journal that has no whole line yet
        message = f"the record breaks off before it says its {', '.join(missing) or 'phases'}"
        hint = "copy the file again, or import the journal that lies beside it"
        raise refused("F438", message, sha256, path="", hint=hint)
    document = {**cut.document, "phases": cut.document.get("phases", [])}
    found = Form(document=document, sha256=sha256, warnings=[_CUT], cut=True)
    _refuse(found, list(cut.faults))
    return found


def _version(document: dict[str, Any]) -> Iterator[Fault]:
    version = document.get("format")
    if version != FORMAT:
        hint = f"this fiche reads {FORMAT}"
        if isinstance(version, str) and version.startswith(FAMILY):
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


def _open_phases(found: Form) -> None:
    """A document lists the phases without an end; in a journal they are the ones that no line ends."""
    told = found.document.get("unfinished", ())
    found.unfinished += [(phase, found.at("unfinished", place)) for place, phase in enumerate(told)]


def _indexes(found: Form) -> Iterator[Fault]:
    phases = found.document["phases"]
    seen: set[int] = set()
    for place, phase in enumerate(phases):
        if phase["index"] in seen:
            message = f"the index {phase['index']} stands twice"
            yield Fault("F437", ("phases", place, "index"), message, "count phases as they ran")
        seen.add(phase["index"])
        devices = phase.get("devices", ())
        names = [device["device"] for device in devices] if len(devices) > 1 else ()
        if len(names) != len(set(names)):
            hint = "one entry a device; the records of several ranks are put together with --merge"
            message = "a device stands twice in one phase"
            yield Fault("F437", ("phases", place, "devices"), message, hint)
    yield from _unended(found, seen)
    yield from devices_twice(found)
    if any("parent" in phase for phase in phases):
        known = {*seen, *(phase.get("index") for phase, _ in found.unfinished)}
        yield from _parents(found, known)


def devices_twice(found: Form) -> Iterator[Fault]:
    """F437 for each device of the environment whose index another one has."""
    for place, index in counted_twice(found.document):
        path = ("environment", "devices", place, "index")
        message = f"two devices have the index {index}, so nobody knows which of them was read"
        yield Fault("F437", path, message, "count devices as the process sees them")


def _unended(found: Form, finished: set[int]) -> Iterator[Fault]:
    for place, phase in enumerate(found.document.get("unfinished", ())):
        if phase["index"] in finished:
            message = f"phase {phase['index']} is finished, and is said to have no end"
            hint = "a phase stands once"
            yield Fault("F437", ("unfinished", place, "index"), message, hint)


def _parents(found: Form, known: set[Any]) -> Iterator[Fault]:
    """An enclosing phase started before; where the text breaks off it may stand behind the cut."""
    for place, phase in enumerate(found.document["phases"]):
        parent = phase.get("parent")
        if parent is None or (parent < phase["index"] and (found.cut or parent in known)):
            continue
        message = f"the phase stands in phase {parent}, which did not start before it"
        hint = "`parent` is the index of the phase around it"
        yield Fault("F439", ("phases", place, "parent"), message, hint)
