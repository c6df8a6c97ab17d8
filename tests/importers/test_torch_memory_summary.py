"""The allocator's table: figures cut down, units per column, labels that mean powers of 1024."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers import allocator
from importers.allocator import OLD, stats, table

from fiche.importers.torch_memory_summary import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
SEVERAL = st.lists(st.integers(1 << 20, 1 << 44), min_size=40, max_size=40)


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


def figures(reading, device=0):
    return {(o.counter, o.stat): o for o in reading.observations if o.device_index == device}


def agree(reading, flat, device=0, pools=3):
    """Every figure holds the true one, and none is missing."""
    seen = figures(reading, device)
    assert len(seen) == len(allocator.BYTES) * 2 * pools
    for (counter, stat), one in seen.items():
        assert one.value.low <= flat[f"{counter}.{stat}"] <= one.value.high


def prefixed(prefix):
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


def wrapped(columns):
    def broken(text):
        lines = text.splitlines()
        return "".join(
            line[at : at + columns].rstrip() + "\n"
            for line in lines
            for at in range(0, len(line), columns)
        )

    return broken


DAMAGES = {
    "as it is": str,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "rank": prefixed("[rank3]: "),
    "compose": prefixed("train-1  | "),
    "ci": prefixed("2026-01-15T03:22:41.1Z "),
    "k8s": prefixed("2026-01-15T03:22:41.1Z stdout F "),
    "colours": prefixed("\x1b[36mINFO\x1b[0m "),
    "json": lambda text: json.dumps({"message": text}) + "\n",
    "repr": lambda text: f"INFO {text!r}\n",
    **{f"wrapped at {columns}": wrapped(columns) for columns in (47, 57, 60, 66, 72, 75, 76)},
}


@pytest.mark.parametrize("damage", DAMAGES)
@settings(max_examples=20)
@given(drawn=SEVERAL, device=st.integers(0, 15))
def test_every_figure_holds_the_true_one(damage, drawn, device):
    flat = stats(drawn.__getitem__, ooms=2, retries=5)
    reading = read(DAMAGES[damage](table(flat, device)))
    agree(reading, flat, device)
    assert dict(reading.counters) == {"num_ooms": 2, "num_alloc_retries": 5}
    (failure,) = reading.failures
    assert (failure.message_kind, failure.count, failure.device_index) == ("oom_counter", 2, device)


@pytest.mark.torch
@given(drawn=SEVERAL, device=st.integers(0, 15), abbreviated=st.booleans())
def test_the_true_formatter_is_read(drawn, device, abbreviated):
    import torch.cuda.memory

    flat = stats(drawn.__getitem__, ooms=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda.memory, "memory_stats", lambda device=None: flat)
        text = torch.cuda.memory.memory_summary(device, abbreviated)
    assert text == table(flat, device, abbreviated=abbreviated)
    agree(read(text), flat, device, 1 if abbreviated else 3)


def test_old_labels_mean_powers_of_1024():
    flat = stats()
    reading = read(table(flat, labels=OLD))
    agree(reading, flat)
    assert reading.shape == "summary-decimal-labels"
    assert any(text.startswith("unit_label_is_binary:") for text in reading.warnings)


def test_below_768_kib_bytes_are_exact():
    reading = read(table(stats(lambda n: 786_431)))
    value = figures(reading)["allocated_bytes.all", "peak"].value
    assert (value.text, value.low, value.high, value.rounding) == (
        "786431 B",
        *(786_431,) * 2,
        "exact",
    )


def test_a_whole_unit_is_cut_down():
    value = figures(read(table(stats(lambda n: 5_637 << 20))))["reserved_bytes.all", "peak"].value
    assert (value.text, value.low, value.high) == ("5637 MiB", 5_637 << 20, (5_638 << 20) - 1)


def test_the_failure_stands_on_its_line_and_is_counted_once():
    text = table(stats(ooms=1)) + table(stats(ooms=1)) + table(stats(ooms=1), device=2)
    reading = read("step 1\n" + text)
    assert [(f.pointer.line, f.device_index) for f in reading.failures] == [
        (5, 0),
        (5 + 2 * len(table(stats()).splitlines()), 2),
    ]
    assert reading.duplicate_messages == 1


def test_under_cudamallocasync_only_three_sums_are_measured():
    flat = allocator.asynchronous(stats())
    reading = read(table(flat))
    assert {o.counter for o in reading.observations} == {
        "allocated_bytes.all",
        "active_bytes.all",
        "reserved_bytes.all",
    }
    assert len(reading.not_observed) == 1
    assert any(text.startswith("zero_may_be_unmeasured:") for text in reading.warnings)


def test_tables_of_several_devices_stand_apart():
    first, second = stats(), stats(lambda n: n << 24)
    reading = read(f"epoch 1\n{table(first)}\nepoch 2\n{table(second, device=1)}\n")
    agree(reading, first, 0)
    agree(reading, second, 1)


def test_ranks_may_print_at_the_same_time():
    first, second = stats(), stats(lambda n: n << 24)
    pairs = zip(table(first).splitlines(), table(second, device=1).splitlines(), strict=True)
    reading = read("".join(f"[rank0]: {one}\n[rank1]: {two}\n" for one, two in pairs))
    agree(reading, first, 0)
    agree(reading, second, 1)
    assert {o.rank for o in reading.observations if o.device_index == 1} == {1}


def test_rows_that_nothing_tells_apart_are_refused():
    pairs = zip(table(stats()).splitlines(), table(stats(), device=1).splitlines(), strict=True)
    with pytest.raises(Refused, match="F445"):
        read("".join(f"{one}\n{two}\n" for one, two in pairs))


def test_a_row_that_lost_a_part_is_refused():
    row = next(line for line in table(stats()).splitlines() if "GPU reserved memory" in line)
    with pytest.raises(Refused, match="F445"):
        read(table(stats()).replace(row, row[:40]))
    with pytest.raises(Refused, match="F445"):
        read(table(stats()).replace(row + "\n", ""))


def test_a_table_that_breaks_off_is_read_as_far_as_it_goes():
    text = table(stats())
    reading = read(text[: text.index("| GPU reserved memory") + 30])
    assert ("allocated_bytes.all", "peak") in figures(reading)
    assert ("reserved_bytes.all", "peak") not in figures(reading)
    assert any(text.startswith("truncated:") for text in reading.warnings)


def test_a_table_without_its_title_names_no_device():
    reading = read(table(stats()).partition("Metric")[2])
    assert {o.device_index for o in reading.observations} == {None}
    assert any(text.startswith("device_not_named:") for text in reading.warnings)


def test_a_row_that_no_version_prints_yet_is_kept_as_printed():
    row = "| In private pools      |   1024 MiB |   1024 MiB |   1024 MiB |      0 B   |"
    lines = table(stats()).splitlines()
    reading = read("\n".join([*lines[:-1], row, lines[-1]]) + "\n")
    agree(reading, stats())
    assert reading.further["other_rows"] == [
        {"row": "In private pools", "printed": ["1024 MiB"] * 3 + ["0 B"]}
    ]


def test_processes_stand_under_the_index_of_nvml():
    reading = read("GPU:2\nprocess       4242 uses     8123.438 MB GPU memory\n")
    (seen,) = reading.observations
    assert (seen.scope, seen.device_index, seen.marks["pid"]) == ("process", 2, 4242)
    assert seen.value.low <= 8123.438 * (1 << 20) <= seen.value.high
    assert any(text.startswith("nvml_index:") for text in reading.warnings)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (table(stats()), 92),
        ("INFO\n" + table(stats()), 85),
        (table(stats()).partition("Metric")[2], 70),
        ("process       4242 uses     8123.438 MB GPU memory", 60),
        ("Allocations were many\n", 0),
    ],
)
def test_how_sure_it_is(text, score):
    assert MEMBER.accepts(text.encode(), "") == score


def test_a_log_without_a_table_is_refused():
    with pytest.raises(Refused, match="F424"):
        read("| Allocations | none |\n")


@given(st.data())
def test_damage_never_breaks_the_reader(data):
    text = bytearray(table(stats(ooms=1)).encode())
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 90))] = data.draw(st.binary(max_size=5))
        text = text or bytearray(b"|")
    try:
        reading = MEMBER.read(bytes(text), DIGEST)
    except Refused:
        return
    assert all(o.value.low <= o.value.high for o in reading.observations)
