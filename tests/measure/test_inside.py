"""What a whole loop claims: only what ran, together, and did not fail (A3, C7, C8, C11)."""

import json

import pytest
from measure.simulated import MIB, simulated

from fiche.measure.protocol.recorder import recorder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def phases(path):
    return json.loads(path.read_text("utf-8"))["phases"]


def loop(path, *ran, failing=()):
    """A loop of phases (name, dimensions); those of which the place is `failing` raise, and it goes on."""
    with recorder(path, device=simulated()) as rec, rec.whole_loop():
        for place, (name, dimensions) in enumerate(ran):
            try:
                with rec.phase(name) as phase:
                    phase.executed(**dimensions)
                    if place in failing:
                        raise RuntimeError("out of memory")
            except RuntimeError:
                pass
    (told,) = phases(path)
    return told


def forward(batch, tokens):
    return ("forward", {"batch": batch, "tokens": tokens})


def test_dimensions_of_different_parts_stand_beside_each_other(path):
    told = loop(path, ("prefill", {"prompt": 500}), ("decode", {"new": 8, "prompt": 20}))
    assert told["executed"] == {"prompt": 500, "new": 8}
    assert "extra" not in told


def test_the_largest_run_of_a_part_stands(path):
    assert loop(path, forward(4, 512), forward(4, 480), forward(2, 512))["executed"] == {
        "batch": 4,
        "tokens": 512,
    }


def test_dimensions_that_never_ran_together_are_not_claimed(path):
    """1 x 8192 and 8 x 512 tokens ran, never 8 x 8192: a success there covers what nobody tried."""
    told = loop(path, forward(1, 8192), forward(8, 512))
    assert told["executed"] == {"batch": 1, "tokens": 8192}
    assert told["extra"]["executed_apart"] == [
        {"batch": 1, "tokens": 8192},
        {"batch": 8, "tokens": 512},
    ]


def test_another_part_does_not_put_together_what_ran_apart(path):
    told = loop(path, forward(1, 8192), forward(8, 512), ("loss", {"batch": 8}))
    assert told["executed"] == {"batch": 1, "tokens": 8192}


def test_what_the_program_says_of_the_loop_itself_stands(path):
    with recorder(path, device=simulated()) as rec, rec.whole_loop() as around:
        with rec.phase("forward") as phase:
            phase.executed(batch=1)
        around.executed(batch=4)
    assert phases(path)[0]["executed"] == {"batch": 4}


def test_a_loop_that_went_on_after_a_part_had_failed_does_not_cover_it(path):
    """C11: an evaluation that ran out of memory, caught by the program, is no evaluation that fits."""
    told = loop(path, forward(4, 512), ("evaluation", {"batch": 64}), ("export", {}), failing={1})
    assert told["outcome"] == "success"
    assert told["covers"] == ["forward", "export"]
    assert told["executed"] == {"batch": 4, "tokens": 512}
    assert told["extra"]["failed_inside"] == {"evaluation": "RuntimeError: out of memory"}


def test_a_failure_is_not_erased_by_a_later_success(path):
    told = loop(path, forward(8, 512), ("loss", {}), forward(4, 512), failing={0})
    assert told["covers"] == ["loss"]
    assert told["executed"] == {"batch": 4, "tokens": 512}


def test_named_covers_do_not_hide_a_failure_either(path):
    with (
        recorder(path, device=simulated()) as rec,
        rec.whole_loop(covers=["evaluation", "loss"]),
        pytest.raises(RuntimeError),
        rec.phase("evaluation"),
    ):
        raise RuntimeError("out of memory")
    assert phases(path)[0]["covers"] == ["loss"]


def test_a_loop_that_failed_tells_the_dimensions_at_which_it_did(path):
    """A failure covers what is larger: of the failing part the dimensions count too."""

    def run(rec):
        with rec.whole_loop():
            with rec.phase("prefill") as phase:
                phase.executed(prompt=20)
            with rec.phase("decode") as phase:
                phase.executed(prompt=20, new=8)
                raise RuntimeError("out of memory")

    with recorder(path, device=simulated()) as rec, pytest.raises(RuntimeError):
        run(rec)
    (told,) = phases(path)
    assert told["outcome"] == "failure"
    assert told["covers"] == ["prefill", "decode"]
    assert told["executed"] == {"prompt": 20, "new": 8}
    assert told["error"]["extra"]["phase"] == "decode"


def test_a_part_that_never_ended_is_not_covered(path):
    with recorder(path, device=simulated()) as rec, rec.whole_loop():
        rec.phase("stream").begin()
        with rec.phase("decode"):
            pass
    assert phases(path)[0]["covers"] == ["decode"]


def test_many_checks_that_passed_hide_none_that_did_not(path):
    with recorder(path, device=simulated()) as rec, rec.whole_loop():
        for number in range(500):
            with rec.phase("decode") as phase:
                phase.output(number != 400, f"step {number}")
    told = phases(path)[0]["output_check"]
    assert told["passed"] is False


# --- First and later passes -----------------------------------------------------------------------


def test_an_inner_phase_of_the_same_name_is_a_later_pass(path):
    with recorder(path, device=simulated()) as rec, rec.phase("forward"), rec.phase("forward"):
        pass
    assert [told["pass"] for told in phases(path)] == ["first", "later"]


def test_a_loop_inside_a_phase_is_no_first_pass(path):
    """What the phase around it did before came first."""
    with recorder(path, device=simulated()) as rec, rec.phase("job"), rec.whole_loop():
        pass
    assert [told["pass"] for told in phases(path)] == ["first", "later"]


def test_what_an_interrupted_loop_went_through_has_run_before(path):
    with recorder(path, device=simulated()) as rec:
        with pytest.raises(KeyboardInterrupt), rec.whole_loop(), rec.phase("forward"):
            raise KeyboardInterrupt
        with rec.phase("forward"):
            pass
    assert [told["pass"] for told in phases(path)] == ["later"]


# --- Resets that somebody else asks for -----------------------------------------------------------


class Native:
    """As much of PyTorch's native module as is asked here."""

    def __init__(self, device):
        self._device = device
        self.calls = []

    def _cuda_resetPeakMemoryStats(self, index):  # noqa: N802 - PyTorch's name
        self.calls.append(index)
        self._device.peaks = list(self._device.levels)


def watched():
    """A simulated device whose resets go through a native module, as those of PyTorch do."""
    from fiche.measure.protocol.resets import ResetWatch

    machine = simulated()
    device = machine.all[0]
    native = Native(device)
    device.reset_peaks = lambda: native._cuda_resetPeakMemoryStats(0)
    machine.watch_resets = lambda before: ResetWatch(native, before)
    return machine, device, native


def test_a_reset_by_the_program_takes_no_peak_from_a_loop(path):
    """A benchmark that resets between its steps: the loop's peak stays the true one."""
    machine, device, native = watched()
    with recorder(path, device=machine) as rec:
        device.allocate(400 * MIB)
        device.release(400 * MIB)
        with rec.whole_loop():
            device.allocate(100 * MIB)
            device.release(100 * MIB)
            native._cuda_resetPeakMemoryStats(0)
            device.allocate(10 * MIB)
    (told,) = phases(path)[0]["devices"]
    assert told["peak"]["allocated_bytes"] == 100 * MIB, "neither less, nor of what came before"
    assert native.calls == [0, 0]


def test_a_reset_of_another_device_changes_nothing(path):
    machine, device, native = watched()
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        device.calls.clear()
        native._cuda_resetPeakMemoryStats(1)
        assert device.calls == []


def test_two_recorders_in_one_process_keep_each_its_own_peak(tmp_path):
    machine, device, _ = watched()
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    with (
        recorder(one, device=machine) as outer,
        recorder(two, device=machine) as inner,
        outer.whole_loop(),
    ):
        device.allocate(100 * MIB)
        device.release(100 * MIB)
        with inner.phase("forward"):
            device.allocate(10 * MIB)
    assert phases(one)[0]["devices"][0]["peak"]["allocated_bytes"] == 100 * MIB
    assert phases(two)[0]["devices"][0]["peak"]["allocated_bytes"] == 10 * MIB


def test_pytorch_is_left_as_it_was(path):
    machine, _, native = watched()
    with recorder(path, device=machine):
        assert "_cuda_resetPeakMemoryStats" in vars(native)
    kept = native._cuda_resetPeakMemoryStats
    assert kept.__func__ is Native._cuda_resetPeakMemoryStats


def test_a_watch_under_another_one_stays_and_is_silent(path):
    machine, device, native = watched()
    with recorder(path, device=machine):
        below = native._cuda_resetPeakMemoryStats
        above = native._cuda_resetPeakMemoryStats = lambda index: below(index)
    device.calls.clear()
    native._cuda_resetPeakMemoryStats(0)
    assert native._cuda_resetPeakMemoryStats is above
    assert device.calls == []
