"""A peak is never told of what samples cannot show, and no sample of another time counts (C2, C3, C5)."""

import json

import pytest
from measure.simulated import MIB, simulated

from fiche.measure.protocol.levels import DevicePeriod
from fiche.measure.protocol.outside import LONGEST_GAP_NS, Outside
from fiche.measure.protocol.recorder import recorder

MS = 1_000_000


def told(*looks, begin=0):
    """Of looks (used, reserved, ms), the first at the start and the last at the end."""
    outside = Outside()
    outside.watch_from(begin)
    last = len(looks) - 1
    for number, (used, reserved, when) in enumerate(looks):
        where = {0: "start", last: "current"}.get(number, "sampled_max")
        outside.look(used, reserved, where, when * MS)
    return outside.told("nvml_process_used")


def evenly(*levels, every=20):
    return [(level, 0, number * every) for number, level in enumerate(levels)]


def test_growth_that_was_watched_ends_in_its_peak():
    found = told(*evenly(5, 5, 6, 7, 7))
    assert (found["bytes"], found["stat"]) == (7, "peak")
    assert found["how"].endswith("the largest at start, end and 3 samples, at most 20 ms apart")


@pytest.mark.parametrize("num_samples", [0, 1, 2])
def test_a_loop_too_short_for_samples_has_no_peak(num_samples):
    found = told(*evenly(5, *[5] * num_samples, 6))
    assert (found["bytes"], found["stat"]) == (6, "current")
    assert found["how"].endswith(
        "too few samples" if num_samples else "start and end; no peak: no samples"
    )


@pytest.mark.parametrize("gap", ["first", "middle", "last"])
def test_a_loop_that_was_not_watched_for_long_has_no_peak(gap):
    """A thread that got no turn saw nothing: at the start, on the way, or before the end."""
    long = LONGEST_GAP_NS // MS + 1
    times = {
        "first": (0, long, long + 20, long + 40, long + 60),
        "middle": (0, 20, 40, 40 + long, 60 + long),
        "last": (0, 20, 40, 60, 60 + long),
    }[gap]
    found = told(*[(5, 0, when) for when in times])
    assert found["stat"] == "current"
    assert f"at most {long} ms apart; no peak: too long unwatched" in found["how"]


def test_where_a_sample_was_the_largest_it_is_only_that():
    found = told(*evenly(5, 5, 9, 5, 5))
    assert (found["bytes"], found["stat"]) == (9, "sampled_max")


def test_where_the_start_was_the_largest_it_is_only_that():
    found = told(*evenly(9, 5, 5, 5, 5))
    assert (found["bytes"], found["stat"]) == (9, "start")


def test_a_reading_below_the_reserve_is_not_of_this_process():
    """It cannot be: the reserve is a part of what the process holds."""
    looks = evenly(5, 5, 6, 7, 7)
    looks[2] = (6, 8, 40)
    found = told(*looks)
    assert found["stat"] == "current"
    assert "below the reserve" in found["how"]


def test_a_sample_whose_reserve_moved_is_no_look():
    period = DevicePeriod(simulated().all[0])
    period.run()
    for _ in range(5):
        period.sample(900, None)
    period.read_end(lambda device: {"process_device_bytes": (900, "nvml_process_used")})
    entry = period.entry(20)
    assert entry["process_device_bytes"]["sampled_max"] == 900
    assert entry["outside_allocator_bytes"]["stat"] == "current"


# --- Whose sample it is ---------------------------------------------------------------------------


class Stepped:
    """Devices whose process reading calls the test back while it is on its way."""

    def __init__(self, meanwhile):
        self.meanwhile = meanwhile
        self.level = 100

    def __call__(self):
        self.meanwhile()
        return {"process_device_bytes": (self.level, "nvml_process_used")}


def test_a_sample_that_comes_back_after_the_end_is_not_of_the_phase(tmp_path):
    """The tool answered late, with what came after: the phase's largest sample would be too large."""
    path = tmp_path / "m.json"
    machine = simulated()
    rec = recorder(path, device=machine, sample_ms=0)
    phase = rec.phase("forward").begin()
    late = Stepped(lambda: None)
    machine.uses["cuda:0"] = late

    def ended():
        late.meanwhile = lambda: None
        phase.end()
        late.level = 900

    late.meanwhile = ended
    rec._sampler._sample(machine.all[0])
    rec.close()
    (told,) = json.loads(path.read_text("utf-8"))["phases"][0]["devices"]
    assert "sampled_max" not in told["process_device_bytes"]


def test_a_sample_from_before_the_start_is_not_of_the_phase(tmp_path):
    path = tmp_path / "m.json"
    machine = simulated(uses={"cuda:0": {"process_device_bytes": (100, "nvml_process_used")}})
    rec = recorder(path, device=machine, sample_ms=0)
    device = machine.all[0]
    synchronize = device.synchronize

    def sampled_meanwhile():
        rec._sampler._sample(device)
        synchronize()

    device.synchronize = sampled_meanwhile
    phase = rec.phase("forward").begin()
    device.synchronize = synchronize
    phase.end()
    rec.close()
    (told,) = json.loads(path.read_text("utf-8"))["phases"][0]["devices"]
    assert "sampled_max" not in told["process_device_bytes"]


def test_samples_begin_where_the_process_appears_only_with_its_first_work(tmp_path):
    """A tool lists a process once it has a context, which the first synchronization makes."""
    machine = simulated()
    device = machine.all[0]
    synchronize = device.synchronize

    def appears():
        machine.uses["cuda:0"] = {"process_device_bytes": (100, "nvml_process_used")}
        synchronize()

    device.synchronize = appears
    with recorder(tmp_path / "m.json", device=machine, sample_ms=1) as rec:
        assert rec._sampler._thread is None
        with rec.whole_loop():
            assert rec._sampler._thread is not None


def test_a_tool_that_is_stuck_keeps_no_record_back(tmp_path):
    """The record is written, though the thread never comes back."""
    import threading

    machine = simulated(uses={"cuda:0": {"process_device_bytes": (100, "nvml_process_used")}})
    release, stuck = threading.Event(), threading.Event()
    with recorder(tmp_path / "m.json", device=machine, sample_ms=1) as rec:
        rec._sampler.patience_s = 0.05
        with rec.whole_loop():
            told = machine.use

            def use(device):
                if threading.current_thread() is not threading.main_thread():
                    stuck.set()
                    release.wait(30)
                return told(device)

            machine.use = use
            assert stuck.wait(5)
    release.set()
    assert (tmp_path / "m.json").exists()


# --- Peaks that contradict a level ----------------------------------------------------------------


def test_a_peak_below_a_level_of_its_own_period_is_none(tmp_path):
    """Somebody reset the counter unseen: the true peak is at least the level."""
    path = tmp_path / "m.json"
    machine = simulated()
    device = machine.all[0]
    device.allocate(50 * MIB)
    with recorder(path, device=machine) as rec, rec.phase("forward"):
        device.release(40 * MIB)
        device.peaks = list(device.levels)
    (told,) = json.loads(path.read_text("utf-8"))["phases"][0]["devices"]
    assert "allocated_bytes" not in told["peak"]
    assert "below a level" in told["extra"]["unread"]["peak allocated_bytes"]


@pytest.mark.parametrize(
    ("start", "end", "peak"),
    [
        ({"process_device_bytes": 100}, {"process_device_bytes": 100, "peak": 300}, None),
        ({}, {"process_device_bytes": 100, "peak": 300}, 300),
        (
            {"process_device_bytes": 100, "peak": 90},
            {"process_device_bytes": 500, "peak": 300},
            None,
        ),
        (
            {"process_device_bytes": 100, "peak": 90},
            {"process_device_bytes": 200, "peak": 300},
            300,
        ),
    ],
)
def test_a_lifetimes_peak_is_a_phases_only_where_that_is_shown(start, end, peak):
    """An account that could not be read at the start may have risen before; one below a level is behind."""
    period = DevicePeriod(simulated().all[0])
    period.use_start = accounts(start)
    period.run()
    period.read_end(lambda device: accounts(end))
    assert period.entry(20)["process_device_bytes"].get("peak") == peak


def accounts(told):
    names = {"peak": "process_device_peak"}
    return {names.get(key, key): (value, "nvml") for key, value in told.items()}
