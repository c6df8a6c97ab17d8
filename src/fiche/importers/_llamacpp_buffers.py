"""Names of ggml's buffers and devices, and the state of a log of llama.cpp while it is read.

`CUDA0`, `ROCm1`, `Vulkan0` lie on a device; `CPU`, `CPU_Mapped`, `CUDA_Host` and the like in the host's memory.
`Metal` has no number, `CUDA_Split` lies on several devices, `RPC[...]` on another machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fiche.importers._figures import MIB, nearest
from fiche.importers._lines import Line
from fiche.importers._logged import Counter, note
from fiche.importers._sheet import Sheet
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Failure, Printed
from fiche.kernel.record import replace
from fiche.kernel.said import tell

# Some builds print with the decimal sign of the system.
MIBS = r"-?[0-9]{1,9}(?:[.,][0-9]{1,4})?"
BUFFER = r"(?P<buffer>RPC\[[^\]\s]{1,80}\]|[A-Za-z][A-Za-z0-9_.-]{0,60})"
_ON_DEVICE = lazy(r"([A-Za-z]{2,10}?)([0-9]{1,3})")
_BACKENDS = {
    "cuda": "cuda",
    "rocm": "rocm",
    "hip": "rocm",
    "vulkan": "vulkan",
    "sycl": "sycl",
    "mtl": "metal",
    "metal": "metal",
    "musa": "musa",
    "cann": "cann",
    "opencl": "opencl",
}
_HOST = lazy(r"(?:CPU|BLAS|AMX|Host)\b|CPU_|.{1,40}_Host$|.{1,40}_Pinned$")


def device_of(buffer: str) -> int | None:
    """The number of the device that a buffer lies on; None for the host and where no number stands."""
    found = _ON_DEVICE.fullmatch(buffer)
    return int(found[2]) if found is not None and backend_of(buffer) is not None else None


def backend_of(buffer: str) -> str | None:
    """The backend of a buffer on a device, by its name."""
    if on_host(buffer):
        return None
    return _BACKENDS.get(re.split(r"[^A-Za-z]", buffer, maxsplit=1)[0].lower())


def on_host(buffer: str) -> bool:
    """True for buffers in the host's memory, pinned ones as well."""
    return _HOST.match(buffer) is not None


def mib(number: str, label: str = " MiB") -> Printed:
    """A figure as ggml prints it: two decimals, units of 2**20, also where an old build says MB."""
    return nearest(number.replace(",", "."), label, MIB, 2)


@dataclass(slots=True)
class Attempt:
    """An allocation that failed, and what the following lines say about it.

    `exact` once its bytes are known; `retried` while the program tries again with less.
    """

    failure: Failure
    exact: bool = False
    retried: bool = False


@dataclass(slots=True)
class LlamaLog:
    """What is known while a log is read; `sums` are totals of buffers that are listed one by one."""

    sheet: Sheet
    attempts: list[Attempt] = field(default_factory=list)
    sums: list[tuple[Line, str, str]] = field(default_factory=list)
    rows: list[tuple[Line, re.Match[str]]] = field(default_factory=list)
    maker: str = ""
    backend: str | None = None
    version: str = ""
    shape: str = "llama-2024"
    buffers: bool = False
    kv_buffers: bool = False
    projected: bool = False

    def see(
        self, line: Line, counter: Counter, value: Printed, buffer: str, label: str = ""
    ) -> None:
        """A figure of one buffer or device."""
        self.backend = self.backend or backend_of(buffer)
        marks = {"buffer": buffer} if counter.scope == "component" else {}
        note(
            self.sheet,
            line,
            counter,
            value,
            device_index=device_of(buffer),
            label=label,
            marks=marks,
        )

    def settle(self) -> None:
        """The sums that stand for buffers which no line lists; the failures, in order."""
        for line, number, words in self.sums:
            if self.kv_buffers:
                reason = tell("the sum of the KV buffers: the same bytes, counted once")
                self.sheet.plan(line, words, reason)
            else:
                counter = Counter("llamacpp.kv_buffer", "component", "current", "runtime_reported")
                note(self.sheet, line, counter, mib(number), label="all devices")
        self.sheet.failures.extend(attempt.failure for attempt in self.attempts)

    def recover(self) -> None:
        """What was tried again has succeeded."""
        for attempt in self.attempts:
            if attempt.retried:
                attempt.failure = replace(attempt.failure, recovered=True)
                attempt.retried = False
