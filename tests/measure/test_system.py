"""Readings outside the allocator: each with its counter's name, or absent (C2, C5)."""

import json
import os
import sys
from types import SimpleNamespace

import pytest
from measure.machines import (
    GIB,
    HOST_PID,
    MI300X,
    MIB,
    NO_PERMISSION,
    NOT_SUPPORTED,
    PHYSICAL,
    UNKNOWN,
    Amd,
    Api,
    Nvml,
    amd_gpu,
    card,
    listed_by_amd,
    process,
    torch_module,
    with_instances,
)

from fiche.measure.protocol.system import system_tool

OWN = 4242
UUID = "GPU-8f2c-11"


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """No tool, no torch and no variable of this machine."""
    for name in ("pynvml", "amdsmi"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    for name in [name for name in os.environ if name.startswith("CUDA_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def nvml(monkeypatch):
    """Puts an NVML of cards in place; the tool is made before any process of ours is on a device."""

    def placed(*cards, **told):
        made = Nvml(*cards, **told)
        monkeypatch.setitem(sys.modules, "pynvml", made)
        return system_tool("cuda"), made

    return placed


@pytest.fixture
def amd(monkeypatch):
    def placed(*gpus, **told):
        monkeypatch.setitem(sys.modules, "amdsmi", Amd(*gpus, **told))
        return system_tool("hip")

    return placed


# --- No tool ------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["cuda", "hip", "xpu"])
def test_without_a_library_there_is_no_tool(backend):
    assert system_tool(backend) is None


def test_a_library_without_a_driver_is_no_tool(nvml, amd):
    assert nvml(card(), init=UNKNOWN)[0] is None
    assert amd(amd_gpu(), init=UNKNOWN) is None


# --- NVML: processes ----------------------------------------------------------------------------


def test_own_and_others_are_told_apart_by_the_process_id(nvml):
    one = card(compute=[process(OWN, 3 * GIB), process(7, 512 * MIB)], graphics=[process(9, 100)])
    tool, _ = nvml(one)
    assert tool.use(UUID, OWN) == {
        "process_device_bytes": (3 * GIB, "nvml_process_used"),
        "other_processes_bytes": (512 * MIB + 100, "nvml_other_processes_used"),
        "free_bytes": (PHYSICAL - 700 * MIB, "nvml_free"),
    }


def test_zero_for_others_needs_a_list_that_shows_this_process(nvml):
    """C2: a list that leaves out even the one who reads it is not an empty card."""
    one = card(compute=[process(OWN, GIB)])
    tool, _ = nvml(one)
    assert tool.use(UUID, OWN)["other_processes_bytes"] == (0, "nvml_other_processes_used")
    one["compute"] = []
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


def test_a_process_in_two_lists_counts_once(nvml):
    one = card(
        compute=[process(OWN, GIB), process(7, 300)],
        graphics=[process(7, 300)],
        mps=[process(8, 5)],
    )
    tool, _ = nvml(one)
    assert tool.use(UUID, OWN)["other_processes_bytes"][0] == 305


@pytest.mark.parametrize("unavailable", [None, 2**64 - 1])
def test_not_available_is_no_number(nvml, unavailable):
    """Windows' driver model and MIG print 17179869184.00 GiB for it."""
    one = card(compute=[process(OWN, unavailable), process(7, GIB)])
    tool, _ = nvml(one)
    use = tool.use(UUID, OWN)
    assert "process_device_bytes" not in use
    assert use["other_processes_bytes"][0] == GIB
    one["compute"] = [process(OWN, GIB), process(7, unavailable), process(8, GIB)]
    assert "other_processes_bytes" not in tool.use(UUID, OWN)
    one["compute"], one["graphics"] = [process(OWN, GIB), process(7, 5)], [process(7, unavailable)]
    assert "other_processes_bytes" not in tool.use(UUID, OWN)


def test_a_list_that_no_driver_keeps_hides_nobody_and_one_that_fails_hides_all(nvml):
    one = card(compute=[process(OWN, GIB)], graphics=NOT_SUPPORTED, mps=NOT_SUPPORTED)
    tool, _ = nvml(one)
    assert tool.use(UUID, OWN)["other_processes_bytes"][0] == 0
    one["graphics"] = NO_PERMISSION
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}
    one["graphics"], one["compute"] = [], NOT_SUPPORTED
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


def test_an_old_binding_without_a_list_is_read(nvml, monkeypatch):
    monkeypatch.delattr(Nvml, "nvmlDeviceGetMPSComputeRunningProcesses")
    tool, _ = nvml(card(compute=[process(OWN, GIB)]))
    assert tool.use(UUID, OWN)["other_processes_bytes"][0] == 0


# --- NVML in a container --------------------------------------------------------------------------


def test_in_a_container_the_only_process_that_appeared_is_this_one_and_the_counter_says_so(nvml):
    one = card(compute=[process(7, 512 * MIB)])
    tool, _ = nvml(one)
    one["compute"] = [process(7, 512 * MIB), process(HOST_PID, 2 * GIB)]
    use = tool.use(UUID, OWN)
    assert use["process_device_bytes"] == (2 * GIB, "nvml_process_used_of_newly_listed")
    assert use["other_processes_bytes"] == (
        512 * MIB,
        "nvml_other_processes_used_of_newly_listed",
    )


def test_two_that_appeared_could_each_be_this_one(nvml):
    one = card()
    tool, _ = nvml(one)
    one["compute"] = [process(HOST_PID, GIB), process(HOST_PID + 1, GIB)]
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


def test_once_known_it_stays_known_beside_later_ones_and_is_lost_when_it_goes(nvml):
    one = card()
    tool, _ = nvml(one)
    one["compute"] = [process(HOST_PID, GIB)]
    tool.use(UUID, OWN)
    one["compute"] = [process(HOST_PID, GIB), process(HOST_PID + 1, 77)]
    assert tool.use(UUID, OWN)["other_processes_bytes"][0] == 77
    one["compute"] = [process(8, 1), process(9, 1)]
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


def test_an_accelerator_that_is_in_use_already_leaves_nothing_to_compare(nvml, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch_module(Api(initialised=True)))
    one = card()
    tool, _ = nvml(one)
    one["compute"] = [process(HOST_PID, GIB)]
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


def test_a_list_that_failed_before_leaves_nothing_to_compare(nvml):
    one = card(compute=NO_PERMISSION)
    tool, _ = nvml(one)
    one["compute"] = [process(HOST_PID, GIB)]
    assert set(tool.use(UUID, OWN)) == {"free_bytes"}


# --- NVML: accounting, device ----------------------------------------------------------------------


def test_a_peak_only_where_somebody_keeps_accounts(nvml):
    one = card(compute=[process(OWN, GIB)], accounts={OWN: 5 * GIB})
    tool, made = nvml(one)
    assert "process_device_peak" not in tool.use(UUID, OWN)
    assert "nvmlDeviceGetAccountingStats" not in made.calls
    one["accounting"] = 1
    tool, _ = nvml(one)
    told = tool.use(UUID, OWN)["process_device_peak"]
    assert told == (5 * GIB, "nvml_accounting_max_memory_usage")


@pytest.mark.parametrize("accounts", [{}, {OWN: None}, {OWN: 0}, {OWN: 2**64 - 1}])
def test_an_account_that_is_not_kept_yet_is_no_peak(nvml, accounts):
    tool, _ = nvml(card(compute=[process(OWN, GIB)], accounting=1, accounts=accounts))
    assert "process_device_peak" not in tool.use(UUID, OWN)


def test_the_device_in_words(nvml):
    tool, made = nvml(card(ecc=[0, 1], persistence=1))
    assert tool.driver() == "570.86.15"
    assert tool.device(UUID) == {
        "uuid": UUID,
        "nvml_total_bytes": PHYSICAL,
        "ecc": "off",
        "persistence": "on",
        "compute_capability": "8.9",
        "sm_clock_mhz": 2520,
        "memory_clock_mhz": 10501,
    }
    assert not [name for name in made.calls if "Set" in name]


def test_what_the_device_does_not_tell_is_absent(nvml):
    tool, _ = nvml(
        card(memory=NOT_SUPPORTED, persistence=NOT_SUPPORTED, capability=UNKNOWN, ecc=UNKNOWN)
    )
    assert set(tool.device(UUID)) == {"uuid", "sm_clock_mhz", "memory_clock_mhz"}
    assert tool.use(UUID, OWN) == {}


def test_an_old_binding_returns_bytes(nvml):
    tool, _ = nvml(card(), driver=b"470.1\n")
    assert tool.driver() == "470.1"


def test_mps_is_on_by_its_server_or_its_variable_and_never_proven_off(nvml, monkeypatch):
    one = card(compute=[process(50, GIB)])
    tool, _ = nvml(one, names={50: "/usr/bin/nvidia-cuda-mps-server"})
    assert tool.device(UUID)["mps"] == "on"
    tool, _ = nvml(one)
    assert "mps" not in tool.device(UUID)
    monkeypatch.setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50")
    assert tool.device(UUID)["mps"] == "on"


def test_a_mig_instance_is_read_as_itself_and_its_modes_are_the_cards(nvml):
    """Its memory and processes are its own; what has no sense for an instance is asked of the card."""
    slice_ = card(
        "MIG-1", compute=[process(OWN, GIB)], memory=SimpleNamespace(total=5 * GIB, free=4)
    )
    other = card("MIG-2", compute=[process(8, 3 * GIB)])
    tool, _ = nvml(with_instances(slice_, other))
    device = tool.device("GPU-1")  # as torch spells the UUID of an instance
    assert (device["mig"], device["ecc"], device["nvml_total_bytes"]) == ("on", "on", 5 * GIB)
    assert tool.use("MIG-1", OWN)["other_processes_bytes"] == (0, "nvml_other_processes_used")


def test_a_container_with_one_instance_of_several_knows_its_newcomer(nvml):
    slice_, other = card("MIG-1"), card("MIG-2", compute=[process(8, GIB)])
    tool, made = nvml(with_instances(slice_, other))
    made.cards[0]["instances"][0]["compute"] = [process(HOST_PID, GIB)]
    told = tool.use("MIG-1", OWN)["process_device_bytes"]
    assert told == (GIB, "nvml_process_used_of_newly_listed")


# --- NVML: which device ---------------------------------------------------------------------------


def three(nvml):
    return nvml(*(card(f"GPU-{letter}1", name=letter) for letter in "abc"))[0]


@pytest.mark.parametrize(
    ("visible", "order", "index", "uuid"),
    [
        ("2,0", "PCI_BUS_ID", 0, "GPU-c1"),
        ("2,0", "PCI_BUS_ID", 1, "GPU-a1"),
        (None, "PCI_BUS_ID", 1, "GPU-b1"),
        ("GPU-b", None, 0, "GPU-b1"),
        ("GPU-c1, GPU-a1", None, 1, "GPU-a1"),
        ("2,0", None, 0, None),
        (None, None, 0, None),
        ("2", "PCI_BUS_ID", 1, None),
        ("GPU-", None, 0, None),
        ("", "PCI_BUS_ID", 0, None),
        ("-1", "PCI_BUS_ID", 0, None),
        ("9", "PCI_BUS_ID", 0, None),
    ],
)
def test_an_index_means_a_card_only_where_it_can_mean_no_other(
    nvml, monkeypatch, visible, order, index, uuid
):
    """CUDA puts the fastest first unless told; NVML follows the bus."""
    for name, value in (("CUDA_VISIBLE_DEVICES", visible), ("CUDA_DEVICE_ORDER", order)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert three(nvml).device(index).get("uuid") == uuid


def test_one_card_needs_no_order(nvml):
    assert nvml(card())[0].device(0)["uuid"] == UUID


@pytest.mark.parametrize("spelt", [UUID, "8f2c-11"])
def test_a_uuid_is_found_with_and_without_its_prefix(nvml, spelt):
    assert nvml(card())[0].device(spelt)["uuid"] == UUID


def test_an_unknown_device_tells_nothing(nvml):
    tool, _ = nvml(card())
    assert tool.device("GPU-elsewhere") == {}
    assert tool.use("GPU-elsewhere", OWN) == {}


def test_a_handle_is_looked_up_once(nvml):
    """A sampling thread asks every 20 ms."""
    tool, made = nvml(card(compute=[process(OWN, GIB)]))
    tool.use(UUID, OWN)
    made.calls.clear()
    tool.use(UUID, OWN)
    assert made.calls == ["compute", "graphics", "mps", "nvmlDeviceGetMemoryInfo"]


def test_all_cards_are_listed_as_the_tool_counts_them(nvml):
    listed = three(nvml).listed()
    assert [(each["index"], each["name"], each["uuid"]) for each in listed] == [
        (0, "a", "GPU-a1"),
        (1, "b", "GPU-b1"),
        (2, "c", "GPU-c1"),
    ]


# --- AMD SMI --------------------------------------------------------------------------------------

AMD_UUID = "GPU-9d1c8a7b6e5f4032"


def test_amd_readings_have_the_names_of_their_tool(amd):
    tool = amd(amd_gpu(processes=[listed_by_amd(OWN, 4 * GIB), listed_by_amd(7, 5)]))
    assert tool.use(AMD_UUID, OWN) == {
        "process_device_bytes": (4 * GIB, "amdsmi_process_used"),
        "other_processes_bytes": (5, "amdsmi_other_processes_used"),
        "free_bytes": (MI300X - 300 * MIB, "amdsmi_vram_total_less_usage"),
    }
    assert tool.driver() == "6.10.5"
    assert tool.device(AMD_UUID) == {
        "nvml_total_bytes": MI300X,
        "ecc": "on",
        "partition": "SPX/NPS1",
    }


@pytest.mark.parametrize(
    "uuid",
    [AMD_UUID, "9d1c8a7b6e5f4032", "GPU-39643163-3861-3762-3665-356634303332"],
    ids=["hip", "bare", "letters as bytes, as torch prints them"],
)
def test_an_amd_device_is_found_by_each_spelling_of_its_uuid(amd, uuid):
    tool = amd(amd_gpu(), amd_gpu(serial="0x1", enumeration={"hip_uuid": "GPU-1"}))
    assert tool.device(uuid)["nvml_total_bytes"] == MI300X


def test_an_old_amd_library_knows_the_serial_number_alone(amd):
    tool = amd(amd_gpu(enumeration=UNKNOWN), amd_gpu(enumeration=UNKNOWN, serial="0x2", total=5))
    assert tool.device(AMD_UUID)["nvml_total_bytes"] == MI300X


def test_partitions_of_one_serial_number_are_not_told_apart(amd):
    both = [amd_gpu(enumeration=UNKNOWN, partition=("DPX", "NPS1")) for _ in range(2)]
    tool = amd(*both)
    assert tool.device(AMD_UUID) == {}
    assert tool.use(AMD_UUID, OWN) == {}


def test_an_amd_index_is_taken_where_there_is_one_device(amd):
    assert amd(amd_gpu()).device(0)["nvml_total_bytes"] == MI300X
    assert amd(amd_gpu(), amd_gpu(serial="0x2")).device(0) == {}


@pytest.mark.parametrize(
    ("told", "absent"),
    [
        ({"processes": UNKNOWN}, {"process_device_bytes", "other_processes_bytes"}),
        ({"processes": []}, {"process_device_bytes", "other_processes_bytes"}),
        ({"processes": [listed_by_amd(OWN, "N/A")]}, {"process_device_bytes"}),
        (
            {"processes": [listed_by_amd(OWN, 1), listed_by_amd(7, 2**64 - 1)]},
            {"other_processes_bytes"},
        ),
        ({"processes": [{"pid": "N/A"}]}, {"process_device_bytes", "other_processes_bytes"}),
        ({"used": UNKNOWN}, {"free_bytes"}),
        ({"used": MI300X + 1}, {"free_bytes"}),
    ],
)
def test_what_amd_does_not_tell_is_absent(amd, told, absent):
    gpu = amd_gpu(**{"processes": [listed_by_amd(OWN, GIB)], **told})
    assert absent.isdisjoint(amd(gpu).use(AMD_UUID, OWN))


def test_an_old_amd_list_holds_handles(amd):
    gpu = amd_gpu(processes=["h"], by_handle={"h": listed_by_amd(OWN, 9)})
    assert amd(gpu).use(AMD_UUID, OWN)["process_device_bytes"] == (9, "amdsmi_process_used")


def test_an_amd_newcomer_in_a_container(amd):
    gpu = amd_gpu(processes=[])
    tool = amd(gpu)
    gpu["processes"] = [listed_by_amd(HOST_PID, 9)]
    told = tool.use(AMD_UUID, OWN)["process_device_bytes"]
    assert told == (9, "amdsmi_process_used_of_newly_listed")


def test_amd_modes_that_fail_are_absent(amd):
    gpu = amd_gpu(ecc=UNKNOWN, partition=(UNKNOWN, "N/A"), total=UNKNOWN, driver="N/A")
    tool = amd(gpu)
    assert (tool.device(AMD_UUID), tool.driver()) == ({}, None)
    assert [each["name"] for each in tool.listed()] == ["AMD Instinct MI300X"]


class Nonsense:
    """A library that is there and answers what it should not."""

    def __init__(self, answer):
        self._answer = answer

    def __getattr__(self, name):
        return lambda *_: self._answer


@pytest.mark.parametrize("answer", [-7, 1.5, "\x1b[31m", 2**70, object(), [], [object()] * 3, {}])
@pytest.mark.parametrize(("module", "backend"), [("pynvml", "cuda"), ("amdsmi", "hip")])
def test_a_library_that_answers_nonsense_stops_nothing(monkeypatch, module, backend, answer):
    """C2: a reading that cannot be had is absent; a measurement goes on."""
    monkeypatch.setitem(sys.modules, module, Nonsense(answer))
    tool = system_tool(backend)
    if tool is None:
        return
    used = tool.use(0, os.getpid())
    assert all(0 <= count < 2**63 for count, _ in used.values())
    for told in (tool.device(0), *tool.listed()):
        json.dumps(told)
        assert all(each >= 0 for key, each in told.items() if key.endswith("_bytes"))
    assert tool.driver() is None or isinstance(tool.driver(), str)
