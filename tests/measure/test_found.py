"""What a machine offers and what is missing, in one sentence each with one command (F2, A5, law 9)."""

import json
import os
import sys
import warnings

import pytest
from jsonschema_rs import Draft202012Validator
from measure.machines import (
    GIB,
    HOST_PID,
    MIB,
    PHYSICAL,
    VISIBLE,
    Api,
    Nvml,
    amd_gpu,
    card,
    process,
    properties,
    torch_module,
)

from fiche.assets import schema_text
from fiche.measure.protocol import found
from fiche.measure.protocol.environment import ALLOCATOR_VARIABLES
from fiche.measure.protocol.found import UnknownDevice, found_environment
from fiche.measure.protocol.found_rows import amount_of_bytes, device_rows, environment_rows

SCHEMA = Draft202012Validator(json.loads(schema_text("environment.schema.json")))
OWN = os.getpid()


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """No torch, no tool, no driver, no variable of this machine."""
    for name in ("torch", "pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(found, "kernel_driver", lambda: None)
    for name in (*found._HIDES, "CUDA_DEVICE_ORDER", *ALLOCATOR_VARIABLES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def place(monkeypatch):
    """Puts modules in the place of torch and the tools."""

    def placed(**modules):
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)

    return placed


def told(device=None, machine=""):
    document = found_environment(device, machine)
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    return document


def lacking(document):
    return [(each["what"], each["command"]) for each in document.get("missing", ())]


def used_by(one, pid, used):
    """What happens on a card once a process uses it."""
    return lambda index: one["compute"].append(process(pid, used))


def test_a_whole_machine(place):
    one = card(compute=[process(7, 2 * GIB)])
    place(
        pynvml=Nvml(one), torch=torch_module(Api(properties(), on_use=used_by(one, OWN, 400 * MIB)))
    )
    document = told(machine="node-7")
    assert (document["format"], document["machine"]) == ("fiche-environment/1", "node-7")
    assert document["environment"]["devices"][0]["total_memory_bytes"] == VISIBLE
    assert document["readings"] == [
        {
            "device": "cuda:0",
            "process_device_bytes": {"bytes": 400 * MIB, "counter": "nvml_process_used"},
            "other_processes_bytes": {"bytes": 2 * GIB, "counter": "nvml_other_processes_used"},
            "free_bytes": {"bytes": PHYSICAL - 700 * MIB, "counter": "nvml_free"},
        }
    ]
    assert lacking(document) == []


def test_in_a_container_the_list_hides_the_own_id(place):
    one = card(compute=[process(7, 2 * GIB)])
    api = Api(properties(), on_use=used_by(one, HOST_PID, 400 * MIB))
    place(pynvml=Nvml(one), torch=torch_module(api))
    (reading,) = told()["readings"]
    assert reading["other_processes_bytes"]["bytes"] == 2 * GIB
    assert reading["process_device_bytes"]["counter"] == "nvml_process_used_of_newly_listed"


def test_without_the_tool_free_memory_is_the_frameworks_and_others_stay_unknown(place):
    place(torch=torch_module(Api(properties())))
    document = told()
    assert document["readings"] == [
        {
            "device": "cuda:0",
            "free_bytes": {"bytes": VISIBLE - 900 * MIB, "counter": "cuda_mem_get_info_free"},
        }
    ]
    ((what, command),) = lacking(document)
    assert "nvidia-ml-py is not installed" in what
    assert command == "python -m pip install nvidia-ml-py"


def test_one_device_of_two(place):
    api = Api(properties(), properties("other"))
    place(torch=torch_module(api))
    document = told("cuda:1")
    assert [device["index"] for device in document["environment"]["devices"]] == [1]
    assert [reading["device"] for reading in document["readings"]] == ["cuda:1"]


def test_rocm_devices_are_called_cuda_and_hip_is_understood(place):
    place(
        torch=torch_module(Api(properties(gcnArchName="gfx942")), cuda=None, hip="6.4"),
        amdsmi=None,
    )
    document = told("hip:0")
    assert document["environment"]["backend"] == "hip"
    (reading,) = document["readings"]
    assert reading["device"] == "cuda:0"
    assert reading["free_bytes"]["counter"] == "hip_mem_get_info_free"


def test_a_device_that_fails_on_first_use_keeps_what_is_known(place):
    def busy(index):
        raise RuntimeError("CUDA error: all CUDA-capable devices are busy or unavailable")

    place(torch=torch_module(Api(properties(), on_use=busy)))
    document = told()
    assert document["environment"]["devices"][0]["total_memory_bytes"] == VISIBLE
    assert document["readings"] == []


# --- What is missing ------------------------------------------------------------------------------


class Failing:
    """A finder that lets `import torch` fail as a broken installation does."""

    def __init__(self, error):
        self.error = error

    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise self.error
        return


def fails_with(monkeypatch, error):
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(sys, "meta_path", [Failing(error), *sys.meta_path])


def test_no_torch(monkeypatch):
    """The guard of the guides, on a machine without PyTorch: still Python, system, limits."""
    fails_with(monkeypatch, ModuleNotFoundError("No module named 'torch'", name="torch"))
    document = told("cuda:0")
    assert lacking(document) == [
        ("PyTorch is not installed in this Python", "python -m pip install torch")
    ]
    assert {"python", "os"} <= set(document["environment"])
    assert {"framework", "backend", "devices"}.isdisjoint(document["environment"])
    assert "readings" not in document


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError("/opt/alice/lib/libcudnn.so.9: cannot open shared object file\nmore"),
            "libcudnn.so.9: cannot open shared object file",
        ),
        (ImportError("libcusparseLt.so.0: undefined symbol: x"), "undefined symbol: x"),
        (ModuleNotFoundError("No module named 'numpy'", name="numpy"), "No module named 'numpy'"),
        (RuntimeError(""), "RuntimeError"),
        (AttributeError("partially initialized module 'torch'"), "partially initialized"),
    ],
)
def test_a_torch_that_breaks_on_import_is_one_sentence(monkeypatch, error, said):
    fails_with(monkeypatch, error)
    ((what, command),) = lacking(told())
    assert what.startswith("PyTorch cannot be imported: ")
    assert said in what
    assert "\n" not in what
    assert "alice" not in what
    assert command == 'python -c "import torch"'


def test_a_build_for_the_cpu_says_which_command_shows_it(place):
    place(torch=torch_module(version="2.13.0+cpu", cuda=None))
    document = told()
    ((what, command),) = lacking(document)
    assert what == "PyTorch 2.13.0+cpu is built for the CPU only, and a CPU is no GPU"
    assert "torch.version.cuda" in command
    assert document["environment"]["framework"]["version"] == "2.13.0+cpu"
    assert "backend" not in document["environment"]


@pytest.mark.parametrize(
    ("made", "built", "command"),
    [
        ({}, "CUDA", "nvidia-smi"),
        ({"cuda": None, "hip": "6.4"}, "HIP (ROCm)", "rocm-smi"),
        ({"cuda": None, "xpu": "2025"}, "XPU", "sycl-ls"),
    ],
)
def test_a_build_without_a_driver(place, made, built, command):
    place(torch=torch_module(**made))
    ((what, asked),) = lacking(told())
    assert what == f"PyTorch 2.11.0+cu128 is built for {built}, and no driver of such a GPU answers"
    assert asked == command


def test_a_driver_too_old_is_said_in_the_frameworks_words(place):
    """A warning of torch is the reason, and is no text on the terminal."""

    class Old(Api):
        def is_available(self):
            warnings.warn("CUDA initialization: The NVIDIA driver is too old\nmore", stacklevel=1)
            return False

    place(torch=torch_module(Old()), pynvml=Nvml(card()))
    document = told()
    ((what, command),) = lacking(document)
    assert what.endswith("sees no usable device: CUDA initialization: The NVIDIA driver is too old")
    assert command == "nvidia-smi"
    assert document["environment"]["driver"] == "570.86.15"


@pytest.mark.parametrize("value", ["", "-1"])
def test_a_variable_that_hides_every_device_is_named(place, monkeypatch, value):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    place(torch=torch_module(), pynvml=Nvml(card()))
    assert lacking(told()) == [
        ("CUDA_VISIBLE_DEVICES hides every device from this process", "unset CUDA_VISIBLE_DEVICES")
    ]


def test_an_availability_that_raises_is_none(place):
    place(torch=torch_module(Api(properties(), available=RuntimeError("lost"))))
    assert "devices" not in told()["environment"]


def test_the_tool_alone_lists_cards_as_it_counts_them(place):
    """Without a framework the index is the tool's own, and nothing visible to a framework is known."""
    place(pynvml=Nvml(card(), card("GPU-2", name="Tesla T4")))
    document = told()
    devices = document["environment"]["devices"]
    assert [(d["index"], d["name"], d["counted_by"]) for d in devices] == [
        (0, "NVIDIA GeForce RTX 4090", "nvml"),
        (1, "Tesla T4", "nvml"),
    ]
    assert all("total_memory_bytes" not in device for device in devices)
    assert document["environment"]["driver"] == "570.86.15"


def test_the_amd_tool_alone_too(place):
    from measure.machines import Amd

    place(amdsmi=Amd(amd_gpu()))
    (device,) = told()["environment"]["devices"]
    assert (device["name"], device["counted_by"]) == ("AMD Instinct MI300X", "amdsmi")


# --- Names of devices -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "gpu0", "cuda:x", "cuda:-1", "0", "", "cuda:0 "])
def test_a_name_that_is_no_device_is_refused_everywhere(name):
    with pytest.raises(UnknownDevice, match="names no GPU"):
        found_environment(name)


@pytest.mark.parametrize(
    ("count", "name", "said"),
    [
        (1, "cuda:1", "there is no cuda:1: cuda:0 alone is visible"),
        (4, "cuda:9", "there is no cuda:9: cuda:0 to cuda:3 are visible"),
        (1, "xpu:0", "this PyTorch drives cuda devices"),
    ],
)
def test_a_device_that_is_not_there_beside_others(place, count, name, said):
    place(torch=torch_module(Api(*[properties()] * count)))
    with pytest.raises(UnknownDevice, match=said):
        found_environment(name)


# --- In words -------------------------------------------------------------------------------------


def rows(document):
    return [
        *environment_rows(document),
        *device_rows(document, document["environment"]["devices"][0]),
    ]


def test_bytes_and_gib_stand_side_by_side_and_free_is_not_total(place):
    """B1: quantities of one definition alone are compared, so each row names its own."""
    one = card(ecc=[0, 0])
    place(
        pynvml=Nvml(one), torch=torch_module(Api(properties(), on_use=used_by(one, OWN, 400 * MIB)))
    )
    text = dict(rows(told()))
    assert text["cuda:0"] == "NVIDIA GeForce RTX 4090"
    assert text["  declares"] == "25 250 758 656 B (23.52 GiB)"
    assert text["  system tool"].startswith("25 757 220 864 B (23.99 GiB)")
    assert text["  others"] == "0 B (nvml_other_processes_used)"
    assert text["  this process"] == "419 430 400 B (400.00 MiB) (nvml_process_used)"
    assert "ECC off" in text["  modes"]
    assert text["PyTorch"] == "2.11.0+cu128, for CUDA 12.8"
    assert text["Allocator"] == "native, settings default"


def test_others_that_nobody_looked_at_are_said_to_be_unknown(place):
    place(torch=torch_module(Api(properties())))
    assert dict(rows(told()))["  others"].startswith("not known")


def test_limits_of_a_container_in_words():
    document = {
        "environment": {
            "container": {
                "signs": ["/.dockerenv"],
                "memory_limit_bytes": 8 * GIB,
                "cpu_quota_us": 150000,
                "cpu_period_us": 100000,
                "shm_bytes": 64 * MIB,
            },
            "variables": {"NCCL_DEBUG": "INFO"},
            "variables_left_out": ["CUDA_HOME"],
        }
    }
    text = [row[1] for row in environment_rows(document)]
    assert "inside one, by /.dockerenv" in text
    assert "host memory limited to 8 589 934 592 B (8.00 GiB)" in text
    assert "processors limited to 1.5" in text
    assert "/dev/shm 67 108 864 B (64.00 MiB)" in text
    assert "NCCL_DEBUG=INFO" in text
    assert "set, and not shown: CUDA_HOME" in text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (100, "100 B"),
        (1024, "1 024 B"),
        (MIB, "1 048 576 B (1.00 MiB)"),
        (24 * 10**9, "24 000 000 000 B (22.35 GiB)"),
        (25250758656, "25 250 758 656 B (23.52 GiB)"),
        (GIB - 1, "1 073 741 823 B (1 024.00 MiB)"),
        (2048 * GIB, "2 199 023 255 552 B (2 048.00 GiB)"),
    ],
)
def test_one_rounding_at_print_with_the_unit(count, text):
    """B1: 24e9 bytes are 22.35 GiB."""
    assert amount_of_bytes(count) == text
