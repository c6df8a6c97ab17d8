"""Allocations that llama.cpp could not make: one event, told by several of its layers (evidence_formats 1.3).

The backend prints MiB, the allocator above it the same amount in bytes: counted once, the bytes are kept.
What was being allocated follows from the lines behind; a compute buffer may be tried again with less.
"""

from __future__ import annotations

import re

from fiche.importers._lines import Line
from fiche.importers._llamacpp_buffers import (
    BUFFER,
    MIBS,
    Attempt,
    LlamaLog,
    backend_of,
    device_of,
    mib,
    on_host,
)
from fiche.importers._logged import Rule, bounded
from fiche.kernel.piece import Failure, Printed
from fiche.kernel.record import replace
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

# So many lines after a failure its other layers have spoken.
_NEAR = 8


def _attempt(
    log: LlamaLog,
    line: Line,
    match: re.Match[str],
    kind: str,
    requested: Printed | None,
    buffer: str = "",
    *,
    device: int | None = None,
    memory: str = "device",
) -> Attempt:
    host = memory == "host"
    bounded(len(log.attempts), log.sheet.place(line))
    made = Attempt(
        failure=Failure(
            pointer=log.sheet.place(line),
            message_kind=kind,
            memory=memory,
            backend="cpu" if host else backend_of(buffer) or log.backend or "cuda",
            device_index=device_of(buffer) if buffer else device,
            rank=line.speaker.rank,
            speaker=line.speaker.name,
            quantities={} if requested is None else {"requested": requested},
            message=re.sub(r"\s{1,60}", " ", match[0]).strip()[:500],
        ),
        exact=requested is not None and requested.rounding == "exact",
    )
    log.attempts.append(made)
    return made


def _last(log: LlamaLog, line: Line) -> Attempt | None:
    """The failure that the lines just before told of, in the same container."""
    name = line.speaker.name
    last = next(
        (each for each in reversed(log.attempts[-_NEAR:]) if each.failure.speaker == name), None
    )
    if last is None:
        return None
    return last if line.number - (last.failure.pointer.line or 0) <= _NEAR else None


def _on_device(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """The backend's line; a log that ends in its last words is cut, any other error is no lack."""
    error = re.sub(r"\s", "", match["error"])
    if not "outofmemory".startswith(error[:11]):
        return
    # A viewer's prefix can look like the number at the start of a wrapped line.
    device = None if match["device"] is None else int(match["device"])
    made = _attempt(log, line, match, "allocator_oom", mib(match["amount"]), device=device)
    made.failure = replace(made.failure, truncated=len(error) < 11)


def _of_bytes(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """The allocator's own line: the bytes of the failure before, or a failure of its own."""
    count, buffer = int(match["bytes"]), match["buffer"]
    value, last = exact_bytes(count), _last(log, line)
    if last is not None and not last.exact and _same(last.failure, count, buffer):
        backend = backend_of(buffer) or last.failure.backend
        index = last.failure.device_index
        last.failure = replace(
            last.failure,
            quantities={"requested": value},
            backend=backend,
            device_index=device_of(buffer) if index is None else index,
        )
        last.exact = True
        log.sheet.duplicate_messages += 1
    elif last is not None and last.exact and _same(last.failure, count, buffer):
        log.sheet.duplicate_messages += 1
    else:
        memory = "host" if on_host(buffer) else "device"
        last = _attempt(log, line, match, "allocator_oom", value, buffer, memory=memory)
    if "gallocr" in match["where"]:
        last.failure = replace(last.failure, component="compute")


def _same(failure: Failure, count: int, buffer: str) -> bool:
    asked, device = failure.quantities.get("requested"), device_of(buffer)
    inside = asked is None or (asked.low or 0) <= count <= (asked.high or count)
    return inside and (device is None or failure.device_index in {None, device})


def _host_bytes(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    value = exact_bytes(int(match["bytes"]))
    _attempt(log, line, match, "allocator_oom", value, memory="host")


def _vulkan(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    value = exact_bytes(int(match["bytes"]))
    log.backend = log.backend or "vulkan"
    made = _attempt(log, line, match, "allocator_oom", value)
    made.failure = replace(made.failure, backend="vulkan")


def _too_large(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    last = _last(log, line)
    if last is not None:
        last.failure = replace(last.failure, message_kind="allocation_size_limit")


def _metal(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    value = mib(match["amount"])
    made = _attempt(log, line, match, "allocator_oom", value, "Metal", memory="unified")
    made.failure = replace(made.failure, device_index=None)


def _output(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    made = _attempt(log, line, match, "allocator_oom", mib(match["amount"]), memory="host")
    made.failure = replace(made.failure, component="output")


def _of(log: LlamaLog, line: Line, component: str) -> None:
    last = _last(log, line)
    if last is not None and last.failure.component is None:
        last.failure = replace(last.failure, component=component)


def _compute(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    _of(log, line, "compute")


def _cache(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    _of(log, line, "kv_cache")


def _model(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """The loader's word; alone it is the failure, where the log lacks the lines before."""
    if not log.attempts:
        _attempt(log, line, match, "driver_oom", None, match["buffer"] or "")
    _of(log, line, "model")


def _wrapped(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """A program around llama.cpp repeats the driver's words without a figure."""
    if re.search(r"on device\s{0,9}[0-9]{1,3}:\s{0,9}$", line.text[: match.start()]):
        return
    if log.attempts:
        log.sheet.duplicate_messages += 1
    else:
        _attempt(log, line, match, "driver_oom", None)


def _driver(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """The driver's words under a kernel or a pool; the device stands on the next line."""
    made = _attempt(log, line, match, "driver_oom", None)
    backend = "cuda" if match["maker"] == "CUDA" else "rocm"
    made.failure = replace(made.failure, backend=backend)


def _current(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    last = _last(log, line)
    if last is not None and last.failure.message_kind == "driver_oom":
        last.failure = replace(last.failure, device_index=int(match["device"]))


def _again(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    for attempt in log.attempts:
        near = line.number - (attempt.failure.pointer.line or 0) <= _NEAR
        if near and attempt.failure.recovered is None:
            attempt.failure = replace(attempt.failure, component="compute")
            attempt.retried = True


def _pinned(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    reason = tell("memory of the host could not be pinned; the program goes on without")
    log.sheet.plan(line, match[0].strip(), reason)


_WHERE = r"(?P<where>(?:\w{1,60}: )?)"
RULES: tuple[Rule[LlamaLog], ...] = (
    Rule(
        ("on device", "Malloc failed"),
        rf"allocating (?P<amount>{MIBS}) MiB on device (?:(?P<device>[0-9]{{1,3}}):)?"
        r" (?:cuda|hip)Malloc\w{0,20} failed:(?P<error> [a-z ]{0,13})",
        _on_device,
        whole=True,
    ),
    Rule("Malloc failed", r"(?:cuda|hip)Malloc failed: out of memory", _wrapped),
    Rule(
        "failed to allocate ",
        rf"{_WHERE}failed to allocate {BUFFER} buffer of size (?P<bytes>[0-9]{{1,18}})(?![0-9.])",
        _of_bytes,
        whole=True,
    ),
    Rule(
        "failed to allocate ",
        r"failed to allocate buffer of size (?P<bytes>[0-9]{1,18})(?![0-9.])",
        _host_bytes,
        whole=True,
    ),
    Rule(
        "memory allocation of size",
        r"Device memory allocation of size (?P<bytes>[0-9]{1,18}) failed",
        _vulkan,
    ),
    Rule(
        "equested buffer size exceeds",
        r"Requested buffer size exceeds device .{1,40}? limit",
        _too_large,
    ),
    Rule(
        "failed to allocate ",
        rf"error: failed to allocate buffer, size = (?P<amount>{MIBS}) MiB",
        _metal,
    ),
    Rule(
        "failed to allocate ",
        rf"failed to allocate output buffer of size (?P<amount>{MIBS}) MiB",
        _output,
    ),
    Rule(
        "failed to allocate ",
        rf"failed to allocate (?P<amount>{MIBS}) Mi?B of pinned memory",
        _pinned,
    ),
    Rule("failed to allocate ", r"failed to allocate compute (?:pp |tg )?buffers", _compute),
    Rule("failed to allocate ", r"failed to allocate buffer for (?:the )?[Kk][Vv] cache", _cache),
    Rule(
        "retrying without",
        r"compute buffer allocation failed, retrying without pipeline parallelism",
        _again,
    ),
    Rule("unable to allocate", rf"unable to allocate (?:{BUFFER} )?buffer", _model),
)
DRIVER: tuple[Rule[LlamaLog], ...] = (
    Rule(
        "out of memory",
        r"(?P<maker>CUDA|ROCm|HIP) error(?: [0-9]{1,4} at \S{1,200})?: out of memory",
        _driver,
    ),
    Rule("current device:", r"current device: (?P<device>[0-9]{1,3}), in function", _current),
)
