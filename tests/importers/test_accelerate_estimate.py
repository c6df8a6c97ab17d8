"""The table of accelerate estimate-memory: computed, nothing is observed (evidence_formats 4)."""

import pytest
from importers.training import bounds, crlf, facts, read, refusal, told

from fiche.importers.accelerate_estimate import MEMBER

TABLE = """┌────────────────────────────────────────────────────────┐
│  Memory Usage for loading `pankajmathur/orca_mini_3b`  │
├───────┬─────────────┬──────────┬───────────────────────┤
│ dtype │Largest Layer│Total Size│  Training using Adam  │
├───────┼─────────────┼──────────┼───────────────────────┤
│float32│  474.24 MB  │ 12.42 GB │        49.69 GB       │
│  int4 │   96.5 MB   │ 1.55 GB  │          N/A          │
└───────┴─────────────┴──────────┴───────────────────────┘
"""
MARKDOWN = """Memory Usage for loading `bert-base-cased`:

| dtype   | Largest Layer | Total Size | Training using Adam |
|---------|---------------|------------|---------------------|
| float32 | 84.95 MB      | 418.18 MB  | 1.61 GB             |
"""


@pytest.mark.parametrize("damage", [lambda text: text, crlf])
def test_cells_are_plans_and_nothing_is_observed(damage):
    reading = read(MEMBER, damage(TABLE))
    assert not reading.observations
    assert [(p.counter, p.label, p.value.text) for p in reading.planned] == [
        ("accelerate.largest_layer", "float32", "474.24 MB"),
        ("accelerate.total_size", "float32", "12.42 GB"),
        ("accelerate.training_with_adam", "float32", "49.69 GB"),
        ("accelerate.largest_layer", "int4", "96.5 MB"),
        ("accelerate.total_size", "int4", "1.55 GB"),
    ]
    assert facts(reading) == {"model.name": "pankajmathur/orca_mini_3b"}
    assert told(reading, "computed_not_observed")


def test_units_are_powers_of_1024():
    low, high = bounds(read(MEMBER, TABLE).planned[3])
    assert low < 96.5 * 2**20 < high
    assert high - low < 0.011 * 2**20


def test_the_table_as_its_documentation_shows_it():
    assert len(read(MEMBER, MARKDOWN).planned) == 3


def test_a_heading_without_rows():
    assert refusal(MEMBER, TABLE.partition("│float32")[0]) == "F424"
