"""Reports of optimum-benchmark (evidence_formats 5): memory, latency, throughput, energy by stage.

Here MB is 10^6 bytes, written as a fraction in full. Device and process memory are NVML's, sampled every
10 ms; reserved and allocated are torch's peaks since a reset; all are sums over the chosen devices. On ROCm the
program reads a total for what is used, and adds up what a process holds: those two are no measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from fiche.importers._figures import full
from fiche.importers._json import Path, document, looks_like_json, number, shape_wrong
from fiche.importers._opened import opened
from fiche.importers._optimum_config import Config
from fiche.importers._refusal import refused
from fiche.importers._results import Board, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_MB = 1_000_000
_MOST_STAGES = 200
_WHAT = "report of optimum-benchmark"
# (scope, stat) of each figure; `max_vram` is the device's in releases before 0.2.
_MEMORY = {
    "max_ram": ("host_process", "sampled_max"),
    "max_global_vram": ("device", "sampled_max"),
    "max_vram": ("device", "sampled_max"),
    "max_process_vram": ("process", "sampled_max"),
    "max_reserved": ("process_allocator", "peak"),
    "max_allocated": ("process_allocator", "peak"),
}
_NVML = frozenset({"max_global_vram", "max_vram", "max_process_vram"})
_PARTS = ("memory", "latency", "throughput", "energy", "efficiency")
_LATENCY = {
    "mean": "mean",
    "p50": "median",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "stdev": "std",
    "total": "total",
}
_FLAT = lazy(r"[\w.-]{1,200}\.(?:memory|latency|throughput|energy|efficiency)\.\w{1,40}")
_MARKS = lazy(
    rb'"(?:[\w.-]{1,120}\.)?(?:max_ram|max_global_vram|max_process_vram|stdev_|optimum_benchmark_version)"'
)


def read(content: bytes, sha256: str) -> Reading:
    """Every figure of a report, with what the configuration beside it states.

    Raises:
        Refused: broken JSON (F428), another form or unit (F429), a configuration without its report (F424).
    """
    text = opened(content, sha256)
    top = document(text, sha256, _WHAT)
    if not isinstance(top, dict):
        raise shape_wrong((), f"a {_WHAT} is an object of stages", sha256)
    flat = any(_FLAT.fullmatch(key) for key in top)
    told: Mapping[str, Any] = _nested(top) if flat else top
    root, report = _report(told, sha256)
    if len(report) > _MOST_STAGES:
        message = f"more than {_MOST_STAGES} stages are no {_WHAT}"
        raise shape_wrong(root, message, sha256)
    board = Board(Sheet(sha256))
    one = _Report(board, Config(_config(told), ("config",) if root else (), _placer(flat)), flat)
    for stage, parts in report.items():
        one.stage((*root, stage), members_of(parts))
    if board.sheet.empty:
        raise _nothing(sha256)
    one.config.state(board)
    one.warn()
    return board.sheet.reading(
        "optimum_benchmark", "benchmark" if root else "benchmark-report", one.config.maker
    )


def _nothing(sha256: str) -> Exception:
    hint = "the figures are in benchmark_report.json, or in benchmark.json with both"
    return refused("F424", f"the file does not hold a {_WHAT} with figures", sha256, hint=hint)


def _nested(top: Mapping[str, Any]) -> dict[str, Any]:
    """A flat report (`stage.memory.max_ram`) as the nested one."""
    found: dict[str, Any] = {}
    for key, value in top.items():
        *path, last = key.split(".")[:12]
        place = found
        for part in path:
            inner = place.setdefault(part, {})
            place = inner if isinstance(inner, dict) else {}
        place[last] = value
    return found


def _placer(flat: bool) -> Any:  # noqa: ANN401 - a function of a path
    return (lambda path: (".".join(map(str, path)),)) if flat else (lambda path: path)


def _config(told: Mapping[str, Any]) -> Mapping[str, Any]:
    return members_of(told.get("config"))


def _report(told: Mapping[str, Any], sha256: str) -> tuple[Path, dict[str, Any]]:
    """Where the stages are: the file itself, or its member `report`."""
    if isinstance(told.get("report"), dict):
        return ("report",), members_of(told["report"])
    if "backend" in told and "scenario" in told:
        raise _nothing(sha256)
    stages = [stage for stage in told.values() if any(part in members_of(stage) for part in _PARTS)]
    if not stages:
        raise shape_wrong((), f"a {_WHAT} has stages with {', '.join(_PARTS)}", sha256)
    return (), dict(told)


class _Report:
    """One report in the making."""

    def __init__(self, board: Board, config: Config, flat: bool) -> None:
        self.board, self.config = board, config
        self._place = _placer(flat)
        self._seen: set[str] = set()

    def stage(self, path: Path, parts: Mapping[str, Any]) -> None:
        """Everything of one stage of the program's scenario."""
        label = str(path[-1])
        memory = members_of(parts.get("memory"))
        if memory and memory.get("unit") != "MB":
            message = f"the unit {str(memory.get('unit'))[:40]!r} is none that the program writes"
            raise shape_wrong(
                self._place((*path, "memory", "unit")), message, self.board.sheet.sha256
            )
        for name, (scope, stat) in _MEMORY.items():
            if memory.get(name) is not None:
                self._memory((*path, "memory", name), memory[name], scope, stat)
        self._latency((*path, "latency"), members_of(parts.get("latency")), label)
        for name in ("throughput", "efficiency"):
            told = members_of(parts.get(name))
            where = self._place((*path, name, "value"))
            self.board.put(where, told.get("value"), name, word(told.get("unit")), label=label)
        energy = members_of(parts.get("energy"))
        for name in ("cpu", "ram", "gpu", "total"):
            where = self._place((*path, "energy", name))
            unit = word(energy.get("unit"))
            self.board.put(where, energy.get(name), f"energy.{name}", unit, label=label)

    def _memory(self, path: Path, value: object, scope: str, stat: str) -> None:
        sheet, stage, name = self.board.sheet, str(path[-3]), str(path[-1])
        where = self._place(path)
        at = self.board.at(where, value)
        figure = number(value)
        if figure is None or figure < 0 or isinstance(value, str):
            raise shape_wrong(where, f"{name} is {str(value)[:40]!r}, and no size", sheet.sha256)
        reason = self._no_measurement(name, figure)
        if reason:
            sheet.plan(at, f"{name} {value}", reason)
            return
        self._seen.add(name)
        sheet.see(
            at,
            f"{stage}.{name}",
            full(format(figure, "f"), "", _MB),
            scope=scope,
            stat=stat,
            marks={"stage": stage},
        )

    def _no_measurement(self, name: str, figure: Decimal) -> str:
        """Why a figure measures nothing; empty for one that does."""
        sheet = self.board.sheet
        if name in _NVML and self.config.maker == "rocm":
            sheet.warn(
                tell(
                    "rocm_not_measured: on ROCm the program reads a device's total for what is used, and "
                    "adds up its samples of a process: both are left aside"
                )
            )
            return "on ROCm this is no use of memory: a total, or a sum of samples"
        if figure or name == "max_ram":
            return ""
        if name == "max_process_vram":
            sheet.warn(tell("process_memory_unavailable: NVML did not show what the process held"))
            return "in a container NVML's pids do not match, so zero means not found"
        sheet.warn(
            tell(
                "zero_may_be_unmeasured: {name} is zero: nothing was used, or nothing was read",
                name=name,
            )
        )
        return "a zero that the program also writes where it could read nothing"

    def _latency(self, path: Path, told: Mapping[str, Any], label: str) -> None:
        marks = {"count": told["count"]} if isinstance(told.get("count"), int) else {}
        for key, stat in _LATENCY.items():
            where = self._place((*path, key))
            value, unit = told.get(key), word(told.get("unit"))
            self.board.put(where, value, "latency", unit, stat=stat, label=label, marks=marks)

    def warn(self) -> None:
        """What a reader should know of the figures that were read."""
        sheet, devices = self.board.sheet, self.config.devices
        if self._seen - {"max_ram"}:
            sheet.warn(
                tell(
                    "device_not_named: the report does not say of which device its figures are; ids in "
                    "the configuration are NVML's"
                )
            )
            if len(devices) != 1:
                sheet.warn(tell("summed_over_devices: figures are sums over the chosen devices"))
        if self._seen & {*_NVML, "max_ram"}:
            sheet.warn(tell("sampled: read every 10 ms: the true peak may be higher"))
        if self._seen & _NVML and self.config.maker is None:
            sheet.warn(
                tell(
                    "maker_not_told: on ROCm max_global_vram is a total and max_process_vram a sum of "
                    "samples; this file does not say whose GPUs it had"
                )
            )
        if self.config.several_processes:
            sheet.warn(
                tell(
                    "averaged_over_processes: max_global_vram is a mean over processes, the other "
                    "figures are their sums"
                )
            )


def accepts(content: bytes, name: str) -> int:
    """92 for a report, with or without its configuration."""
    return 92 if looks_like_json(content) and _MARKS.search(content) else 0


MEMBER = Importer(
    name="optimum_benchmark",
    title="Report of optimum-benchmark",
    accepts=accepts,
    read=read,
)
