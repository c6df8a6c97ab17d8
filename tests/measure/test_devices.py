"""Which device is measured, and the one sentence where there is none (C10, D8, C9)."""

import sys
from types import SimpleNamespace

import pytest

from fiche.measure.protocol.devices import NoDevice, find_devices

STATS = {
    f"{kind}_bytes.all.{moment}": value
    for value, (kind, moment) in enumerate(
        ((k, m) for k in ("allocated", "reserved") for m in ("current", "peak")), 11
    )
}


class Api:
    """As much of `torch.cuda` or `torch.xpu` as is asked here."""

    def __init__(self, count=2, available=True, initialized=False):
        self.log = []
        self._count = count
        self._available = available
        self._initialized = initialized
        self.stats = STATS

    def memory_stats(self, index):
        self.log.append(("memory_stats", index))
        return self.stats

    def is_available(self):
        return self._available

    def is_initialized(self):
        return self._initialized

    def device_count(self):
        return self._count

    def current_device(self):
        return 1

    def get_device_properties(self, index):
        return SimpleNamespace(uuid=f"{index}-aa", name="A card", total_memory=8 << 30)

    def mem_get_info(self, index):
        return (5 << 30, 8 << 30)

    def __getattr__(self, name):
        def call(*index):
            self.log.append((name, *index))
            return 11

        return call


@pytest.fixture
def torch(monkeypatch):
    """Puts a torch of one's own making in the place of any other."""

    def put(cuda=None, xpu=None, built="12.8", hip=None):
        module = SimpleNamespace(
            __version__="2.13.0", version=SimpleNamespace(cuda=built, hip=hip), cuda=cuda, xpu=xpu
        )
        monkeypatch.setitem(sys.modules, "torch", module)
        return module

    return put


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.delenv("LOCAL_RANK", raising=False)


def refusal(names=None):
    with pytest.raises(NoDevice) as raised:
        find_devices(names)
    return str(raised.value)


def test_without_torch_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "PyTorch" in refusal()


def test_a_torch_that_cannot_be_imported_says_why(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise OSError('libcudart.so.12: no such file')", "utf-8")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert refusal() == "PyTorch cannot be imported: libcudart.so.12: no such file"


def test_a_build_for_the_cpu_is_told_from_a_machine_without_gpu(torch):
    torch(cuda=Api(available=False), built=None)
    assert "built for the CPU only" in refusal()
    torch(cuda=Api(available=False), built="12.8")
    assert "sees no usable GPU" in refusal()


@pytest.mark.parametrize(
    ("names", "indexes"),
    [
        ("cuda:0", [0]),
        ("hip:1", [1]),
        ("cuda", [1]),
        (None, [1]),
        ("all", [0, 1]),
        (["cuda:1", "cuda:0"], [1, 0]),
    ],
)
def test_devices_by_name(torch, names, indexes):
    torch(cuda=Api())
    assert [device.index for device in find_devices(names).all] == indexes


def test_a_rank_takes_the_device_of_its_own(torch, monkeypatch):
    torch(cuda=Api())
    monkeypatch.setenv("LOCAL_RANK", "0")
    assert find_devices().all[0].name == "cuda:0"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("cuda:2", "there is no cuda:2"),
        ("xpu:0", "drives cuda devices"),
        ("cpu", "names no device"),
        ("cuda:-1", "names no device"),
        ("cuda:0\n", "names no device"),
        (["cuda:0", "cuda:0"], "named twice"),
    ],
)
def test_a_device_that_is_not_there_is_refused(torch, names, words):
    torch(cuda=Api())
    assert words in refusal(names)


def test_counters_are_read_of_the_very_device(torch):
    """C9: index 1 is asked for in every call."""
    api = Api()
    torch(cuda=api)
    (device,) = find_devices("cuda:1").all
    reads = (device.allocated, device.peak_allocated, device.reserved, device.peak_reserved)
    assert [read() for read in reads] == [11, 12, 13, 14]
    device.reset_peaks()
    device.synchronize()
    asked = [*["memory_stats"] * 4, "reset_peak_memory_stats", "synchronize"]
    assert api.log == [(name, 1) for name in asked]


def test_a_counter_that_the_allocator_does_not_keep_is_missing_and_not_zero(torch):
    """C2: `torch.cuda.memory_reserved` would say 0 here."""
    api = Api()
    api.stats = {"allocated_bytes.all.current": 5}
    torch(cuda=api)
    (device,) = find_devices("cuda:0").all
    assert device.allocated() == 5
    with pytest.raises(KeyError):
        device.reserved()


def test_xpu_has_the_same_interface(torch):
    torch(cuda=Api(available=False), xpu=Api())
    devices = find_devices("xpu:0")
    assert devices.all[0].name == devices.all[0].place == "xpu:0"


@pytest.mark.parametrize("initialized", [True, False])
def test_whether_the_accelerator_was_touched_before(torch, initialized):
    torch(cuda=Api(initialized=initialized))
    assert find_devices("cuda:0").fresh is not initialized


def test_free_memory_is_torchs_own_where_no_tool_answers(torch, monkeypatch):
    for tool in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, tool, None)
    torch(cuda=Api())
    devices = find_devices("cuda:0")
    assert devices.use(devices.all[0]) == {"free_bytes": (5 << 30, "mem_get_info_free")}


@pytest.mark.parametrize(
    ("told", "captures"),
    [(lambda: True, True), (lambda: False, False), (lambda: 11, False), (None, False)],
)
def test_a_capture_of_a_graph_is_seen(torch, told, captures):
    """Where it cannot be asked, as with XPU, there is none."""
    api = Api()
    torch(cuda=api)
    api.is_current_stream_capturing = told
    (device,) = find_devices("cuda:0").all
    assert device.capturing() is captures


def test_samples_ask_the_systems_tool_and_never_pytorch(torch, monkeypatch):
    """`mem_get_info` from another thread would reach into what the program is doing on the device."""
    for tool in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, tool, None)
    torch(cuda=Api())
    devices = find_devices("cuda:0")
    assert devices.tool_use(devices.all[0]) == {}


def test_resets_are_watched_in_the_native_module(torch):
    """C3: `torch.cuda`, `torch.cuda.memory` and a name imported from either all come through it."""
    module = torch(cuda=Api())
    log = []
    module._C = SimpleNamespace(
        _cuda_resetPeakMemoryStats=lambda index: log.append(("reset", index)),
        _accelerator_resetPeakStats=lambda index: log.append(("reset", index)),
    )
    before = dict(vars(module._C))
    watch = find_devices("cuda:0").watch_resets(lambda index: log.append(("before", index)))
    module._C._cuda_resetPeakMemoryStats(1)
    module._C._accelerator_resetPeakStats(0)
    assert log == [("before", 1), ("reset", 1), ("before", 0), ("reset", 0)]
    watch.stop()
    assert vars(module._C) == before


def test_a_device_may_be_named_as_pytorch_names_it(torch, tmp_path):
    """`torch.device("cuda:1")`, alone or among others."""
    from fiche.measure.protocol import recorder as module

    class TorchsDevice:
        type, index = "cuda", 1

        def __str__(self):
            return "cuda:1"

    torch(cuda=Api())
    assert module._devices(TorchsDevice()).all[0].index == 1
    assert [each.index for each in module._devices([TorchsDevice(), "cuda:0"]).all] == [1, 0]
