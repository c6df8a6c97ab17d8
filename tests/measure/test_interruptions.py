"""An interruption at any step, and ends in the wrong place: nothing false, nothing unreadable (C1, C2, C11)."""

import gc
import json
import os
import threading

import pytest
from measure.simulated import MIB, SimulatedDevice, SimulatedDevices, simulated

from fiche.importers.fiche_record import read
from fiche.measure.protocol import journal as module
from fiche.measure.protocol.journal import journal_of
from fiche.measure.protocol.recorder import MisusedError, recorder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def record(path):
    return json.loads(path.read_text("utf-8"))


def names(path):
    """Finished and unfinished phases."""
    found = record(path)
    return (
        [phase["name"] for phase in found["phases"]],
        [phase["name"] for phase in found.get("unfinished", ())],
    )


# The true peak of allocated memory of each phase of `program`, by the order in which it begins.
PEAKS = {"model_load": 10, "outer": 105, "inner": 25, "loop": 35, "last": 6}


def work(device, amount):
    device.allocate(amount * MIB)
    device.release(amount * MIB)


def program(rec, device, goes_on):
    """Phases, one inside another, a loop; an interruption of an inner one may be swallowed."""
    with rec.phase("model_load") as phase:
        device.allocate(10 * MIB)
        device.release(5 * MIB)
        phase.executed(batch=1)
    with rec.phase("outer"):
        work(device, 100)
        try:
            with rec.phase("inner") as phase:
                work(device, 20)
                phase.executed(batch=1)
        except KeyboardInterrupt:
            if not goes_on:
                raise
        work(device, 40)
    with rec.whole_loop("loop"), rec.phase("prefill") as phase:
        work(device, 30)
        phase.executed(batch=1)
    with rec.phase("last"):
        work(device, 1)


def judged(path, kept=None):
    """What stands there can be read, and no peak differs from the true one."""
    found = record(path)
    for form in (path.read_bytes(), kept):
        if form is not None:
            read(form, "0" * 64)
    for phase in found["phases"]:
        assert phase["outcome"] == "success"
        peak = phase["devices"][0].get("peak", {}).get("allocated_bytes")
        assert peak in (None, PEAKS[phase["name"]] * MIB), phase
    indexes = [phase["index"] for phase in (*found["phases"], *found.get("unfinished", ()))]
    assert len(indexes) == len(set(indexes))
    return found


def num_calls(path):
    machine = simulated()
    with recorder(path, device=machine) as rec:
        program(rec, machine.all[0], goes_on=False)
    for name, peak in PEAKS.items():
        (phase,) = [one for one in record(path)["phases"] if one["name"] == name]
        assert phase["devices"][0]["peak"]["allocated_bytes"] == peak * MIB
    return len(machine.calls)


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_interruption_at_any_call_of_the_device(tmp_path, goes_on):
    """Ctrl-C in front of each call in turn: the phase that it hit is unfinished, and no number is wrong."""
    for nth in range(num_calls(tmp_path / "whole.json")):
        path = tmp_path / f"{nth}.json"
        machine = simulated()
        device = machine.all[0]
        interrupt(device, nth)
        kept = None
        try:
            with recorder(path, device=machine) as rec:
                try:
                    program(rec, device, goes_on)
                finally:
                    kept = journal_of(path).read_bytes()
        except KeyboardInterrupt:
            assert True
        found = judged(path, kept)
        assert found.get("unfinished"), nth
        assert all("peak" in phase["devices"][0] for phase in found["phases"])
        if not goes_on:
            finished, left = names(path)
            assert len({*finished, *left}) == len(finished) + len(left)


def interrupt(device, nth):
    call = device._call

    def counted(method):
        if len(device.calls) == nth:
            device.calls.append((device.name, "interrupted"))
            raise KeyboardInterrupt
        call(method)

    device._call = counted


@pytest.mark.parametrize("function", ["write", "fsync"])
def test_an_interruption_at_any_write(tmp_path, monkeypatch, function):
    """Before or after the line is on disk: it stands whole, or not at all, and once."""
    for nth in range(2, 40):
        for late in (False, True):
            path = tmp_path / f"{nth}{late}.json"
            machine = simulated()
            with monkeypatch.context() as patch:
                patch.setattr(os, function, interrupting(getattr(os, function), nth, late))
                kept = None
                try:
                    with recorder(path, device=machine) as rec:
                        try:
                            program(rec, machine.all[0], goes_on=True)
                        finally:
                            kept = journal_of(path).read_bytes()
                except KeyboardInterrupt:
                    pass
            if path.exists():
                judged(path, kept)
            elif kept is not None:
                read(journal_of(path).read_bytes(), "0" * 64)


def interrupting(call, nth, late):
    count = {"calls": 0}

    def interrupted(*arguments):
        count["calls"] += 1
        here = count["calls"] == nth
        if here and not late:
            raise KeyboardInterrupt
        done = call(*arguments)
        if here:
            raise KeyboardInterrupt
        return done

    return interrupted


def test_an_interruption_keeps_its_way_through_phases_around(path):
    """None of them answers with an error of its own: Ctrl-C stays Ctrl-C."""
    machine = simulated()
    device = machine.all[0]
    with recorder(path, device=machine) as rec:
        interrupt(device, 22)  # the inner phase's end
        with pytest.raises(KeyboardInterrupt), rec.phase("a"), rec.phase("b"), rec.phase("c"):
            pass
        with rec.phase("d"):
            pass
    assert names(path)[0][-1] == "d"
    assert "parent" not in record(path)["phases"][-1]


def test_an_interrupted_check_costs_no_phase_that_was_read(path):
    def stopped(value):
        raise KeyboardInterrupt

    with (
        recorder(path, device=simulated()) as rec,
        pytest.raises(KeyboardInterrupt),
        rec.phase("forward", check=stopped) as phase,
    ):
        phase.result(1)
    (told,) = record(path)["phases"]
    assert (told["outcome"], told["output_check"]) == ("success", {"status": "not_checked"})


def test_a_line_half_written_by_an_interruption_is_taken_back(path, monkeypatch):
    whole = module._write_whole
    count = {"lines": 0}

    def torn(file, content):
        count["lines"] += 1
        if count["lines"] == 3:
            whole(file, content[: len(content) // 2])
            raise KeyboardInterrupt
        whole(file, content)

    monkeypatch.setattr(module, "_write_whole", torn)
    with recorder(path, device=simulated()) as rec:
        with pytest.raises(KeyboardInterrupt), rec.phase("forward"):
            pass
        with rec.phase("backward"):
            pass
        lines = journal_of(path).read_bytes().splitlines()
        assert [json.loads(line)["event"] for line in lines] == [
            "header",
            "phase_start",
            "phase_end",  # of the phase that had ended: written before the next one starts
            "phase_start",
            "phase_end",
        ]


# --- Ends in the wrong place ----------------------------------------------------------------------


def phase_in_a_generator(rec, name):
    with rec.phase(name):
        yield 1
        yield 2


def test_a_generator_that_is_closed_early_leaves_its_phase_unfinished(path):
    machine = simulated()
    with recorder(path, device=machine) as rec:
        left = phase_in_a_generator(rec, "stream")
        next(left)
        with rec.phase("decode"):
            work(machine.all[0], 30)
            left.close()
        with rec.phase("after"):
            pass
    assert names(path) == (["decode", "after"], ["stream"])
    decode, after = record(path)["phases"]
    assert decode["devices"][0]["peak"]["allocated_bytes"] == 30 * MIB
    assert "parent" not in after
    read(path.read_bytes(), "0" * 64)


def test_a_generator_that_nobody_closes_is_unfinished_and_harms_no_other(path):
    with recorder(path, device=simulated()) as rec:
        left = phase_in_a_generator(rec, "stream")
        next(left)
        del left
        gc.collect()
        with rec.phase("after"):
            pass
    assert names(path) == (["after"], ["stream"])


def test_an_exception_on_its_way_is_never_replaced(path):
    """The workload's own error is what its caller sees, whatever is wrong with the order of phases."""
    with recorder(path, device=simulated()) as rec:
        outer = rec.phase("outer").begin()
        rec.phase("inner").begin()
        outer.fail(RuntimeError("out of memory"))
        rec.close()
        outer.fail(RuntimeError("out of memory"))
    assert names(path) == ([], ["outer", "inner"])


def test_another_thread_ends_no_phase(path):
    """Nor begins one: the allocator's peaks are those of all threads, and one order is measured."""
    raised = []

    def attempt(call):
        try:
            call()
        except MisusedError as error:
            raised.append(str(error))

    with recorder(path, device=simulated()) as rec, rec.phase("forward") as phase:
        for call in (phase.end, rec.phase("late").begin, lambda: phase.fail(RuntimeError("x"))):
            thread = threading.Thread(target=attempt, args=(call,))
            thread.start()
            thread.join()
    assert len(raised) == 2
    assert names(path) == (["forward"], [])


def in_a_child(call):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_forked_child_closes_nothing(path):
    """A worker that leaves the `with` of its parent: the record is the parent's."""
    with recorder(path, device=simulated()) as rec, rec.phase("forward") as phase:
        for call in (rec.close, rec.discard, phase.end, lambda: phase.fail(RuntimeError())):
            in_a_child(call)
        assert journal_of(path).exists()
        assert not path.exists()
    assert names(path) == (["forward"], [])


def test_closing_twice_is_closing_once(path):
    with recorder(path, device=simulated()) as rec:
        assert rec.close() == rec.close() == path
        rec.discard()
    assert path.exists()


def test_a_program_may_change_its_folder(tmp_path, monkeypatch):
    """The record lies where it was asked for when it was begun."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with recorder("m.json", device=simulated()) as rec, rec.phase("forward"):
        os.chdir("elsewhere")
    assert rec.path == tmp_path / "m.json"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["elsewhere", "m.json"]


def test_a_header_that_does_not_fit_leaves_the_name_free(path, monkeypatch):
    def full(file, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "_write_whole", full)
        with pytest.raises(OSError, match="No space"):
            recorder(path, device=simulated())
    assert list(path.parent.iterdir()) == []
    with recorder(path, device=simulated()):
        pass


def test_a_failure_on_a_full_disk_is_still_the_workloads(path, monkeypatch):
    """C11: raised again as it was; the document holds it, where the disk takes more by then."""
    whole = module._write_whole

    def run(rec):
        with rec.phase("forward"):
            monkeypatch.setattr(module, "_write_whole", full)
            raise RuntimeError("out of memory")

    with recorder(path, device=simulated()) as rec:
        with pytest.raises(RuntimeError, match="out of memory"):
            run(rec)
        monkeypatch.setattr(module, "_write_whole", whole)
    assert record(path)["phases"][0]["outcome"] == "failure"


def full(file, content):
    raise OSError(28, "No space left on device")


def test_every_device_is_waited_for_though_one_fails(path):
    """C9: the readings of the other are taken after its own work is done."""
    machine = SimulatedDevices([SimulatedDevice(0), SimulatedDevice(1)])
    machine.all[0].fail("synchronize", 1, RuntimeError("lost"))
    with (
        pytest.raises(RuntimeError, match="lost"),
        recorder(path, device=machine) as rec,
        rec.phase("forward"),
    ):
        pass
    assert machine.all[1].counts["synchronize"] == 2
