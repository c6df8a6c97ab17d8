"""torchtitan's lines about memory (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, facts, ranks, read, refusal, seen, told

from fiche.importers.torchtitan_log import MEMBER

FRONT = "[rank0]:[titan] 2025-04-02 18:19:51,377 - root - "
LOG = f"""{FRONT}INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory
{FRONT}INFO - CUDA memory usage for model: 4.03GiB(5.09%)
{FRONT}INFO - step:  1  loss: 12.24418  grad_norm:  1.2210  memory: 58.62GiB(74.10%)  tps: 1,203
{FRONT}INFO - validate step: 10  loss:  9.8711  memory: 71.42GiB(90.28%)  tps: 7,318
"""
STEP = (
    f"{FRONT}INFO - \x1b[31mstep: 10  \x1b[32mloss:  9.87121  \x1b[38;2;54;234;195mmemory: 71.42GiB(90.28%)  "
    "\x1b[34mtps: 7,318\x1b[39m\n"
)


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_capacity_model_and_steps(damage):
    reading = read(MEMBER, damage(LOG))
    assert seen(reading) == [
        ("device.total_memory", "total", "79.11GiB"),
        ("model_memory", "current", "4.03GiB"),
        ("reserved_bytes", "peak", "58.62GiB"),
        ("reserved_bytes", "peak", "71.42GiB"),
    ]
    assert reading.backend == "cuda"
    assert ranks(reading) == {0}
    assert [o.marks["step"] for o in reading.observations[2:]] == [1, 10]
    assert [o.label for o in reading.observations[2:]] == ["", "validate"]


@pytest.mark.parametrize("escape", ["", "^[", "#033", "\\u001b", "\\x1b", "\\033", "\u241b"])
def test_colours_as_viewers_and_daemons_write_them(escape):
    (step,) = read(MEMBER, STEP.replace("\x1b", escape)).observations
    assert (step.value.text, step.marks["step"]) == ("71.42GiB", 10)


def test_a_steps_peak_holds_since_the_line_before():
    (step,) = read(MEMBER, STEP).observations
    assert (step.window, step.marks["step"]) == ("since_previous_line", 10)


def test_the_card_is_named_and_its_total_is_a_capacity():
    reading = read(MEMBER, LOG)
    (capacity,) = reading.capacities
    assert (capacity.counter, capacity.device_name) == (
        "torch_total_memory",
        "NVIDIA H100 80GB HBM3",
    )
    assert facts(reading)["device"] == "NVIDIA H100 80GB HBM3"


def test_the_framework_calls_other_makers_devices_cuda_too():
    reading = read(MEMBER, LOG.replace("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X"))
    assert reading.backend == "rocm"


def test_a_count_of_failed_allocations_is_one_failure():
    line = f"{FRONT}WARNING - 3 CUDA OOM errors thrown.\n"
    reading = read(
        MEMBER, LOG + line + line + f"{FRONT}WARNING - 2 CUDA memory allocation retries.\n"
    )
    (failure,) = reading.failures
    assert (failure.message_kind, failure.count, failure.rank) == ("oom_counter", 3, 0)
    assert (failure.memory, failure.backend, failure.pointer.line) == ("device", "cuda", 5)
    assert reading.duplicate_messages == 1
    assert reading.counters == {"num_ooms": 3, "num_alloc_retries": 2}


def test_each_rank_counts_for_itself():
    line = f"{FRONT}WARNING - 1 CUDA OOM errors thrown.\n"
    reading = read(MEMBER, line + line.replace("rank0", "rank1"))
    assert [failure.rank for failure in reading.failures] == [0, 1]
    assert reading.counters["num_ooms"] == 2


def test_ranks_that_all_print():
    reading = read(MEMBER, LOG + LOG.replace("rank0", "rank1"))
    assert ranks(reading) == {0, 1}
    assert not told(reading, "rank_0_only")
    assert told(read(MEMBER, LOG), "rank_0_only")


def test_older_versions():
    text = (
        "2024-07-24 12:00:00,000 - root - INFO - GPU capacity: NVIDIA H100 (3) with 95.04GiB memory\n"
        "2024-10-03 16:44:28,481 - root - INFO - step:  1  loss: 10.8235  memory: 26.73GiB(60.17%)  wps: 9\n"
    )
    reading = read(MEMBER, text)
    assert (reading.observations[0].device_index, reading.backend) == (3, None)
    assert seen(reading)[1] == ("reserved_bytes", "peak", "26.73GiB")


@pytest.mark.parametrize(
    ("mesh", "told_so"),
    [
        (
            "parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1",
            {"tensor": "2", "pipeline": "2", "context": "1", "expert": "1", "data": "4"},
        ),
        ("['dp_shard', 'tp'], [4, 2]", {"tensor": "2", "data": "4"}),
    ],
)
def test_the_mesh_compares_with_a_fiche(mesh, told_so):
    start = "Building" if "=" in mesh else "Building 2-D"
    text = (
        f"{FRONT}INFO - {start} device mesh with {mesh}\n{FRONT}INFO - Applied FSDP to the model\n"
    )
    told_facts = facts(read(MEMBER, text + LOG))
    assert {k: v for k, v in told_facts.items() if k.endswith("_parallel")} == {
        f"placement.{way}_parallel": size for way, size in told_so.items()
    }
    assert told_facts["placement.sharding"] == "fsdp"
    assert told_facts["placement.devices"] == ("16" if "=" in mesh else "8")


def test_a_mesh_with_what_is_left_tells_no_counts():
    text = f"{FRONT}INFO - Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=-1, tp=1\n"
    assert "placement.devices" not in facts(read(MEMBER, text + LOG))


def test_a_long_run_stays_bounded():
    text = "".join(
        LOG.splitlines(keepends=True)[2].replace("step:  1", f"step: {n}") for n in range(900)
    )
    reading = read(MEMBER, text)
    assert len(reading.observations) == 201
    assert reading.observations[-1].marks["left_out"] == 699
    assert reading.further["series"] == {"reserved_bytes": 900}


def test_a_log_without_these_lines():
    assert refusal(MEMBER, "[titan] - root - INFO - Training completed\n") == "F424"
