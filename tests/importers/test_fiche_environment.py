"""fiche's own account of a machine: totals, readings and facts, and nothing filled in (A5, B1, C2)."""

import copy
import gzip
import hashlib
import json

import pytest
from importers.environments import ENVIRONMENT, GIB, PHYSICAL, VISIBLE
from importers.records import RECORD, document_bytes

from fiche.assets import schema_text
from fiche.importers import _detect, fiche_environment
from fiche.kernel.diagnostic import Refused


def document(change=None):
    made = copy.deepcopy(ENVIRONMENT)
    if change is not None:
        change(made)
    return made


def read(made, name="env.json", kind=None):
    content = made if isinstance(made, bytes) else json.dumps(made).encode()
    return _detect.read(content, hashlib.sha256(content).hexdigest(), name, kind)


def refusals(made):
    with pytest.raises(Refused) as caught:
        read(made, kind="fiche_environment")
    return [(told.code, told.address.path or "") for told in caught.value.diagnostics]


def test_it_is_found_by_its_content_and_a_record_stays_a_record():
    assert read(ENVIRONMENT).kind == "fiche_environment"
    assert read(gzip.compress(json.dumps(ENVIRONMENT).encode())).kind == "fiche_environment"
    assert read(b"\xef\xbb\xbf" + json.dumps(ENVIRONMENT).encode()).kind == "fiche_environment"
    assert read(document_bytes(RECORD)).kind == "fiche_record"


def test_both_totals_bound_a_capacity_each_by_its_own_counter():
    visible, physical = read(ENVIRONMENT).capacities
    assert (visible.counter, visible.value.value) == ("torch_total_memory", VISIBLE)
    assert (physical.counter, physical.value.value) == ("nvidia_smi_total", PHYSICAL)
    assert visible.pointer.path == "/environment/devices/0/total_memory_bytes"
    assert visible.device_name == "NVIDIA GeForce RTX 4090"


def test_others_go_with_the_total_that_a_framework_sees():
    visible, physical = read(ENVIRONMENT).capacities
    assert visible.others.value == 3 * GIB
    assert visible.others_pointer.path == "/readings/0/other_processes_bytes/bytes"
    assert physical.others is None


def test_where_nobody_looked_others_are_unknown_and_never_zero():
    """C2: absent is no reading of zero; a zero is a reading."""
    unread = read(document(lambda d: d["readings"][0].pop("other_processes_bytes")))
    assert unread.capacities[0].others is None
    zero = read(
        document(lambda d: d["readings"][0]["other_processes_bytes"].update(bytes=0))
    ).capacities[0]
    assert (zero.others.low, zero.others.high) == (0, 0)


def test_a_reading_of_one_device_describes_no_other():
    """C9"""

    def second(made):
        made["environment"]["devices"].append(
            {"index": 1, "name": "Tesla T4", "total_memory_bytes": 15 * GIB}
        )

    totals = {c.device_index: c for c in read(document(second)).capacities if "torch" in c.counter}
    assert totals[0].others.value == 3 * GIB
    assert totals[1].others is None


def test_the_same_capacities_as_from_a_record_with_that_environment():
    """DESIGN 4: a total that this machine printed, whichever piece holds the print."""

    def same(made):
        made["environment"] = ENVIRONMENT["environment"]
        for phase in made["phases"]:
            phase["devices"] = [copy.deepcopy(ENVIRONMENT["readings"][0])]
            phase["devices"][0].pop("process_device_bytes")

    changed = copy.deepcopy(RECORD)
    same(changed)
    record = read(document_bytes(changed))
    told = [
        [(c.counter, c.value.value, c.others and c.others.value, c.device_index) for c in one]
        for one in (read(ENVIRONMENT).capacities, record.capacities)
    ]
    assert told[0] == told[1]


def test_readings_keep_their_counter_scope_and_place():
    seen = {(o.counter, o.scope, o.stat): o for o in read(ENVIRONMENT).observations}
    assert set(seen) == {
        ("process_device_used", "process", "current"),
        ("other_processes_used", "device", "current"),
        ("device_free", "device", "free"),
    }
    free = seen["device_free", "device", "free"]
    assert (free.label, free.value.value, free.device_index) == ("nvml_free", 20 * GIB, 0)
    assert free.pointer.path == "/readings/0/free_bytes/bytes"


def test_facts_are_in_the_words_of_a_fiche_and_bear_their_place():
    facts = read(ENVIRONMENT).facts
    told = {
        "machine": "node-7",
        "backend": "cuda",
        "driver": "570.86.15",
        "framework.version": "2.11.0+cu128",
        "allocator.settings": "expandable_segments:True",
        "device": "NVIDIA GeForce RTX 4090",
        "ecc": "off",
        "devices.0.mig": "off",
        "libraries.nccl": "2.26.2",
        "variables.CUDA_VISIBLE_DEVICES": "0",
        "container.memory_limit_bytes": str(8 * GIB),
        "host_memory_bytes": str(64 * GIB),
        "observed_at": "2026-11-30T17:00:00+00:00",
    }
    assert {key: facts[key].value for key in told} == told
    assert facts["driver"].address.path == "/environment/driver"
    assert all(fact.printed for fact in facts.values())


def test_it_holds_no_run_and_no_failure():
    """An environment admits nothing: nothing ran."""
    reading = read(ENVIRONMENT)
    assert (reading.runs, reading.failures) == ((), ())


def test_a_tool_alone_bounds_from_above_only():
    """Without a framework no total that a framework sees is known."""

    def listed(made):
        made["environment"] = {
            "devices": [
                {"index": 0, "name": "X", "nvml_total_bytes": 9, "counted_by": "nvml"},
                {"index": 1, "name": "Y", "nvml_total_bytes": 8, "counted_by": "amdsmi"},
                {"index": 2, "name": "Z"},
            ]
        }
        del made["readings"]

    counters = [c.counter for c in read(document(listed)).capacities]
    assert counters == ["nvidia_smi_total", "rocm_smi_total"]


def test_rocm_is_named_as_evidence_names_it():
    reading = read(document(lambda d: d["environment"].update(backend="hip")))
    assert reading.backend == "rocm"
    assert reading.capacities[1].counter == "rocm_smi_total"


def test_a_machine_without_gpu_is_a_piece_that_bounds_nothing():
    def bare(made):
        made["environment"] = {"python": "3.12.9"}
        made["readings"] = []
        made["missing"] = [{"what": "PyTorch is not installed in this Python", "command": "x"}]

    reading = read(document(bare))
    assert (reading.capacities, reading.observations, reading.backend) == ((), (), None)
    assert reading.further["missing"] == ["PyTorch is not installed in this Python"]


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        (lambda d: d.update(format="fiche-environment/2"), "F431", "/format"),
        (lambda d: d.pop("environment"), "F432", ""),
        (lambda d: d["environment"].update(backend="cpu"), "F432", "/environment/backend"),
        (lambda d: d.update(surprise=1), "F432", ""),
        (lambda d: d["readings"][0].update(device="cpu:0"), "F432", "/readings/0/device"),
        (lambda d: d.update(machine="a b"), "F432", "/machine"),
        (
            lambda d: d["environment"]["devices"][0].update(total_memory_bytes=-1),
            "F435",
            "/environment/devices/0/total_memory_bytes",
        ),
        (
            lambda d: d["environment"]["devices"][0].update(total_memory_bytes=2.5),
            "F434",
            "/environment/devices/0/total_memory_bytes",
        ),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(change, code, path):
    assert refusals(document(change)) == [(code, path)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"format": "fiche-environment/1", ', "F430"),
        (b'["fiche-environment/1"]', "F430"),
        (b'{"format": "fiche-environment/1", "format": "fiche-environment/1"}', "F433"),
    ],
)
def test_what_is_no_such_document_is_refused(content, code):
    assert [told for told, _ in refusals(content)] == [code]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d["environment"]["devices"][0].update(nvml_total_bytes=9),
            "declares more than the system's tool counts",
        ),
        (lambda d: d["readings"][0].update(device="cuda:5"), "cuda:5 was read and is not listed"),
        (
            lambda d: d["readings"][0]["free_bytes"].update(bytes=99 * GIB),
            "more is free on cuda:0 than it declares",
        ),
    ],
)
def test_what_cannot_all_be_true_is_said_and_not_mended(change, said):
    (warning,) = read(document(change)).warnings
    assert warning.startswith("inconsistent: ")
    assert said in warning


def test_the_schema_describes_a_machine_as_a_record_does():
    """What a record may say of its environment, an environment of its own may say in the same words."""
    own, record = (
        json.loads(schema_text(f"{name}.schema.json"))["properties"]["environment"]
        for name in ("environment", "record")
    )
    devices = [each["properties"].pop("devices") for each in (own, record)]
    assert own["properties"] == record["properties"]
    items = [each["items"]["properties"] for each in devices]
    assert items[0].pop("counted_by")
    assert {
        k: v for k, v in items[1].items() if k not in ("rank", "local_device", "node")
    } == items[0]


def test_its_door():
    assert fiche_environment.MEMBER.name == "fiche_environment"
    assert fiche_environment.accepts(b'{"a": "fiche-measurement/1"}', "a.json") == 0


def test_two_devices_of_one_index_are_refused():
    """B1: which of the two totals is this device's nobody knows."""

    def twice(made):
        devices = made["environment"]["devices"]
        devices.append({**devices[0], "total_memory_bytes": 10**12})

    ((code, path),) = refusals(document(twice))
    assert (code, path.rpartition("/")[2]) == ("F437", "index")
