"""The workload, before any counter (A1-A7): facts, stated figures, cases, reserve and margin."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.model import Model
from fiche.kernel.record import record
from fiche.kernel.work import Work


@record
class Case:
    """One load to answer for (A3): its role and what it states of its dimensions.

    `dimensions` keys: prompt_tokens, new_tokens, resident_sequences, concurrent_requests, microbatch,
    accumulation, sequence_tokens, images, image_pixels, ...; only what the fiche states. `phases` are
    the phases it must go through; `requests that merely wait` (concurrent above resident) are not
    resident (A4).
    """

    id: str
    role: str
    dimensions: Mapping[str, Figure]
    phases: tuple[str, ...]
    span: Span


@record
class Workload:
    """What must run.

    `facts` by dotted path: model.name, model.revision, model.digest, operation, method.kind,
    engine.name, engine.version, engine.settings.*, formats.storage, formats.compute, formats.cache,
    attention, backend, allocator.backend, allocator.settings, placement.resident, placement.split,
    placement.software, process_protocol, optimizer.name, ...
    `figures` by dotted path: model.parameters, model.layers, model.kv_heads, model.head_dim,
    formats.storage_bits, placement.devices, method.rank, duration, ...
    `model` is what the model's own files say, None where the fiche names none. `work` is how much is to be
    done, where it is counted.
    """

    facts: Mapping[str, Fact]
    figures: Mapping[str, Figure]
    cases: tuple[Case, ...]
    reserve: tuple[Figure, ...] = ()
    margin: tuple[Figure, ...] = ()
    method_targets: tuple[str, ...] = ()
    modules_to_save: tuple[str, ...] = ()
    span: Span | None = None
    model: Model | None = None
    work: Work | None = None
