"""From the options of `fiche simulate` to one job: the load, the device that is stood in for, the limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from fiche.cli import running_words
from fiche.cli.measure_options import NAMES
from fiche.cli.measuring_jobs import of_fiche, options_of, workload_of
from fiche.cli.simulating_device import device_of
from fiche.cli.simulating_placement import placement_of, typed_words
from fiche.cli.usage import together
from fiche.kernel import simulation_notes
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread
from fiche.kernel.quantity import Quantity, parse_bytes, parse_duration
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.measure.workloads import ReadyWorkload
from fiche.simulate.job import FUNCTION, Job

_SECONDS = 600
_MEMORY = 24 * 2**30
_NO_LIMIT = "none"
_UNREAD = tell(
    "weights are not read: model_init stands where the case has model_load, and what the load of a checkpoint "
    "takes for a moment is not in it"
)


@record
class Asked:
    """One job, its files and its limit of time; `ready` None is a function of the user's own."""

    job: Job
    ready: ReadyWorkload | None
    output: Path
    events: Path | None
    seconds: int | None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that it would write."""
        return (self.output,) if self.events is None else (self.output, self.events)

    @property
    def title(self) -> str:
        """What runs, in a few words."""
        if self.ready is None:
            return self.job.function
        if self.ready.name == "dense":
            return self.ready.title
        name = self.job.options.get("name") or Path(str(self.job.options.get("model", ""))).name
        return f"{self.ready.name} with {name or 'a model'}"


def asked(typed: Mapping[str, Any]) -> Asked:
    """What the options ask for, each word known and each value of its type.

    Raises:
        Refused: F521 an option that the workload has not; F540 no id; F584 a word of the device or of several
            devices that is none; F701, F702 usage; F2xx no amount; whatever is wrong with the fiche.
    """
    output, events = _paths(typed)
    told = {} if typed["function"] else of_fiche(typed, placed=True)
    ready, options = _load(typed, told)
    device = device_of(typed, told)
    job = Job(
        workload=FUNCTION if ready is None else ready.name,
        options=_without_weights(options),
        words={name: v for name, v in told.get("words", {}).items() if name != "placement"},
        function=typed["function"] or "",
        folder=str(Path.cwd()) if typed["function"] else "",
        # Changed dimensions are no longer those of the case.
        case="" if _changes(typed, ready, told) else str(told.get("case", "")),
        gpu=device.gpu,
        machine=running_words.identifier("--machine", typed["machine"] or "")
        or told.get("machine")
        or "",
        allocator=device.allocator,
        capacity_bytes=device.capacity_bytes,
        capacity_by=device.capacity_by,
        capability=device.capability,
        capability_by=device.capability_by,
        placement=placement_of(typed, told),
        memory_bytes=_memory(typed["memory_limit"]),
        events=events is not None,
        every_step=typed["every_step"],
        notes=_notes(typed, options, told),
    )
    seconds = _seconds(typed["time_limit"])
    return Asked(job=job, ready=ready, output=output, events=events, seconds=seconds)


def _paths(typed: Mapping[str, Any]) -> tuple[Path, Path | None]:
    output, events = typed["output"], typed["events"]
    for option, path in (("--output", output), ("--events", events)):
        if path is not None and Path(path).name in ("", ".."):
            raise Refused([together(f"{option} names no file: '{path}'", "say -o simulation.json")])
    if events is not None and Path(events).resolve() == Path(output).resolve():
        raise Refused([together("--events and --output name one file", "name two")])
    return output, events


# --- The load -------------------------------------------------------------------------------------


def _load(
    typed: Mapping[str, Any], told: Mapping[str, Any]
) -> tuple[ReadyWorkload | None, dict[str, Any]]:
    """A ready workload with its options, or None with those of the user's function."""
    if typed["function"] is None:
        ready = workload_of(typed, told)
        return ready, {**told.get("options", {}), **options_of(typed, ready)}
    others = [f"--{n.rstrip('_')}" for n in ("from_", "case", "candidate") if typed[n] is not None]
    if others:
        message = f"{', '.join(others)} and --function are two loads"
        raise Refused([together(message, "name one of them")])
    return None, _keywords(typed)


def _keywords(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a function: as JSON where the text is JSON, else as text."""
    given = {name: _value(typed[name]) for name in NAMES if typed[name] not in (None, False)}
    for text in typed["set"] or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip().isidentifier():
            raise Refused([together(f"'{text}' sets nothing", "write it as NAME=VALUE")])
        given[name.strip()] = _value(value.strip())
    return given


def _value(typed: object) -> Any:  # noqa: ANN401 - whatever a function takes
    if not isinstance(typed, str):
        return typed
    try:
        return json.loads(typed)
    except (ValueError, RecursionError):
        return typed


def _without_weights(options: Mapping[str, Any]) -> dict[str, Any]:
    """`weights` chooses what is read, and nothing is."""
    return {name: value for name, value in options.items() if name != "weights"}


def _changes(
    typed: Mapping[str, Any], ready: ReadyWorkload | None, told: Mapping[str, Any]
) -> bool:
    if ready is None or not told:
        return False
    changed = {*options_of(typed, ready)} & {*told.get("options", {})}
    placed = {*typed_words(typed)}
    return bool(changed | placed) or typed["allocator"] is not None


def _notes(
    typed: Mapping[str, Any], options: Mapping[str, Any], told: Mapping[str, Any]
) -> tuple[str, ...]:
    """What is left open of the load, and of the rank that is asked about."""
    unread = bool(told.get("notes")) or options.get("weights") == "stored"
    rank = str(typed["rank"] or "")
    ranked = (simulation_notes.ranked(rank),) if rank.isdecimal() else ()
    return (*((_UNREAD,) if unread else ()), *ranked)


# --- Limits ---------------------------------------------------------------------------------------


def _seconds(text: str | None) -> int | None:
    """Whole seconds, one at least; None without a limit."""
    if text is None or text == _NO_LIMIT:
        return _SECONDS if text is None else None
    hours = Fraction(_read("--time-limit", parse_duration(text)).value)
    return max(1, round(hours * 3600))


def _memory(text: str | None) -> int | None:
    if text is None or text == _NO_LIMIT:
        return _MEMORY if text is None else None
    return int(_read("--memory-limit", parse_bytes(text)).value)


def _read(option: str, found: Quantity | Misread) -> Quantity:
    if isinstance(found, Misread):
        message = f"{option}: {found.message}"
        raise Refused([Diagnostic(code=found.code, message=message, address=None, hint=found.hint)])
    return found
