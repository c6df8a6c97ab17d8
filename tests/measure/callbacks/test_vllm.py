"""vLLM's worker: what is measured, what vLLM reports, what it plans with (C5, C8, C11).

vLLM itself needs a GPU to be installed; the stand-in has its names, in its places, as of 0.11 to 0.2x.
"""

import importlib
import json
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import pytest
from measure.simulated import MIB, simulated

from fiche.importers import _detect
from fiche.measure.callbacks import vllm as callback
from fiche.measure.protocol.resets import ResetWatch

GIB = 1 << 30


def standing_in(machine, native):
    """`vllm.v1.worker.gpu_worker` with a Worker whose steps take memory of the simulated device."""
    module = ModuleType("vllm.v1.worker.gpu_worker")
    (device,) = machine.all

    @contextmanager
    def memory_profiling(snapshot, weights_memory):
        native._cuda_resetPeakMemoryStats(0)
        result = SimpleNamespace(
            non_kv_cache_memory=0,
            torch_peak_increase=0,
            non_torch_increase=0,
            weights_memory=weights_memory,
            before_profile=SimpleNamespace(
                free_memory=20 * GIB, total_memory=24 * GIB, torch_peak=0
            ),
            after_profile=SimpleNamespace(
                free_memory=19 * GIB, total_memory=24 * GIB, torch_peak=1
            ),
            profile_time=0.5,
        )
        yield result
        result.torch_peak_increase, result.non_torch_increase = 300 * MIB, 50 * MIB
        result.non_kv_cache_memory = weights_memory + 350 * MIB

    class Worker:
        def __init__(self, fails=""):
            self.device = "cuda:0"
            self.model_config = SimpleNamespace(model="acme/tiny")
            self.model_runner = SimpleNamespace(model_memory_usage=500 * MIB)
            self.fails = fails
            self.requested_memory = 22 * GIB

        def load_model(self):
            device.allocate(900 * MIB)
            device.release(400 * MIB)
            native._cuda_resetPeakMemoryStats(0)  # as its own profilers do
            self._fail("load_model")

        def determine_available_memory(self):
            with module.memory_profiling(None, weights_memory=500 * MIB) as result:
                device.allocate(300 * MIB)
                device.release(300 * MIB)
                self._fail("determine_available_memory")
            self.available_kv_cache_memory_bytes = (
                self.requested_memory - result.non_kv_cache_memory
            )
            return self.available_kv_cache_memory_bytes

        def initialize_from_config(self, kv_cache_config):
            device.allocate(kv_cache_config)

        def compile_or_warm_up_model(self):
            device.allocate(10 * MIB)
            return 1.5

        def _fail(self, where):
            if self.fails == where:
                raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    module.Worker, module.memory_profiling = Worker, memory_profiling
    return module


@pytest.fixture
def made(monkeypatch, tmp_path):
    machine = simulated()
    # The library resets the device's counter, not through the recorder.
    (device,) = machine.all
    native = SimpleNamespace(
        _cuda_resetPeakMemoryStats=lambda index: setattr(device, "peaks", list(device.levels))
    )
    machine.watch_resets = lambda before: ResetWatch(native, before)
    package = ModuleType("vllm")
    package.__version__ = "0.21.0"
    gpu_worker = standing_in(machine, native)
    for name in ("vllm.v1", "vllm.v1.worker"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "vllm", package)
    monkeypatch.setitem(sys.modules, "vllm.v1.worker.gpu_worker", gpu_worker)
    monkeypatch.setenv("FICHE_RUN_FOLDER", str(tmp_path))
    real, asked = callback.recorder, []

    def on_the_simulated_device(**words):
        asked.append(words["device"])
        return real(**{**words, "device": machine})

    monkeypatch.setattr(callback, "recorder", on_the_simulated_device)
    callback._worker_class.cache_clear()
    yield SimpleNamespace(asked=asked, module=gpu_worker, device=device)
    callback._worker_class.cache_clear()


def record(tmp_path):
    (path,) = tmp_path.glob("fiche-record-*.json")
    return json.loads(path.read_text())


def started(name, fails=""):
    worker = getattr(importlib.import_module("fiche.measure.callbacks.vllm"), name)(fails)
    worker.load_model()
    planned = worker.determine_available_memory()
    worker.initialize_from_config(2 * GIB)
    assert worker.compile_or_warm_up_model() == 1.5
    return planned


def test_each_step_of_the_start_is_a_phase(made, tmp_path):
    """The name that `--worker-cls` takes is found as any other name of a module."""
    planned = started("FicheWorker")
    assert planned == 22 * GIB - 850 * MIB
    assert made.asked == ["cuda:0"]
    written = record(tmp_path)
    assert [p["name"] for p in written["phases"]] == ["model_load", "profile", "cache", "warmup"]
    assert {p["ordering"] for p in written["phases"]} == {"phased"}
    assert written["workload"] == {
        "engine": {"name": "vllm", "version": "0.21.0"},
        "model": {"name": "acme/tiny"},
        "operation": "generation",
    }
    cache = written["phases"][2]["devices"][0]
    assert cache["end"]["allocated_bytes"] - cache["start"]["allocated_bytes"] == 2 * GIB


def test_peaks_that_vllm_resets_stay_with_their_phase(made, tmp_path):
    """C3: they are read before; the recorder's own resets take nothing of the phase before."""
    started("FicheWorker")
    peaks = [p["devices"][0]["peak"]["allocated_bytes"] for p in record(tmp_path)["phases"]]
    assert peaks == [900 * MIB, 800 * MIB, 500 * MIB + 2 * GIB, 510 * MIB + 2 * GIB]


def test_what_vllm_plans_with_is_planned_and_what_it_saw_is_reported(made, tmp_path):
    """A budget is no observation: both stand under `extra`, which is compared with nothing."""
    started("FicheWorker")
    written = record(tmp_path)
    told = written["phases"][1]["extra"]["vllm"]
    assert told["planned"] == {
        "requested_memory": 22 * GIB,
        "available_kv_cache_memory_bytes": 22 * GIB - 850 * MIB,
        "kv_cache_bytes": 22 * GIB - 850 * MIB,
        "non_kv_cache_memory": 850 * MIB,
    }
    assert told["reported"] == {
        "weights_memory": 500 * MIB,
        "torch_peak_increase": 300 * MIB,
        "non_torch_increase": 50 * MIB,
        "before_profile.free_memory": 20 * GIB,
        "before_profile.total_memory": 24 * GIB,
        "before_profile.torch_peak": 0,
        "after_profile.free_memory": 19 * GIB,
        "after_profile.total_memory": 24 * GIB,
        "after_profile.torch_peak": 1,
    }
    reading = _detect.read(json.dumps(written).encode(), "0" * 64, "m.json")
    seen = {observation.value.value for run in reading.runs for observation in run.observations}
    assert not seen & {22 * GIB, 22 * GIB - 850 * MIB, 850 * MIB}
    assert made.module.memory_profiling.__name__ == "memory_profiling"  # put back


def test_the_whole_start_in_its_real_order(made, tmp_path):
    """C8: nothing is synchronized between the steps; their names and numbers stay."""
    started("FicheWholeWorker")
    (phase,) = record(tmp_path)["phases"]
    assert (phase["name"], phase["ordering"]) == ("startup", "whole_loop")
    assert phase["covers"] == ["model_load", "profile", "cache", "warmup"]
    assert phase["devices"][0]["peak"]["allocated_bytes"] == 510 * MIB + 2 * GIB
    assert phase["extra"]["vllm"]["planned"]["requested_memory"] == 22 * GIB
    assert made.device.calls.count(("cuda:0", "synchronize")) == 2


@pytest.mark.parametrize("name", ["FicheWorker", "FicheWholeWorker"])
@pytest.mark.parametrize(
    ("step", "phase"), [("load_model", "model_load"), ("determine_available_memory", "profile")]
)
def test_a_failure_is_kept_with_its_step_and_goes_on(made, tmp_path, name, step, phase):
    """C11: memory exhausted while loading, or in the profile run."""
    with pytest.raises(RuntimeError, match="out of memory"):
        started(name, fails=step)
    last = record(tmp_path)["phases"][-1]
    assert last["outcome"] == "failure"
    assert last["error"]["message"].startswith("CUDA out of memory")
    assert last["name"] == (phase if name == "FicheWorker" else "startup")
    if name == "FicheWholeWorker":
        assert last["error"]["extra"] == {"phase": phase}
    assert made.module.memory_profiling.__name__ == "memory_profiling"


def test_a_version_without_such_a_profile_leaves_its_numbers_out(made, tmp_path):
    """C2: what this version does not have is absent."""
    del made.module.memory_profiling
    made.module.Worker.determine_available_memory = lambda self: 7 * GIB
    started_worker = callback.FicheWorker()
    started_worker.load_model()
    assert started_worker.determine_available_memory() == 7 * GIB
    started_worker.compile_or_warm_up_model()
    told = record(tmp_path)["phases"][1]["extra"]["vllm"]
    assert "reported" not in told
    assert told["planned"] == {"requested_memory": 22 * GIB, "kv_cache_bytes": 7 * GIB}


def test_a_worker_that_starts_anew_is_left_alone_once_the_record_is_written(made, tmp_path):
    worker = callback.FicheWorker()
    worker.load_model()
    worker.compile_or_warm_up_model()
    assert worker.determine_available_memory() == 22 * GIB - 850 * MIB
    assert worker.compile_or_warm_up_model() == 1.5
    assert [p["name"] for p in record(tmp_path)["phases"]] == ["model_load", "warmup"]


def test_no_other_name_is_made_up():
    with pytest.raises(AttributeError, match="no attribute 'Worker'"):
        callback.Worker  # noqa: B018 - asking for it is the test
