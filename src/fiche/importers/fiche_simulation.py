"""fiche's own simulation, `fiche-simulation/1`: what `fiche simulate` writes. Computed, nothing is observed.

Its figures are plans (`Reading.planned`, of the origin `computed`), so that no counter of a run is ever taken
for one of them; it holds no run. Per phase and device, under names of their own:

    start, peak, end    simulated_allocated, simulated_reserved    process_allocator
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.importers._opened import opened_head
from fiche.importers._own_document import OwnDocument
from fiche.importers._record_facts import words_of
from fiche.importers._record_places import Form
from fiche.importers._simulation_form import faults
from fiche.importers._simulation_parts import by_of, simulation_of
from fiche.kernel.doors import Importer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Observation, Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell
from fiche.kernel.simulation import SIMULATION

_FAMILY = "fiche-simulation/"
_DOCUMENT = OwnDocument(
    title="a simulation",
    format=f"{_FAMILY}1",
    schema="simulation",
    writer="fiche simulate",
    further=faults,
)
_FACTS = (
    ("framework.version", ("simulator", "torch")),
    ("python", ("simulator", "python")),
    ("tool.name", ("tool", "name")),
    ("tool.version", ("tool", "version")),
    ("allocator.settings", ("allocator", "settings")),
)
_STATS = {"start": "start", "peak": "peak", "end": "current"}
_COMPUTED = tell(
    "computed_only: a simulation ran the model's code without a device; nothing was "
    "observed, and it neither admits nor excludes"
)


def read(content: bytes, sha256: str) -> Reading:
    """Everything that the document says, its figures as computed plans.

    Raises:
        Refused: its structure is wrong (F430 to F435), or its figures contradict each other (F585 to F588).
    """
    found = _DOCUMENT.form(content, sha256)
    document = found.document
    return Reading(
        kind=SIMULATION,
        shape="simulation",
        backend=document["simulator"]["rules"],
        planned=tuple(_figures(found)),
        facts=dict(_facts(found)),
        warnings=(_COMPUTED,),
        version=document["format"],
        simulation=simulation_of(found),
    )


def _figures(found: Form) -> Iterator[Observation]:
    for place, phase in enumerate(found.document["phases"]):
        for counter in ("allocated", "reserved"):
            for key, count in (phase[f"{counter}_bytes"] or {}).items():
                path = ("phases", place, f"{counter}_bytes", key)
                yield Observation(
                    counter=f"simulated_{counter}",
                    scope="process_allocator",
                    stat=_STATS[key],
                    kind_of_origin="computed",
                    pointer=found.at(*path, text=str(count)),
                    value=exact_bytes(count),
                    device_index=phase["device_index"],
                    phase=phase["name"],
                    window="phase" if key == "peak" else "",
                    marks={"pass": phase["pass"], "by": by_of(found.document)},
                )


def _facts(found: Form) -> Iterator[tuple[str, Fact]]:
    """What was simulated in the words of a fiche, then with what."""
    yield from words_of(found)
    yield "backend", Fact(value="cuda", address=found.at("simulator", "rules", text="cuda"))
    for key in ("gpu", "machine"):
        if found.document[key]:
            yield key, Fact(value=found.document[key], address=found.at(key))
    for key, path in _FACTS:
        value: Any = found.document
        for step in path:
            value = value[step]
        words = settings_words(value) if isinstance(value, Mapping) else value
        yield key, Fact(value=words, address=found.at(*path, text=words[:200]))


def settings_words(settings: Mapping[str, Any]) -> str:
    """The allocator's settings as a fiche has them: `default` where none is set.

    `text` is what PYTORCH_CUDA_ALLOC_CONF said, where the document has it; else the keys that were set.
    """
    if isinstance(settings.get("text"), str):
        return settings["text"] or "default"
    told = {key: value for key, value in settings.items() if value not in (None, False, "", 0)}
    words = (f"{key}:{'True' if value is True else value}" for key, value in told.items())
    return ",".join(words) or "default"


def accepts(head: bytes, name: str) -> int:
    """100 for a JSON text that names the format (any version of it)."""
    text = opened_head(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    named = b'"' + _FAMILY.encode()
    return 100 if text.startswith(b"{") and named in text[:65536] else 0


MEMBER = Importer(
    name=SIMULATION,
    title="fiche's own simulation",
    accepts=accepts,
    read=read,
)
