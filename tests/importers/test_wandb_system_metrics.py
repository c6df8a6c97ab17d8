"""System metrics of Weights & Biases (evidence_formats 4)."""

import json

import pytest
from importers.training import bounds, crlf, read, refusal, told

from fiche.importers.wandb_system_metrics import MEMBER

ROWS = [
    {
        "_runtime": 1.5,
        "system.gpu.0.memory": 40.5,
        "system.gpu.0.memoryAllocatedBytes": 2_000_000_000,
    },
    {"_runtime": 2.5, "system.gpu.0.memoryAllocatedBytes": 2_500_000_000.0, "system.gpu.1.gpu": 3},
    {
        "_runtime": 3.5,
        "system.gpu.0.memoryAllocated": 12.5,
        "system.gpu.1.memoryAllocatedBytes": 1024,
    },
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
CSV = (
    '"Step","run - system/gpu.0.memoryAllocatedBytes","run - system/gpu.0.memoryAllocatedBytes__MIN",'
    '"run - system/gpu.0.memoryAllocatedBytes__MAX"\n"1","2000000000","1000000000","2500000000"\n'
)


@pytest.mark.parametrize("text", [LINES, crlf(LINES), json.dumps(ROWS), json.dumps(ROWS, indent=2)])
def test_the_largest_sample_of_each_device(text):
    reading = read(MEMBER, text)
    assert [(o.device_index, o.scope, o.stat, o.value.value) for o in reading.observations] == [
        (0, "device", "sampled_max", 2_500_000_000),
        (1, "device", "sampled_max", 1024),
    ]
    assert told(reading, "sampled")


def test_activity_and_percentages_are_no_memory():
    reading = read(MEMBER, LINES)
    assert {n.text for n in reading.not_observed} == {
        "system.gpu.0.memory",
        "system.gpu.0.memoryAllocated",
    }


def test_places():
    lines, document = read(MEMBER, LINES), read(MEMBER, json.dumps(ROWS))
    assert lines.observations[0].pointer.line == 2
    assert document.observations[0].pointer.path == "/1/system.gpu.0.memoryAllocatedBytes"


@pytest.mark.parametrize("damage", [lambda text: text, crlf])
def test_a_table_and_its_bins(damage):
    reading = read(MEMBER, damage(CSV))
    assert [bounds(o) for o in reading.observations] == [
        (2_000_000_000, 2_000_000_000),
        (2_500_000_000, 2_500_000_000),
    ]


def test_an_export_without_bytes():
    assert refusal(MEMBER, '{"system.gpu.0.memory": 40.5}\n') == "F424"


def test_a_document_that_breaks_off():
    assert refusal(MEMBER, json.dumps(ROWS)[:-9]) == "F428"
