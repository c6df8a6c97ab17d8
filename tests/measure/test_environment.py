"""The environment block of a record: the backend really installed, settings in force, devices (A5, C6)."""

import json
import sys
from types import SimpleNamespace

import pytest
from jsonschema_rs import Draft202012Validator
from measure.machines import (
    GIB,
    PHYSICAL,
    VISIBLE,
    Api,
    Nvml,
    card,
    properties,
    torch_module,
)

from fiche.assets import schema_text
from fiche.measure.protocol import environment
from fiche.measure.protocol.environment import (
    ALLOCATOR_VARIABLES,
    allocator_settings,
    backend_of,
    environment_block,
)
from fiche.measure.protocol.system import system_tool

UUID = "GPU-8f2c-11"
RECORD = json.loads(schema_text("record.schema.json"))
BLOCK = Draft202012Validator({**RECORD["properties"]["environment"], "$defs": RECORD["$defs"]})


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for name in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("CUDA_VISIBLE_DEVICES", *ALLOCATOR_VARIABLES):
        monkeypatch.delenv(name, raising=False)


def block(torch, backend="cuda", devices=(0,), tool=None):
    """The block, valid in a record."""
    told = environment_block(torch, backend, devices, tool)
    assert [error.message for error in BLOCK.iter_errors(told)] == []
    return told


def test_a_cuda_machine_with_its_tool(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", Nvml(card(ecc=[1, 1], persistence=1)))
    told = block(torch_module(Api(properties())), tool=system_tool("cuda"))
    assert told["framework"] == {"name": "torch", "version": "2.11.0+cu128"}
    assert (told["backend"], told["runtime"], told["driver"]) == ("cuda", "12.8", "570.86.15")
    assert told["allocator"] == {"backend": "native", "settings": "default"}
    assert told["libraries"]["nccl"] == "2.26.2"
    assert told["libraries"]["cudnn"] == "91002"
    assert told["devices"] == [
        {
            "index": 0,
            "name": "NVIDIA GeForce RTX 4090",
            "total_memory_bytes": VISIBLE,
            "uuid": UUID,
            "nvml_total_bytes": PHYSICAL,
            "ecc": "on",
            "persistence": "on",
            "compute_capability": "8.9",
            "multiprocessors": 128,
            "sm_clock_mhz": 2520,
            "memory_clock_mhz": 10501,
        }
    ]


def test_rocm_is_hip_and_has_its_own_names():
    """D8: torch.cuda answers on both; the build says which it is."""
    gfx = properties(
        "AMD Instinct MI300X", 191 * GIB, gcnArchName="gfx942:sramecc+:xnack-", major=9
    )
    torch = torch_module(Api(gfx), version="2.9.0+rocm6.4", cuda=None, hip="6.4.43482")
    assert backend_of(torch) == "hip"
    told = block(torch, "hip")
    assert (told["backend"], told["runtime"]) == ("hip", "6.4.43482")
    assert {"rccl", "miopen"} <= set(told["libraries"])
    assert {"nccl", "cudnn"}.isdisjoint(told.get("libraries", {}))
    (device,) = told["devices"]
    assert device["architecture"] == "gfx942:sramecc+:xnack-"
    assert "compute_capability" not in device


def test_xpu_tells_its_driver_itself():
    one = SimpleNamespace(
        name="Intel(R) Data Center GPU Max 1550",
        total_memory=64 * GIB,
        driver_version="1.6.32567",
        gpu_subslice_count=64,
    )
    torch = torch_module(cuda=None, xpu="20250301", xpu_api=Api(one), version="2.9.0+xpu")
    assert backend_of(torch) == "xpu"
    told = block(torch, "xpu")
    assert (told["driver"], told["runtime"]) == ("1.6.32567", "20250301")
    assert told["devices"][0]["multiprocessors"] == 64
    assert {"nccl", "cudnn"}.isdisjoint(told.get("libraries", {}))


@pytest.mark.parametrize(
    ("made", "backend"),
    [
        ({"cuda": "12.8"}, "cuda"),
        ({"cuda": None, "hip": "6.4"}, "hip"),
        ({"cuda": "12.8", "hip": "6.4"}, "hip"),
        ({"cuda": None}, None),
    ],
)
def test_the_backend_is_the_builds(made, backend):
    assert backend_of(torch_module(**made)) == backend


def test_an_old_xpu_build_says_so_without_a_version():
    torch = torch_module(cuda=None)
    torch.xpu._is_compiled = lambda: True
    assert backend_of(torch) == "xpu"
    torch.xpu._is_compiled = lambda: False
    assert backend_of(torch) is None


@pytest.mark.parametrize(
    ("version", "variables", "settings"),
    [
        ("2.11.0", {}, "default"),
        ("2.11.0", {"PYTORCH_CUDA_ALLOC_CONF": "a:1"}, "a:1"),
        ("2.11.0", {"PYTORCH_HIP_ALLOC_CONF": "h:1"}, "h:1"),
        ("2.11.0", {"PYTORCH_ALLOC_CONF": "n:1", "PYTORCH_CUDA_ALLOC_CONF": "a:1"}, "n:1"),
        ("2.8.0", {"PYTORCH_ALLOC_CONF": "n:1", "PYTORCH_CUDA_ALLOC_CONF": "a:1"}, "a:1"),
        ("2.8.0+cu121", {"PYTORCH_ALLOC_CONF": "n:1"}, "default"),
        ("2.11.0", {"PYTORCH_CUDA_ALLOC_CONF": "  "}, "default"),
        ("strange", {"PYTORCH_CUDA_ALLOC_CONF": "a:1"}, "a:1"),
    ],
)
def test_the_allocators_settings_in_force(monkeypatch, version, variables, settings):
    """C6: an older PyTorch passes over the newer name in silence."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert allocator_settings(torch_module(version=version)) == settings


def test_a_limit_that_the_process_set_on_itself_is_told():
    api = Api(properties())
    api.get_per_process_memory_fraction = lambda: 0.5
    assert block(torch_module(api))["allocator"]["process_fraction"] == "0.5"
    api.get_per_process_memory_fraction = lambda: 1.0
    assert "process_fraction" not in block(torch_module(api))["allocator"]


def test_every_visible_device_is_listed_beside_the_measured_one():
    """The schema: every device that the process could use."""
    api = Api(properties(), properties("other"))
    told = block(torch_module(api), devices=[SimpleNamespace(index=1)])
    assert [device["index"] for device in told["devices"]] == [0, 1]


def test_a_device_that_is_lost_has_no_entry_and_no_invented_one():
    api = Api(RuntimeError("device lost"), properties())
    assert [d["index"] for d in block(torch_module(api))["devices"]] == [1]


def test_what_raises_is_absent(monkeypatch):
    """C2: nothing is filled in for what an old or broken torch does not tell."""
    monkeypatch.setattr(environment, "kernel_driver", lambda: None)
    api = Api(SimpleNamespace(name="A card", total_memory=GIB))
    api.nccl = None
    api.get_allocator_backend = lambda: 1 / 0
    torch = torch_module(api)
    torch.backends = None
    told = block(torch)
    assert {"driver", "allocator"}.isdisjoint(told)
    assert {"nccl", "cudnn"}.isdisjoint(told.get("libraries", {}))
    assert told["devices"] == [{"index": 0, "name": "A card", "total_memory_bytes": GIB}]


def test_nothing_names_a_person_or_a_machine(monkeypatch):
    """Privacy: no host name, no user, no path of a home."""
    monkeypatch.setenv("USER", "alice")
    monkeypatch.setenv("HOSTNAME", "gpu-box-17")
    monkeypatch.setenv("CUDA_CACHE_PATH", "/home/alice/.nv")
    told = block(torch_module(Api(properties())))
    assert "alice" not in json.dumps(told)
    assert "gpu-box-17" not in json.dumps(told)
    assert told["variables_left_out"] == ["CUDA_CACHE_PATH"]
