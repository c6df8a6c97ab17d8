"""fiche's own account of a machine, `fiche-environment/1`: what `fiche environment --output FILE` writes.

It bounds the capacity of that machine's devices as the environment of a measurement record does, and
holds no run: it admits nothing by itself. What is absent stays absent (C2). Readings, under their counters:

    process       process_device_used (current): a context without allocations     process
    others, free  other_processes_used, device_free                                 device
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._opened import opened_head
from fiche.importers._own_document import OwnDocument
from fiche.importers._record_capacity import DEVICE_READINGS, totals
from fiche.importers._record_doubts import index_of
from fiche.importers._record_facts import environment_facts
from fiche.importers._record_form import devices_twice
from fiche.importers._record_places import Form
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Observation, Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

_FAMILY = "fiche-environment/"
_DOCUMENT = OwnDocument(
    title="an environment",
    format=f"{_FAMILY}1",
    schema="environment",
    writer="fiche environment --output FILE",
    further=devices_twice,
)
# (counter, stat, scope) of each reading.
_READINGS = {
    "process_device_bytes": ("process_device_used", "current", "process"),
    **{key: (*counter, "device") for key, counter in DEVICE_READINGS.items()},
}


def read(content: bytes, sha256: str) -> Reading:
    """Totals, readings and facts of one machine.

    Raises:
        Refused: the document's structure is wrong (F430 to F435, F437); doubtful values are warnings.
    """
    found = _DOCUMENT.form(content, sha256)
    document = found.document
    readings = tuple(
        (entry, ("readings", place)) for place, entry in enumerate(document.get("readings", ()))
    )
    backend = document["environment"].get("backend")
    return Reading(
        kind="fiche_environment",
        shape="environment",
        backend={"hip": "rocm"}.get(backend, backend),
        observations=tuple(_observations(found)),
        capacities=tuple(totals(found, readings)),
        facts=environment_facts(found),
        warnings=tuple(_doubts(document)),
        version=document["format"],
        further=_further(document),
    )


def _observations(found: Form) -> Iterator[Observation]:
    for place, entry in enumerate(found.document.get("readings", ())):
        for key, (counter, stat, scope) in _READINGS.items():
            if key not in entry:
                continue
            count = entry[key]["bytes"]
            yield Observation(
                counter=counter,
                scope=scope,
                stat=stat,
                kind_of_origin="measured",
                pointer=found.at("readings", place, key, "bytes", text=str(count)),
                value=exact_bytes(count),
                device_index=index_of(entry["device"]),
                label=entry[key]["counter"],
            )


def _doubts(document: dict[str, Any]) -> Iterator[str]:
    """What cannot all be true; said, never mended."""
    devices = document["environment"].get("devices", ())
    declared = {device["index"]: device.get("total_memory_bytes") for device in devices}
    for device in devices:
        total, above = device.get("total_memory_bytes"), device.get("nvml_total_bytes")
        if total is not None and above is not None and total > above:
            yield tell(
                "inconsistent: device {device} declares more than the system's tool counts",
                device=device["index"],
            )
    for entry in document.get("readings", ()):
        index = index_of(entry["device"])
        total = declared.get(index)
        if index not in declared:
            yield tell(
                "inconsistent: {entry} was read and is not listed in the environment",
                entry=entry["device"],
            )
        elif total is not None and entry.get("free_bytes", {}).get("bytes", 0) > total:
            yield tell(
                "inconsistent: more is free on {entry} than it declares", entry=entry["device"]
            )


def _further(document: dict[str, Any]) -> dict[str, object]:
    told: dict[str, object] = {}
    if "observed_at" in document:
        told["observed_at"] = document["observed_at"]
    if document.get("missing"):
        told["missing"] = [each["what"] for each in document["missing"]]
    return told


def accepts(head: bytes, name: str) -> int:
    """100 for a JSON text that names the format (any version of it)."""
    text = opened_head(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    named = b'"' + _FAMILY.encode()
    return 100 if text.startswith(b"{") and named in text[:65536] else 0


MEMBER = Importer(
    name="fiche_environment",
    title="fiche's own account of a machine",
    accepts=accepts,
    read=read,
)
