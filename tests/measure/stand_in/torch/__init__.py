"""Stands in for PyTorch in processes that tests start: the order of calls, and counters that a script sets.

Nothing here measures anything. It has the names, in the places, that PyTorch 2.4 to 2.13 have: `_lazy_call`
runs what was queued at the first use of a device, a reset goes through `torch._C`, a forked process of an
initialised one cannot use its devices.
"""

import os
import pathlib
import sys
import types

__version__ = "2.13.0+stand.in"

MIB = 1 << 20


class OutOfMemoryError(RuntimeError):
    """As PyTorch calls it."""


OutOfMemoryError.__module__ = "torch"


class _Native:
    """`torch._C`: what Python code of PyTorch ends up calling."""

    def __init__(self):
        self.levels = {}
        self.peaks = {}
        self.ooms = {}
        self.observers = []
        self.contexts = set()

    def _cuda_resetPeakMemoryStats(self, index):  # noqa: N802 - as it is called
        self.peaks[index] = list(self.levels.get(index, (0, 0)))

    def _accelerator_resetPeakStats(self, index):  # noqa: N802 - as it is called
        self.peaks[index] = list(self.levels.get(index, (0, 0)))

    def _cuda_attach_out_of_memory_observer(self, observer):
        self.observers.append(observer)


_C = _Native()
cuda = types.ModuleType("torch.cuda")
memory = types.ModuleType("torch.cuda.memory")
xpu = types.ModuleType("torch.xpu")
version = types.SimpleNamespace(cuda="13.0", hip=None, xpu=None)
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: None))
sys.modules["torch.cuda"], sys.modules["torch.cuda.memory"] = cuda, memory
cuda.memory = memory
cuda.OutOfMemoryError = OutOfMemoryError

_state = {"initialised": 0, "initialising": False, "history": 0}
_queued = []


def _is_initialized():
    return _state["initialised"] == os.getpid()


def _lazy_call(call, **_):
    if _is_initialized():
        call()
    else:
        _queued.append(call)


def _lazy_init():
    if _is_initialized() or _state["initialising"]:
        return
    if _state["initialised"]:
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")
    _state["initialising"] = True
    try:
        for call in _queued:
            call()
    finally:
        _state["initialising"] = False
    _state["initialised"] = os.getpid()


def _counter(store, which):
    def read(index=0):
        _lazy_init()
        return getattr(_C, store).get(index, (0, 0))[which]

    return read


def _stats(index=0):
    _lazy_init()
    stats = {"num_ooms": _C.ooms.get(index, 0), "num_alloc_retries": 0}
    for place, name in enumerate(("allocated_bytes", "reserved_bytes")):
        stats[f"{name}.all.current"] = _C.levels.get(index, (0, 0))[place]
        stats[f"{name}.all.peak"] = _C.peaks.get(index, (0, 0))[place]
    return stats


def _properties(index):
    _lazy_init()
    return types.SimpleNamespace(
        name="Simulated device (no GPU was measured)",
        total_memory=24 * 1024 * MIB,
        major=9,
        minor=0,
        multi_processor_count=1,
    )


def _reset(index=0):
    _lazy_init()
    _C._cuda_resetPeakMemoryStats(index)


def _record_memory_history(max_entries=0):
    _state["history"] = max_entries


def _dump_snapshot(path):
    pathlib.Path(path).write_bytes(b"history of %d" % _state["history"])


def _synchronize(index=0):
    _lazy_init()
    _C.contexts.add(index)
    if "FAKE_LATE_ERROR" in os.environ:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")


def _mem_get_info(index=0):
    """As the real one does, it makes a context on the device that it is asked of."""
    _C.contexts.add(index)
    return 20 * 1024 * MIB, 24 * 1024 * MIB


def take(mib, index=0):
    """What a tensor on the device would take, or OutOfMemoryError beyond 24 GiB."""
    _lazy_init()
    levels = _C.levels.setdefault(index, [0, 0])
    if levels[0] + mib * MIB > 24 * 1024 * MIB:
        _C.ooms[index] = _C.ooms.get(index, 0) + 1
        for observer in _C.observers:
            observer(index, mib * MIB, 24 * 1024 * MIB, 100 * MIB)
        raise OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {mib / 1024:.2f} GiB. GPU {index} has a total "
            "capacity of 24.00 GiB of which 100.00 MiB is free."
        )
    levels[0] += mib * MIB
    levels[1] = max(levels[1], levels[0] + 2 * MIB)
    peaks = _C.peaks.setdefault(index, [0, 0])
    peaks[:] = [max(pair) for pair in zip(peaks, levels, strict=True)]


def give(mib, index=0):
    """What freeing it would give back; the allocator keeps its reserve."""
    _C.levels[index][0] -= mib * MIB


cuda.is_available = lambda: "FAKE_NO_GPU" not in os.environ
cuda.is_initialized = _is_initialized
cuda.device_count = lambda: int(os.environ.get("FAKE_DEVICES", "2"))
cuda.current_device = lambda: 0
cuda._lazy_call = _lazy_call
cuda._lazy_init = cuda.init = _lazy_init
cuda.get_device_properties = _properties
cuda.get_allocator_backend = lambda: "native"
cuda.memory_allocated = _counter("levels", 0)
cuda.memory_reserved = _counter("levels", 1)
cuda.max_memory_allocated = _counter("peaks", 0)
cuda.max_memory_reserved = _counter("peaks", 1)
cuda.reset_peak_memory_stats = memory.reset_peak_memory_stats = _reset
cuda.memory_stats = _stats
cuda.mem_get_info = _mem_get_info
cuda.synchronize = _synchronize
cuda.empty_cache = lambda: None
memory._record_memory_history = _record_memory_history
memory._dump_snapshot = _dump_snapshot
xpu.is_available = lambda: False
xpu.is_initialized = lambda: False
xpu._lazy_call = lambda call, **_: None
xpu._is_compiled = lambda: False
