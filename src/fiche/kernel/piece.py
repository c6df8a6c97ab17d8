"""Pieces of evidence: bytes as received, named by sha256, and what was read beside them (law 6).

The vocabulary of failures and observations is the one that practitioners' formats share: counters
keep their own name, scope, statistic, unit and rounding (C3, C5, C13).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fiche.kernel.address import Pointer, Span
from fiche.kernel.custody import NO_CUSTODY, Citation, Custody
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import field, record
from fiche.kernel.simulation import Simulation


@record
class Printed:
    """A quantity as a program printed it, and the interval of bytes that its rounding allows.

    `value` is the printed number times `unit_bytes`, to a whole byte; None when only bounds are known
    or when the program printed its "not available" (`unavailable`). `rounding` is one of `exact`,
    `nearest-N-digits`, `floor-N-digits`, `integer-plus-minus-1`, `bounds`, `lower-bound`.
    """

    text: str
    unit_bytes: int | None
    value: int | None
    low: int | None
    high: int | None
    rounding: str
    unavailable: bool = False


@record
class OtherProcess:
    """Another process on the device as the message names it; in a container it may be the own one."""

    pid: int
    in_use: Printed


@record
class Failure:
    """A failure that a program printed: an observation, never a need (C11).

    `message_kind`: allocator_oom, driver_oom, library_alloc_failed, admission_check,
    allocation_size_limit, process_killed, kernel_resource_limit, oom_counter, workload_error.
    `memory`: device, unified, host, on_chip (None where the error is not about memory).
    `quantities` keys: requested, requested_at_least, total_capacity, free, process_in_use, allowed,
    allocated, in_private_pools, reserved_unallocated, reserved_total, other_in_use; absent = not printed.
    `speaker` names who printed it beside the rank, as the log does: a container or pod, a child process, a
    process id with its host; empty where nothing tells. `is_earlier`: it came up before the phase that names it
    began, so work before it failed. `phase` is the part of a loop in which it came up, where that is told.
    """

    pointer: Pointer
    message_kind: str
    memory: str | None
    backend: str | None
    device_index: int | None = None
    rank: int | str | None = None
    speaker: str = ""
    quantities: Mapping[str, Printed] = field(default_factory=dict)
    other_processes: tuple[OtherProcess, ...] = ()
    library: str | None = None
    component: str | None = None
    count: int | None = None
    recovered: bool | None = None
    truncated: bool = False
    is_earlier: bool = False
    phase: str = ""
    message: str = ""


@record
class Observation:
    """One reading of one counter, or (in `Reading.planned` only) a figure that a program planned with.

    `scope`: process_allocator, process, device, component, host_process, host.
    `stat`: current, peak, start, sampled_max, delta, peak_delta, free, total, reserved, capacity;
    `need` only with the origin `estimated`.
    `kind_of_origin`: measured (read from a counter of the allocator, the driver or the system),
    runtime_reported (the program's own account of a buffer); estimated, budget and computed (by a
    simulation) in plans.
    `value` holds bytes; a plain `number` has a `unit` (tokens, blocks, requests). `window` is what the
    figure holds for, where that is less than the process: trace, since_previous_line.
    `marks` are further words of the program, ready for JSON, under the keys of
    `cases/evidence/README.md`: stage, step, at_tokens, buffer, pid, process, type, mig, bus_id, uuid, host,
    derived, includes_estimate, release.
    """

    counter: str
    scope: str
    stat: str
    kind_of_origin: str
    pointer: Pointer
    value: Printed | None = None
    number: int | Fraction | None = None
    unit: str = ""
    device_index: int | None = None
    rank: int | str | None = None
    label: str = ""
    phase: str = ""
    window: str = ""
    marks: Mapping[str, object] = field(default_factory=dict)


@record
class NotObserved:
    """Text that looks like evidence and is none (a plan, a budget, an estimate), with the reason."""

    pointer: Pointer
    text: str
    reason: str


@record
class Run:
    """One execution that a piece tells of: what ran, how far, and what the counters showed.

    `facts` are scope facts printed in the file (keys as in `Workload.facts`, plus `gpu`, `machine`,
    `backend`, `allocator.backend`, `allocator.settings`, `process_protocol`, `driver`, ...).
    `executed` are the dimensions really executed (A3); `declared` the ones asked for.
    `whole_loop` is True only for the un-phased loop with its real ordering (C8): nothing else admits.
    `phases` are the phases that the run went through. `ceilings` maps a device index to the observed
    need on that device (see `importers.fiche_record`), `outside` to the part outside the allocator.
    """

    id: str
    outcome: str
    whole_loop: bool
    phases: tuple[str, ...]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    executed: Mapping[str, Figure] = field(default_factory=dict)
    declared: Mapping[str, Figure] = field(default_factory=dict)
    first_pass: bool = False
    failure: Failure | None = None
    observations: tuple[Observation, ...] = ()
    pointer: Pointer | None = None
    duration_ns: int | None = None
    output_check: str = ""

    @property
    def ended_in(self) -> str:
        """Where a failed run ended: the phase that its failure names, else the last that it went through."""
        named = "" if self.failure is None else self.failure.phase
        return named or (self.phases[-1] if self.phases else "")


@record
class Capacity:
    """A total that one machine printed for one of its devices.

    `counter`: torch_total_memory, cuda_total_other, oom_total_capacity (framework-visible), or
    nvidia_smi_total, rocm_smi_total, provider_declared (these bound from above only).
    `others` is what other users of the device held, observed; None = nobody looked. `others_pointer`
    is where that was read, if elsewhere than the total.
    """

    counter: str
    value: Printed
    device_index: int | None
    pointer: Pointer
    device_name: str = ""
    others: Printed | None = None
    others_pointer: Pointer | None = None


@record
class Result:
    """A figure that is no memory: a task's score, a throughput, a latency, as a file prints it.

    `metric` is the program's own name; `low` to `high` is what the printed `text` allows, in `unit`
    (`score`, `tokens/s`, `requests/s`, `s`). `stat` is mean, median, p99, std, total or empty.
    `label` is the task or the target that it belongs to; `marks` as for an observation.
    """

    metric: str
    text: str
    low: Fraction
    high: Fraction
    unit: str
    pointer: Pointer
    stat: str = ""
    label: str = ""
    marks: Mapping[str, object] = field(default_factory=dict)


@record
class Passage:
    """Words of a document and where they stand (`page 2`, `paragraph 12`): to look a quote up, no more."""

    place: str
    text: str


@record
class Reading:
    """What an importer read from one file: everything it says, nothing it does not say (C2, C13).

    `observations` were measured or reported at run time; `planned` follows from settings or arithmetic
    (a budget, an estimate): no requirement is ever compared with it. `counters` are plain counts
    (`num_ooms`, `num_alloc_retries`); `further` is what else the format tells, ready for JSON (samples,
    sample_period_s, observed_at, by_category_at_peak, private_pools, annotations, links, numa).
    `passages` are the words of a document (a PDF's pages), which no report prints whole. `simulation` is
    what a program computed without a device, None in every other kind.
    """

    kind: str
    shape: str
    backend: str | None = None
    failures: tuple[Failure, ...] = ()
    observations: tuple[Observation, ...] = ()
    not_observed: tuple[NotObserved, ...] = ()
    runs: tuple[Run, ...] = ()
    capacities: tuple[Capacity, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    duplicate_messages: int = 0
    version: str = ""
    planned: tuple[Observation, ...] = ()
    results: tuple[Result, ...] = ()
    counters: Mapping[str, int] = field(default_factory=dict)
    further: Mapping[str, object] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    simulation: Simulation | None = None


@record
class Attested:
    """A named fact that a document attests (D3): typed by the author, with the words of the document.

    `fact` is a topic of a criterion (price, validity, tax, delivery, host_memory, interconnect,
    capacity, quality, software, precision, document, other_users, ...); `terms` its figures,
    `words` its words. `pointer` is the line of the piece where `quote` was found: then the document
    itself prints it; without it the fact rests on the author's word (`by`).
    """

    fact: str
    terms: Mapping[str, Figure] = field(default_factory=dict)
    words: Mapping[str, Fact] = field(default_factory=dict)
    span: Span
    pointer: Pointer | None = None
    by: str = ""


@record
class Piece:
    """A piece as the fiche cites it: the file's digest, its reading, its scope, who vouches for it.

    `kind`: record, oom, quote, datasheet, document, result (or another importer's). `typed` are scope
    facts the author typed (each a Fact with a Span and `by`), including `case`, `gpu`, `machine`.
    `typed_by` is who answers for the typed dimensions, which are figures and bear no name.
    `valid_until` is its last day. `about` are facts that it hung on when it was made (paths as in
    `Workload.facts`, and `catalog`, `case`), `about_dimensions` the dimensions of that case then: where the
    fiche says otherwise now, the piece is stale. `run` names the run that several pieces tell of.
    `redacted` counts what was replaced before the file was stored, by kind (user, host, token, ...).
    `custody` is how it may be kept and shown, `cites` the entry of an archive that it was taken from.
    """

    id: str
    file: str
    sha256: str
    num_bytes: int
    media_type: str
    kind: str
    version: str
    span: Span
    reading: Reading
    typed: Mapping[str, Fact] = field(default_factory=dict)
    typed_dimensions: Mapping[str, Figure] = field(default_factory=dict)
    attested: tuple[Attested, ...] = ()
    date: str = ""
    valid_until: str = ""
    about: Mapping[str, Fact] = field(default_factory=dict)
    about_dimensions: Mapping[str, Figure] = field(default_factory=dict)
    typed_by: str = ""
    run: str = ""
    redacted: Mapping[str, int] = field(default_factory=dict)
    custody: Custody = NO_CUSTODY
    cites: Citation | None = None
