"""Device statistics of Lightning's CSVLogger (evidence_formats 4)."""

import pytest
from importers.training import MIB, bounds, read, refusal, seen, told

from fiche.importers.lightning_csv import MEMBER

START = "DeviceStatsMonitor.on_train_batch_start"
END = "DeviceStatsMonitor.on_train_batch_end"
HEADER = (
    f"epoch,step,{START}/allocated_bytes.all.current,{END}/allocated_bytes.all.peak,{END}/num_ooms,"
    f"{END}/num_alloc_retries"
)
TABLE = f"""{HEADER}
,0,402653184,,,
,0,,6812598272,0,1
0,0,,,,
,1,1213202432,,,
,1,,6815744000,0,3
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_of_each_column_the_largest_value_stands_with_its_line(end):
    reading = read(MEMBER, TABLE.replace("\n", end))
    current, peak = reading.observations
    assert (current.stat, bounds(current), current.pointer.line) == (
        "sampled_max",
        (1213202432, 1213202432),
        5,
    )
    assert (peak.stat, peak.value.value, peak.pointer.line) == ("peak", 6815744000, 6)
    assert reading.counters == {"num_alloc_retries": 3, "num_ooms": 0}
    assert not reading.failures


def test_an_empty_cell_is_no_zero():
    reading = read(MEMBER, f"{HEADER}\n,0,,,,\n,0,5,,,\n")
    assert seen(reading) == [(f"{START}/allocated_bytes.all.current", "sampled_max", "5")]


def test_a_count_of_failed_allocations_is_a_failure():
    reading = read(MEMBER, f"{HEADER}\n,0,,6815744000,2,1\n,1,,6815744000,2,1\n")
    (failure,) = reading.failures
    assert (failure.message_kind, failure.count) == ("oom_counter", 2)
    assert reading.duplicate_messages == 0


def test_tables_that_other_programs_saved_again():
    text = f"{HEADER}\n,0.0,402653184.0,6.8126e+09,,\n"
    exact, rounded = read(MEMBER, text).observations
    assert bounds(exact) == (402653184, 402653184)
    assert bounds(rounded) == (6812550000, 6812650000)


def test_a_row_that_breaks_off_loses_its_last_cell():
    reading = read(MEMBER, TABLE + ",2,12132024")
    assert all(o.value.value != 12132024 for o in reading.observations)
    assert told(reading, "truncated")


def test_percentages_are_no_memory():
    text = f"{HEADER},{END}/cpu_vm_percent\n,0,5,,,,83.1\n"
    reading = read(MEMBER, text)
    assert [n.text for n in reading.not_observed] == [f"{END}/cpu_vm_percent"]


def test_the_older_monitor_asked_the_device_tool():
    text = "epoch,step,device_id: 1/memory.used (MB),device_id: 1/utilization.gpu (%)\n,0,4096.0,97.0\n"
    (used,) = read(MEMBER, text).observations
    assert (used.scope, used.device_index, used.value.value) == ("device", 1, 4096 * MIB)


def test_running_totals_are_no_levels():
    text = f"step,{END}/allocated_bytes.all.freed\n0,99999\n"
    assert refusal(MEMBER, text) == "F424"


def test_a_table_with_absurd_columns_is_refused():
    text = f"{END}/num_ooms," + "a," * 20_000 + "\n1\n"
    assert refusal(MEMBER, text) == "F429"
