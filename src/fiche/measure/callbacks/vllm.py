"""vLLM's own worker with a record of its start-up: what it profiles, plans and then really takes (C5, C8).

    vllm serve MODEL --worker-cls fiche.measure.callbacks.vllm.FicheWorker
    LLM(MODEL, worker_cls="fiche.measure.callbacks.vllm.FicheWholeWorker")

Each worker process writes one record, in the folder of `fiche run` or the working one: `FicheWorker`
phase by phase (model_load, profile, cache, warmup), `FicheWholeWorker` from the load to the end of the
warm-up in its real order. What vLLM reports of its profile and the budget that it plans with stand under
the phase's `extra`: no requirement is compared with them. The counters beside them are measured. Requests
are not served yet when the record is written: `fiche run` sees the whole life of each process.

Names as in vLLM 0.10 to 0.2x: `Worker.determine_available_memory`, `memory_profiling` and its result,
`requested_memory`, `available_kv_cache_memory_bytes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from fiche.measure.callbacks._library import needed
from fiche.measure.protocol.phase import Phase
from fiche.measure.protocol.recorder import Recorder, recorder

_MODULE = "vllm.v1.worker.gpu_worker"
_WHAT = "the vLLM worker"
_ORDER = "vLLM's start: load, profile, cache, warm-up"
# What vLLM says that it saw while it profiled, by the name in its result.
_REPORTED = ("weights_memory", "torch_peak_increase", "non_torch_increase", "total_consumed")
_SNAPSHOT = ("free_memory", "total_memory", "torch_peak", "non_torch_memory")
# What it then reckons with, on the worker.
_PLANNED = ("requested_memory", "available_kv_cache_memory_bytes")
_SCOPE = (
    "as vLLM gives them: `reported` it took from counters of its own profile run on dummy inputs, `planned` "
    "follows from gpu_memory_utilization and arithmetic; bytes"
)


def __getattr__(name: str) -> Any:
    """`FicheWorker` and `FicheWholeWorker`, made when vLLM asks for them.

    Raises:
        ImportError: vLLM is not installed.
        AttributeError: there is none of that name.
    """
    if name not in ("FicheWorker", "FicheWholeWorker"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _worker_class(name, whole=name == "FicheWholeWorker")


@cache
def _worker_class(name: str, *, whole: bool) -> Any:
    module = needed((_MODULE,), _WHAT)

    class Worker(module.Worker):  # type: ignore[misc, name-defined]
        """vLLM's worker for a GPU, whose steps up to the first request are recorded."""

        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            self._fiche = Start(self, whole=whole)
            with self._fiche.phase("model_load"):
                return super().load_model(*args, **kwargs)

        def determine_available_memory(self) -> Any:
            with self._fiche.phase("profile") as phase, _profiled(module) as results:
                available = super().determine_available_memory()
                if phase is not None:
                    phase.note(vllm=numbers(self, results, available))
                return available

        def initialize_from_config(self, *args: Any, **kwargs: Any) -> Any:
            with self._fiche.phase("cache"):
                return super().initialize_from_config(*args, **kwargs)

        def compile_or_warm_up_model(self, *args: Any, **kwargs: Any) -> Any:
            with self._fiche.phase("warmup"):
                told = super().compile_or_warm_up_model(*args, **kwargs)
            self._fiche.close()
            return told

    Worker.__name__ = Worker.__qualname__ = name
    return Worker


class Start:
    """The record of one worker's start."""

    def __init__(self, worker: Any, *, whole: bool) -> None:
        """`whole` measures from here to the end of the warm-up in its real order.

        Raises:
            NoDevice: the worker has no device that can be measured.
        """
        self.recorder = _recorder(worker)
        self._closed = False
        self._whole = self.recorder.whole_loop("startup").begin() if whole else None

    @contextmanager
    def phase(self, name: str) -> Iterator[Phase | None]:
        """A step of the start; an exception is kept and ends the record (C11). None once it is written."""
        if self._closed:
            yield None
            return
        try:
            with self.recorder.phase(name) as phase:
                yield phase
        except BaseException as error:
            if self._whole is not None:
                self._whole.fail(error)
                self._whole = None
            self.close()
            raise

    def close(self) -> None:
        """Requests come from here on: the record is written, once."""
        if self._closed:
            return
        self._closed = True
        if self._whole is not None:
            self._whole.end()
        self.recorder.close()


def _recorder(worker: Any) -> Recorder:
    vllm = needed(("vllm",), _WHAT)
    engine = {"name": "vllm", "version": str(getattr(vllm, "__version__", ""))}
    words: dict[str, Any] = {"engine": {key: word for key, word in engine.items() if word}}
    name = getattr(getattr(worker, "model_config", None), "model", None)
    if isinstance(name, str) and name:
        words["model"] = {"name": name[:2000]}
    device = str(getattr(worker, "device", "")) or None
    return recorder(device=device, workload={**words, "operation": "generation"}, order=_ORDER)


@contextmanager
def _profiled(module: Any) -> Iterator[list[Any]]:
    """The results of vLLM's `memory_profiling` while the block runs."""
    results: list[Any] = []
    inner = getattr(module, "memory_profiling", None)
    if inner is None:
        yield results
        return

    @contextmanager
    def kept(*args: Any, **kwargs: Any) -> Iterator[Any]:
        with inner(*args, **kwargs) as result:
            results.append(result)
            yield result

    module.memory_profiling = kept
    try:
        yield results
    finally:
        module.memory_profiling = inner


def numbers(worker: Any, results: list[Any], available: Any) -> dict[str, Any]:
    """The numbers of vLLM under its own names; what this version does not have has no key (C2)."""
    planned = _whole_numbers(worker, _PLANNED)
    if isinstance(available, int):
        planned["kv_cache_bytes"] = available
    found: dict[str, Any] = {"scope": _SCOPE, "planned": planned}
    if results:
        reported = _whole_numbers(results[-1], _REPORTED)
        for name in ("before_profile", "after_profile"):
            snapshot = _whole_numbers(getattr(results[-1], name, None), _SNAPSHOT)
            reported.update({f"{name}.{key}": count for key, count in snapshot.items()})
        planned.update(_whole_numbers(results[-1], ("non_kv_cache_memory",)))
        found["reported"] = reported
    return found


def _whole_numbers(owner: Any, names: tuple[str, ...]) -> dict[str, int]:
    told = {name: getattr(owner, name, None) for name in names}
    return {name: int(count) for name, count in told.items() if isinstance(count, (int, float))}
