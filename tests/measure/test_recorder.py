"""The six steps of C1 in their order, per device; failures kept (C11); nothing filled in (C2)."""

import contextlib
import json
import os

import pytest
from measure.simulated import MIB, SimulatedDevice, SimulatedDevices, simulated

import fiche
from fiche.measure.protocol.recorder import MisusedError, recorder


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


def one(path):
    (phase,) = record(path)["phases"]
    return phase


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def test_the_six_steps_come_in_their_order(path):
    """C1: synchronize, read, reset, run, synchronize, read."""
    machine = simulated()
    with recorder(path, device=machine) as rec, rec.phase("prefill"):
        machine.calls.append(("cuda:0", "run"))
    assert [method for _, method in machine.calls] == [
        "synchronize",
        "allocated",
        "reserved",
        "reset_peaks",
        "run",
        "synchronize",
        "peak_allocated",
        "peak_reserved",
        "allocated",
        "reserved",
    ]


def test_each_device_is_reset_and_read_for_itself(path):
    """C9: all are synchronized before any is read, and all are read before any is reset."""
    machine = simulated(num_devices=2)
    with recorder(path, device=machine) as rec, rec.phase("prefill"):
        machine.all[1].allocate(3 * MIB)
    order = [call for call in machine.calls if call[1] in ("synchronize", "reset_peaks")]
    both = [("cuda:0", "synchronize"), ("cuda:1", "synchronize")]
    assert order == [*both, ("cuda:0", "reset_peaks"), ("cuda:1", "reset_peaks"), *both]
    zero, one_ = one(path)["devices"]
    assert zero["peak"] == {"allocated_bytes": 0, "reserved_bytes": 0}
    assert one_["peak"] == {"allocated_bytes": 3 * MIB, "reserved_bytes": 4 * MIB}


def test_peaks_are_absolute_and_levels_are_kept_beside_them(path):
    """C3: a peak includes what was there at the start; no difference is written."""
    machine = simulated()
    device = machine.all[0]
    device.allocate(10 * MIB)
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        device.allocate(6 * MIB)
        device.release(6 * MIB)
    (told,) = one(path)["devices"]
    assert told["start"]["allocated_bytes"] == 10 * MIB
    assert told["peak"]["allocated_bytes"] == 16 * MIB
    assert told["end"] == {"allocated_bytes": 10 * MIB, "reserved_bytes": 16 * MIB}


def test_a_phase_leaves_no_trace_of_an_earlier_peak(path):
    machine = simulated()
    device = machine.all[0]
    with recorder(path, device=machine) as rec:
        with rec.phase("load"):
            device.allocate(64 * MIB)
            device.release(60 * MIB)
        with rec.phase("decode"):
            pass
    load, decode = record(path)["phases"]
    assert load["devices"][0]["peak"]["allocated_bytes"] == 64 * MIB
    assert decode["devices"][0]["peak"]["allocated_bytes"] == 4 * MIB


def test_an_inner_phase_takes_no_peak_from_the_outer_one(path):
    """The outer peak is the largest over its parts, though the inner phase reset the counter."""
    machine = simulated()
    device = machine.all[0]
    with recorder(path, device=machine) as rec, rec.phase("first_step"):
        device.allocate(100 * MIB)
        device.release(90 * MIB)
        with rec.phase("forward"):
            device.allocate(20 * MIB)
            device.release(20 * MIB)
        device.allocate(40 * MIB)
        device.release(40 * MIB)
    step, forward = record(path)["phases"]
    assert forward["parent"] == step["index"]
    assert step["devices"][0]["peak"]["allocated_bytes"] == 100 * MIB
    assert forward["devices"][0]["peak"]["allocated_bytes"] == 30 * MIB


@pytest.mark.parametrize(("inner", "after"), [(200, 10), (10, 200), (5, 5)])
def test_the_outer_peak_is_where_it_was_largest(path, inner, after):
    machine = simulated()
    device = machine.all[0]
    with recorder(path, device=machine) as rec, rec.phase("outer"):
        device.allocate(50 * MIB)
        device.release(50 * MIB)
        with rec.phase("middle"), rec.phase("inner"):
            device.allocate(inner * MIB)
            device.release(inner * MIB)
        device.allocate(after * MIB)
        device.release(after * MIB)
    outer, middle, _ = record(path)["phases"]
    assert outer["devices"][0]["peak"]["allocated_bytes"] == max(50, inner, after) * MIB
    assert middle["devices"][0]["peak"]["allocated_bytes"] == inner * MIB


def test_an_outer_peak_is_unknown_once_a_part_of_it_was_not_read(path):
    """C2: what was lost is not interpolated from the parts that are left."""
    machine = simulated()
    machine.all[0].fail("peak_allocated", 0, RuntimeError("no such counter"))
    with recorder(path, device=machine) as rec, rec.phase("outer"), rec.phase("inner"):
        pass
    outer, inner = record(path)["phases"]
    assert "allocated_bytes" not in outer["devices"][0]["peak"]
    assert "reserved_bytes" in outer["devices"][0]["peak"]
    assert "allocated_bytes" in inner["devices"][0]["peak"]


def test_a_whole_loop_neither_synchronizes_nor_resets_inside(path):
    """C8: the same code, un-phased; phases inside give it their names and what they executed."""
    machine = simulated()
    with recorder(path, device=machine) as rec, rec.whole_loop("serve", new_tokens=8):
        begun = len(machine.calls)
        with rec.phase("prefill", prompt_tokens=512) as phase:
            phase.executed(prompt_tokens=500)
        with rec.phase("decode") as phase:
            phase.executed(new_tokens=8, prompt_tokens=20)
        assert len(machine.calls) == begun
    loop = one(path)
    assert loop["ordering"] == "whole_loop"
    assert loop["covers"] == ["prefill", "decode"]
    assert loop["executed"] == {"prompt_tokens": 500, "new_tokens": 8}
    assert loop["declared"] == {"new_tokens": 8, "prompt_tokens": 512}


def test_first_and_later_passes_are_told_apart(path):
    """C7: a whole loop is a first pass only where nothing ran before it."""
    with recorder(path, device=simulated()) as rec:
        for _ in range(2):
            with rec.phase("forward"):
                pass
        with rec.whole_loop():
            pass
    assert [phase["pass"] for phase in record(path)["phases"]] == ["first", "later", "later"]


def test_phases_that_a_whole_loop_went_through_are_later_ones(path):
    with recorder(path, device=simulated()) as rec:
        with rec.whole_loop(), rec.phase("forward"):
            pass
        with rec.phase("forward"):
            pass
    assert [phase["pass"] for phase in record(path)["phases"]] == ["first", "later"]


def test_declared_and_executed_are_two_fields_and_neither_fills_the_other(path):
    """A3: what the program does not say it executed is not known."""
    with recorder(path, device=simulated()) as rec, rec.phase("prefill", prompt_tokens=512):
        pass
    assert one(path)["declared"] == {"prompt_tokens": 512}
    assert "executed" not in one(path)


# --- Failures -------------------------------------------------------------------------------------


class OutOfMemoryError(RuntimeError):
    pass


OutOfMemoryError.__module__ = "torch"
MESSAGE = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB"


@pytest.mark.parametrize("at", ["model_load", "inputs", "prefill", "decode"])
def test_a_failure_is_kept_with_its_phase_and_last_values_and_raised_again(path, at):
    """C11: in each phase; the phases before it stand, and none comes after it."""
    machine = simulated()
    names = ["model_load", "inputs", "prefill", "decode"]

    def run(rec):
        for name in names:
            with rec.phase(name, prompt_tokens=512):
                machine.all[0].allocate(8 * MIB)
                if name == at:
                    raise OutOfMemoryError(MESSAGE)

    with recorder(path, device=machine) as rec, pytest.raises(OutOfMemoryError):
        run(rec)
    phases = record(path)["phases"]
    assert [phase["name"] for phase in phases] == names[: names.index(at) + 1]
    assert [phase["outcome"] for phase in phases[:-1]] == ["success"] * (len(phases) - 1)
    last = phases[-1]
    assert last["outcome"] == "failure"
    assert last["error"] == {
        "type": "torch.OutOfMemoryError",
        "message": MESSAGE,
        "surfaced": "in_phase",
    }
    assert last["declared"] == {"prompt_tokens": 512}
    assert last["devices"][0]["end"]["allocated_bytes"] == len(phases) * 8 * MIB


def test_an_error_of_the_synchronization_is_the_phases_own(path):
    machine = simulated()
    machine.all[0].fail("synchronize", 1, RuntimeError("CUDA error: an illegal memory access"))
    with (
        pytest.raises(RuntimeError, match="illegal memory access"),
        recorder(path, device=machine) as rec,
        rec.phase("forward"),
    ):
        pass
    assert one(path)["outcome"] == "failure"
    assert one(path)["error"]["surfaced"] == "at_end"


def test_an_asynchronous_error_that_surfaces_one_phase_later_is_said_to(path):
    """The phase that it hit did not run: earlier work failed, and the finished phase stands as read."""
    machine = simulated()
    machine.all[0].fail("synchronize", 2, RuntimeError("CUDA error: device-side assert triggered"))
    with recorder(path, device=machine) as rec:
        with rec.phase("forward"):
            pass
        with pytest.raises(RuntimeError, match="device-side"), rec.phase("backward"):
            raise AssertionError("never reached")
    forward, backward = record(path)["phases"]
    assert forward["outcome"] == "success"
    assert backward["outcome"] == "failure"
    assert backward["error"]["surfaced"] == "at_start"
    assert "duration_ns" not in backward
    assert "peak" not in backward["devices"][0]


def test_a_lost_device_leaves_no_number(path):
    """C2: every call fails, so every reading is absent and none is zero."""
    machine = simulated()
    lost = RuntimeError("CUDA error: device lost")
    methods = ("synchronize", "allocated", "reserved", "peak_allocated", "peak_reserved")
    with recorder(path, device=machine) as rec:
        with rec.phase("forward"):
            pass
        backward = rec.phase("backward").begin()
        for method in methods:
            machine.all[0].fail(method, machine.all[0].counts[method], lost)
        backward.fail(RuntimeError("work stopped"))
    backward = record(path)["phases"][1]
    (told,) = backward["devices"]
    assert "peak" not in told
    assert "end" not in told
    assert told["start"]["allocated_bytes"] == 0
    assert set(told["extra"]["unread"]) == {"allocated_bytes", "reserved_bytes"}


def test_counters_that_are_not_there_are_absent(path):
    machine = simulated()
    for nth in range(2):
        machine.all[0].fail("reserved", nth, NotImplementedError("not in this backend"))
    machine.all[0].fail("peak_reserved", 0, NotImplementedError("not in this backend"))
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        pass
    (told,) = one(path)["devices"]
    assert told["start"] == told["end"] == told["peak"] == {"allocated_bytes": 0}


def test_a_peak_that_could_not_be_reset_is_not_the_phases(path):
    machine = simulated()
    machine.all[0].allocate(90 * MIB)
    machine.all[0].fail("reset_peaks", 0, RuntimeError("not supported"))
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        pass
    assert "peak" not in one(path)["devices"][0]


def test_a_failure_inside_a_whole_loop_names_the_phase(path):
    with (
        pytest.raises(OutOfMemoryError),
        recorder(path, device=simulated()) as rec,
        rec.whole_loop(),
        rec.phase("decode"),
    ):
        raise OutOfMemoryError(MESSAGE)
    assert one(path)["error"]["extra"] == {"phase": "decode"}


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_is_neither_success_nor_failure(path, interruption):
    with recorder(path, device=simulated()) as rec:
        with rec.phase("forward"):
            pass
        with pytest.raises(interruption), rec.phase("backward"):
            raise interruption
    found = record(path)
    assert [phase["name"] for phase in found["phases"]] == ["forward"]
    assert [phase["name"] for phase in found["unfinished"]] == ["backward"]


# --- Duration, output, inputs ---------------------------------------------------------------------


def test_a_check_runs_once_the_phase_has_been_read(path):
    """C14: checking may take memory of its own, which is not the phase's."""
    machine = simulated()

    def finite(output):
        machine.all[0].allocate(500 * MIB)
        return output == 3

    with recorder(path, device=machine) as rec:

        @rec.phase("forward", check=finite)
        def forward(value):
            return value + 1

        assert forward(2) == 3
        assert forward(3) == 4
    right, wrong = record(path)["phases"]
    assert right["output_check"] == {"status": "checked", "passed": True, "method": "finite"}
    assert wrong["output_check"]["passed"] is False
    assert right["devices"][0]["peak"]["allocated_bytes"] == 0
    assert wrong["pass"] == "later"
    assert right["duration_ns"] > 0


def test_a_check_that_raises_has_not_passed(path):
    def broken(output):
        raise ValueError("no such reference")

    with recorder(path, device=simulated()) as rec, rec.phase("forward", check=broken) as phase:
        phase.result(1)
    told = one(path)["output_check"]
    assert told["passed"] is False
    assert "ValueError: no such reference" in told["method"]


def test_what_nobody_checked_is_said_to_be_unchecked(path):
    with recorder(path, device=simulated()) as rec, rec.phase("forward"):
        pass
    assert one(path)["output_check"] == {"status": "not_checked"}


class Tensor:
    def __init__(self, *shape):
        self.shape = shape
        self.dtype = "torch.bfloat16"


def test_shapes_and_dtypes_are_read_off_the_tensors(path):
    with recorder(path, device=simulated()) as rec, rec.phase("prefill") as phase:
        phase.saw(batch={"input_ids": Tensor(4, 500)}, past=[Tensor(4, 8), 7], note="text")
    assert [(t["name"], t["shape"], t["dtype"]) for t in one(path)["tensors"]] == [
        ("batch.input_ids", [4, 500], "bfloat16"),
        ("past.0", [4, 8], "bfloat16"),
    ]


def test_by_hand_is_the_same_as_with_with(path):
    machine = simulated()
    rec = recorder(path, device=machine)
    phase = rec.phase("forward").begin()
    machine.all[0].allocate(2 * MIB)
    phase.end()
    failed = rec.phase("backward").begin()
    failed.fail(ValueError("no"))
    assert rec.close() == path
    assert [phase["outcome"] for phase in record(path)["phases"]] == ["success", "failure"]


# --- Use of the device outside the allocator ------------------------------------------------------


def uses(process, others=0, peak=None):
    told = {
        "process_device_bytes": (process, "nvml_process_used"),
        "other_processes_bytes": (others, "nvml_other_processes_used"),
        "free_bytes": (1000 * MIB - process, "nvml_free"),
    }
    if peak is not None:
        told["process_device_peak"] = (peak, "nvml_accounting_max_memory_usage")
    return told


def changing(*answers):
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_wider_scopes_keep_their_names(path):
    """C5: what the process holds, what others hold and what is free, each by its counter."""
    machine = simulated(uses={"cuda:0": changing(uses(300 * MIB, 5), uses(400 * MIB, 7))})
    with recorder(path, device=machine, sample_ms=0) as rec, rec.phase("forward"):
        machine.all[0].allocate(100 * MIB)
    (told,) = one(path)["devices"]
    assert told["process_device_bytes"] == {
        "counter": "nvml_process_used",
        "start": 300 * MIB,
        "end": 400 * MIB,
    }
    assert told["outside_allocator_bytes"]["bytes"] == 300 * MIB
    assert told["outside_allocator_bytes"]["stat"] == "current"
    assert told["other_processes_bytes"] == {"bytes": 7, "counter": "nvml_other_processes_used"}
    assert told["free_bytes"]["bytes"] == 600 * MIB


def test_without_samples_the_part_outside_is_no_peak(path):
    machine = simulated(uses={"cuda:0": uses(300 * MIB)})
    with recorder(path, device=machine, sample_ms=0) as rec, rec.whole_loop():
        pass
    assert one(path)["devices"][0]["outside_allocator_bytes"]["stat"] == "current"


def watched(path, num_samples, levels, sample_ms=1):
    """The part outside, where the process held one level after the other, each looked at so often."""
    now = {"level": levels[0]}
    machine = simulated(uses={"cuda:0": lambda: uses(now["level"] * MIB)})
    with recorder(path, device=machine, sample_ms=sample_ms) as rec, rec.whole_loop():
        (period,) = rec._periods_of(machine.all[0])
        for level in levels[1:]:
            now["level"] = level
            wait_for(lambda level=level: (period.sampled or 0) >= level * MIB)
            more = period.outside.num_samples + num_samples
            wait_for(lambda more=more: period.outside.num_samples >= more)
    return one(path)["devices"][0]


def test_samples_that_watched_it_grow_make_the_last_level_a_peak(path):
    told = watched(path, 3, (300, 310, 400))
    assert told["process_device_bytes"]["sampled_max"] == 400 * MIB
    assert told["process_device_bytes"]["period_ms"] == 1
    assert "peak" not in told["process_device_bytes"]
    outside = told["outside_allocator_bytes"]
    assert (outside["bytes"], outside["stat"]) == (400 * MIB, "peak")
    assert "ms apart" in outside["how"]


def test_a_part_outside_that_fell_has_no_peak(path):
    """Somebody frees there, so that it may have been larger between two samples: the largest seen stands."""
    now = {"level": 300}
    machine = simulated(uses={"cuda:0": lambda: uses(now["level"] * MIB)})
    with recorder(path, device=machine, sample_ms=1) as rec, rec.whole_loop():
        (period,) = rec._periods_of(machine.all[0])
        now["level"] = 900
        wait_for(lambda: period.sampled == 900 * MIB)
        wait_for(lambda: period.outside.num_samples >= 5)
        now["level"] = 310
    outside = one(path)["devices"][0]["outside_allocator_bytes"]
    assert (outside["bytes"], outside["stat"]) == (900 * MIB, "sampled_max")
    assert "fell" in outside["how"]


def wait_for(condition):
    import time

    for _ in range(2000):
        if condition():
            return
        time.sleep(0.001)
    raise AssertionError("no sample came")


@pytest.mark.parametrize(("before", "after", "peak"), [(0, 700, 700), (700, 700, None)])
def test_a_lifetimes_peak_is_a_phases_where_it_rose(path, before, after, peak):
    """NVML's accounts run over the process's life: one that did not rise belongs to earlier work."""
    answers = changing(uses(10, peak=before), uses(600, peak=after))
    machine = simulated(uses={"cuda:0": answers})
    with recorder(path, device=machine, sample_ms=0) as rec, rec.whole_loop():
        pass
    assert one(path)["devices"][0]["process_device_bytes"].get("peak") == peak


def test_a_tool_that_fails_leaves_its_readings_out(path):
    def broken():
        raise OSError("no such library")

    with (
        recorder(path, device=simulated(uses={"cuda:0": broken})) as rec,
        rec.phase("forward"),
    ):
        pass
    (told,) = one(path)["devices"]
    assert set(told) == {"device", "start", "peak", "end"}


# --- The series -----------------------------------------------------------------------------------


def test_a_record_says_which_series_it_is(path):
    with recorder(
        path,
        device=simulated(),
        workload={"operation": "training"},
        case="limit",
        warmups=2,
        empty_cache="between_repeats",
        run="7",
        plan={"kind": "vary", "index": 0, "variable": "batch", "value": "2"},
    ) as rec:
        with rec.phase("forward"):
            pass
        assert rec.path == path
    found = record(path)
    assert found["series"]["id"] == "m"
    assert found["series"]["run"] == "7"
    assert found["series"]["plan"]["variable"] == "batch"
    assert found["series"]["process"]["protocol"] == "one fresh process per series"
    assert found["series"]["empty_cache"] == "between_repeats"
    assert found["phases"][0]["case"] == "limit"


def test_a_running_process_is_no_fresh_one(path):
    """C7: five loops in one process and five processes are different protocols."""
    with recorder(path, device=simulated(fresh=False)):
        pass
    assert "fresh" not in record(path)["series"]["process"]["protocol"]


def test_a_word_that_no_record_has_is_refused(path):
    with pytest.raises(TypeError, match="wramups"):
        recorder(path, device=simulated(), wramups=2)
    assert list(path.parent.iterdir()) == []


def test_each_rank_writes_a_record_of_its_own(path, monkeypatch):
    """C9: m-rank1.json, with its place among the ranks."""
    for name, value in {
        "RANK": "1",
        "WORLD_SIZE": "4",
        "LOCAL_RANK": "1",
        "GROUP_RANK": "0",
    }.items():
        monkeypatch.setenv(name, value)
    with recorder(path, device=simulated()) as rec:
        pass
    assert rec.path.name == "m-rank1.json"
    assert record(rec.path)["series"]["rank"] == {
        "rank": 1,
        "world": 4,
        "local_rank": 1,
        "node": "0",
    }


def test_a_record_without_a_name_takes_a_new_one(tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_RUN_FOLDER", str(tmp_path))
    monkeypatch.setenv("FICHE_RUN_ID", "run 9")
    paths = []
    for _ in range(2):
        with recorder(device=simulated()) as rec:
            paths.append(rec.path)
    assert len(set(paths)) == 2
    assert {record(each)["series"]["run"] for each in paths} == {"run-9"}


def test_a_phase_that_is_not_the_running_one_cannot_end(path):
    with recorder(path, device=simulated()) as rec:
        outer = rec.phase("outer").begin()
        inner = rec.phase("inner").begin()
        with pytest.raises(MisusedError, match="outer"):
            outer.end()
        inner.end()
        outer.end()


def test_a_closed_record_takes_no_phase(path):
    with recorder(path, device=simulated()) as rec:
        pass
    with pytest.raises(MisusedError, match="closed"):
        rec.phase("late").begin()


def test_a_forked_child_adds_nothing(path):
    with recorder(path, device=simulated()) as rec:
        child = os.fork()
        if child == 0:
            try:
                rec.phase("forked").begin()
            except MisusedError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert record(path)["phases"] == []


def test_the_recorder_is_at_hand_under_the_packages_name():
    assert fiche.recorder is recorder


def test_rocm_and_xpu_go_the_same_way(path):
    """D8: ROCm's devices are called cuda, XPU's xpu; the backend is named."""
    machine = SimulatedDevices([SimulatedDevice(kind="xpu")], backend="xpu")
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        pass
    assert record(path)["environment"]["backend"] == "xpu"
    assert one(path)["devices"][0]["device"] == "xpu:0"


def test_further_words_stand_beside_a_phase_and_are_no_readings(path):
    """A plan of the program, say: kept, and compared with nothing. A whole loop keeps those of its parts."""
    machine = simulated()
    with recorder(path, device=machine) as rec:
        with rec.phase("profile") as phase:
            phase.note(planned={"kv_cache_bytes": 7})
        with rec.whole_loop("loop"), rec.phase("profile") as phase:
            phase.note(planned={"kv_cache_bytes": 8})
    phased, loop = record(path)["phases"]
    assert phased["extra"] == {"planned": {"kv_cache_bytes": 7}}
    assert loop["extra"] == {"planned": {"kv_cache_bytes": 8}}


@pytest.mark.parametrize(
    ("variables", "run"),
    [
        ({}, None),
        ({"TORCHELASTIC_RUN_ID": "none"}, None),
        ({"TORCHELASTIC_RUN_ID": "job 7"}, "job-7"),
        ({"TORCHELASTIC_RUN_ID": "job 7", "FICHE_RUN_ID": "nightly"}, "nightly"),
    ],
)
def test_a_record_joins_the_run_around_it(path, monkeypatch, variables, run):
    """Ranks of one torchrun share an id, without which their records cannot be put together."""
    for name in ("TORCHELASTIC_RUN_ID", "FICHE_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with recorder(path, device=simulated()):
        pass
    assert record(path)["series"].get("run") == run


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ('{"kind": "campaign", "index": 3, "of": 18}', {"kind": "campaign", "index": 3, "of": 18}),
        ('{"kind": "guess", "index": 3}', None),
        ("[1]", None),
        ("{", None),
    ],
)
def test_a_campaigns_job_knows_its_place(path, monkeypatch, text, plan):
    """What is no plan is nobody's: a stray variable spoils no record."""
    monkeypatch.setenv("FICHE_PLAN", text)
    with recorder(path, device=simulated()):
        pass
    assert record(path)["series"].get("plan") == plan


def test_a_loop_fails_in_the_part_that_it_did_not_get_over(path):
    """C11: the first failure was caught, and the loop went on to another part."""
    with recorder(path, device=simulated()) as rec:
        loop = rec.whole_loop().begin()
        for name in ("prefill", "decode"):
            with contextlib.suppress(OutOfMemoryError), rec.phase(name), rec.phase(f"{name}_inner"):
                raise OutOfMemoryError(MESSAGE)
        loop.fail(OutOfMemoryError(MESSAGE))
    assert one(path)["error"]["extra"] == {"phase": "decode_inner"}
