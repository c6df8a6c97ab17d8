"""A process as `fiche run` sees it: peaks, exhaustions, and every way in which it ends (C5, C10, C11).

PyTorch is a stand-in here: what is tested is the order of calls and what is kept, never a number of a GPU.
"""

import sys
from pathlib import Path

import pytest

from fiche.importers import _detect

MIB = 1 << 20
PYTHON = sys.executable


def read(folder, record="program-*.json"):
    (path,) = folder.glob(record)
    return _detect.read(path.read_bytes(), "0" * 64, path.name)


def test_one_phase_with_the_peaks_since_the_process_began(fiche_run, script):
    """C3: two counters, the reserve stays where the allocated bytes have gone."""
    path = script("import torch\ntorch.take(100); torch.take(50); torch.give(60)")
    done = fiche_run(command=[PYTHON, path])
    assert done.code == 0, done.err
    (device,) = done.phase["devices"]
    assert device["device"] == "cuda:0"
    assert device["peak"] == {"allocated_bytes": 150 * MIB, "reserved_bytes": 152 * MIB}
    assert device["end"] == {"allocated_bytes": 90 * MIB, "reserved_bytes": 152 * MIB}
    assert (done.phase["name"], done.phase["ordering"]) == ("program", "whole_loop")
    assert (done.phase["pass"], done.phase["outcome"]) == ("first", "success")


@pytest.mark.parametrize(
    "reset",
    [
        "torch.cuda.reset_peak_memory_stats(0)",
        "early(0)",  # a name taken before anything was watched
        "torch._C._accelerator_resetPeakStats(0)",
    ],
)
def test_a_peak_that_the_program_resets_is_neither_lost_nor_overstated(fiche_run, script, reset):
    """C2, C3: the largest of the parts; each part was read before its reset."""
    path = script(
        "import torch\nfrom torch.cuda import reset_peak_memory_stats as early\n"
        f"torch.take(100); torch.give(90)\n{reset}\ntorch.take(30)\n{reset}\n"
    )
    (device,) = fiche_run(command=[PYTHON, path]).phase["devices"]
    assert device["peak"] == {"allocated_bytes": 100 * MIB, "reserved_bytes": 102 * MIB}
    assert device["extra"]["peak_resets_seen"] == 2


def test_each_device_that_was_used_is_told_and_no_other(fiche_run, script):
    """C9: a reading of one device describes no other."""
    path = script("import torch\ntorch.take(5, 1); torch.take(7, 3)")
    devices = fiche_run(command=[PYTHON, path], FAKE_DEVICES="4").phase["devices"]
    assert [(d["device"], d["peak"]["allocated_bytes"]) for d in devices] == [
        ("cuda:1", 5 * MIB),
        ("cuda:3", 7 * MIB),
    ]


def test_a_device_that_is_not_used_stays_untouched(fiche_run, script):
    """C5: a synchronization, or PyTorch's reading of free memory, would make a context there."""
    path = script(
        "import atexit, torch\natexit.register(lambda: print(sorted(torch._C.contexts)))\n"
        "import time; torch.take(5, 2); time.sleep(0.4)"
    )
    done = fiche_run(command=[PYTHON, path], FAKE_DEVICES="8")
    assert done.out == "[2]\n"
    (device,) = done.phase["devices"]
    assert device["free_bytes"]["counter"] == "mem_get_info_free"


def test_a_device_may_be_asked_for(fiche_run, script):
    path = script("import torch\ntorch.take(5, 0); torch.take(7, 1)")
    devices = fiche_run("--device", "cuda:1", command=[PYTHON, path]).phase["devices"]
    assert [d["device"] for d in devices] == ["cuda:1"]


def test_what_the_user_attests_is_declared_and_never_executed(fiche_run, script):
    """A3: only the program itself knows what it really ran."""
    path = script("import torch\ntorch.take(1)")
    done = fiche_run(
        *("--dim", "microbatch=2", "--dim", "sequence_tokens=512", "--covers", "forward,backward"),
        *("--case", "limit", "--machine", "node-7", "--gpu", "nvidia-h100-80g", "--run", "one"),
        command=[PYTHON, path],
    )
    phase, (record,) = done.phase, done.records
    assert phase["declared"] == {"microbatch": 2, "sequence_tokens": 512}
    assert "executed" not in phase
    assert (phase["covers"], phase["case"]) == (["forward", "backward"], "limit")
    assert (record["machine"], record["gpu"]) == ("node-7", "nvidia-h100-80g")
    assert record["series"]["run"] == done.index["run"] == "one"
    assert any(w.startswith("executed_unknown") for w in read(done.folder).warnings)


def test_an_exhaustion_that_ends_the_program_is_its_failure(fiche_run, script):
    """C11: message, phase and last values; the exception is printed as ever."""
    path = script("import torch\ntorch.take(100)\ntorch.take(30000)")
    done = fiche_run(command=[PYTHON, path])
    assert done.code == 3
    assert "torch.OutOfMemoryError: CUDA out of memory" in done.err
    assert done.index["exit"] == {"status": 1}
    assert done.phase["error"]["type"] == "torch.OutOfMemoryError"
    assert done.phase["devices"][0]["peak"]["allocated_bytes"] == 100 * MIB
    (run,) = read(done.folder).runs
    assert (run.outcome, run.failure.message_kind, run.failure.memory) == (
        "failure",
        "allocator_oom",
        "device",
    )


def test_an_exhaustion_that_the_program_catches_is_counted_beside_its_success(fiche_run, script):
    """C11: batch finders live of caught exhaustions."""
    path = script(
        "import torch\nfor mib in (30000, 40000):\n"
        "    try: torch.take(mib)\n    except torch.OutOfMemoryError: torch.take(1)\n"
    )
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, done.phase["outcome"]) == (0, "success")
    seen = done.phase["extra"]["out_of_memory_events"]
    assert (seen["count"], seen["last"]["requested"]) == (2, 40000 * MIB)
    assert done.phase["devices"][0]["extra"]["num_ooms"] == 2


def test_a_snapshot_is_kept_of_the_first_exhaustion_where_asked(fiche_run, script):
    path = script("import torch\ntorch.take(100)\ntorch.take(30000)")
    done = fiche_run("--snapshot", command=[PYTHON, path])
    (file,) = done.index["files"]
    assert file["kind"] == "snapshot"
    assert (done.folder / file["file"]).read_bytes() == b"history of 100000"
    assert "costs time" in done.phase["extra"]["allocator_history"]


def test_an_error_of_queued_work_surfaces_at_the_end(fiche_run, script):
    """C1: the last synchronization of the process is the record's."""
    path = script("import torch\ntorch.take(1)")
    done = fiche_run(command=[PYTHON, path], FAKE_LATE_ERROR="1")
    assert done.phase["error"]["surfaced"] == "at_end"
    assert "illegal memory access" in done.phase["error"]["message"]


@pytest.mark.parametrize(
    ("ending", "exit_", "error"),
    [
        ("", {"status": 0}, None),
        ("sys.exit(0)", {"status": 0}, None),
        ("sys.exit(7)", {"status": 7}, "exit status 7"),
        ("sys.exit('no')", {"status": 1}, "exit status 1"),
        ("raise SystemExit(5)", {"status": 5}, "the process ended with exit status 5"),
        ("os._exit(0)", {"status": 0}, None),
        ("os._exit(4)", {"status": 4}, "exit status 4"),
        ("raise ValueError('bad')", {"status": 1}, "bad"),
        # Asked to leave, and stayed: the process's own end decides.
        ("try: sys.exit(3)\nexcept SystemExit: pass", {"status": 0}, None),
        # Somebody else shows exceptions.
        ("sys.excepthook = lambda *_: None\nraise ValueError('bad')", {"status": 1}, "bad"),
    ],
)
def test_every_way_to_leave(fiche_run, script, ending, exit_, error):
    path = script(f"import os, sys, torch\ntorch.take(10)\n{ending}\n")
    done = fiche_run(command=[PYTHON, path])
    assert done.index["exit"] == exit_
    assert done.code == (0 if exit_ == {"status": 0} else 3)
    assert done.phase.get("error", {}).get("message") == error
    assert done.phase["outcome"] == ("success" if error is None else "failure")
    assert done.phase["devices"][0]["peak"]["allocated_bytes"] == 10 * MIB


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGSEGV"])
def test_a_killed_process_has_no_known_outcome(fiche_run, script, name):
    """C11, C2: the start was on disk; nobody knows how far it came."""
    path = script(f"import os, signal, torch\ntorch.take(10)\nos.kill(os.getpid(), signal.{name})")
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, done.index["exit"]) == (3, {"signal": name})
    (record,) = done.records
    assert record["phases"] == []
    assert record["unfinished"][0]["extra"]["ended_by"] == f"signal {name}"
    assert done.index["records"][0]["outcome"] == "unknown"
    assert [run.outcome for run in read(done.folder).runs] == ["unknown"]


def test_last_values_of_a_killed_process_are_kept(fiche_run, script):
    """C11: looked at once a second, by a thread beside the program."""
    path = script(
        "import os, signal, time, torch\ntorch.take(10)\n"
        "folder = os.environ['FICHE_RUN_FOLDER']\nuntil = time.monotonic() + 20\n"
        "while not any(n.endswith('.last') for n in os.listdir(folder)):\n"
        "    assert time.monotonic() < until; time.sleep(0.05)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    (record,) = fiche_run(command=[PYTHON, path]).records
    (device,) = record["unfinished"][0]["extra"]["devices"]
    assert device["levels"]["allocated_bytes"] == 10 * MIB


def test_the_record_says_what_it_is_and_holds_to_the_schema(fiche_run, script):
    path = script("import torch\ntorch.take(1)")
    done = fiche_run(command=[PYTHON, path])
    reading = read(done.folder)
    assert reading.kind == "fiche_record"
    assert "seen from outside" in reading.facts["process_protocol"].value
    assert "the largest is kept" in done.phase["extra"]["scope"]
    assert not list(Path(done.folder).glob("*.journal")) + list(Path(done.folder).glob("*.last"))
