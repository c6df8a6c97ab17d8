"""Host memory that ran out is never a device fact (evidence_formats 1.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers.host_oom import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "cd" * 32
LINUX = (
    "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate "
    "memory: you tried to allocate 98784247808 bytes. Error code 12 (Cannot allocate memory)"
)


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


def only(text):
    (failure,) = read(text).failures
    return failure


def requested(failure):
    value = failure.quantities.get("requested")
    return None if value is None else (value.value, value.low, value.high)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        (LINUX, (98784247808,) * 3),
        (
            "[enforce fail at ..\\c10\\core\\impl\\alloc_cpu.cpp:72] data. DefaultCPUAllocator: not enough "
            "memory: you tried to allocate 26214400 bytes.",
            (26214400,) * 3,
        ),
        (
            "DefaultCPUAllocator: not enough memory: you tried to allocate %dGB. Buy new RAM!27",
            None,
        ),
        (
            "RuntimeError: $ Torch: not enough memory: you tried to allocate 72GB. Buy new RAM! at /x.c:270",
            (72 << 30, 72 << 30, (73 << 30) - 1),
        ),
        (
            "[enforce fail at CPUAllocator.cpp:56] posix_memalign(&data, gAlignment, nbytes) == 0. 12 vs 0",
            None,
        ),
        (
            "RuntimeError: unable to mmap 4096 bytes from file </a.bin>: Cannot allocate memory (12)",
            (4096,) * 3,
        ),
    ],
)
def test_the_cpu_allocators_messages(text, amount):
    failure = only(f"step 1\n{text}\n")
    assert (failure.message_kind, failure.memory, failure.backend) == (
        "allocator_oom",
        "host",
        "cpu",
    )
    assert (failure.device_index, failure.pointer.line) == (None, 2)
    assert requested(failure) == amount


@pytest.mark.parametrize("width", range(30, 110, 7))
def test_a_wrapped_message(width):
    wrapped = "\n".join(LINUX[at : at + width] for at in range(0, len(LINUX), width))
    assert requested(only(wrapped)) == (98784247808,) * 3


def test_an_unreadable_amount_is_said():
    reading = read(
        "DefaultCPUAllocator: not enough memory: you tried to allocate %dGB. Buy new RAM!27"
    )
    assert any(w.startswith("amount_not_readable") for w in reading.warnings)


def test_a_wrapped_message_begins_with_the_check_that_failed():
    reading = read(
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0.\nDefaultCPUAllocator: can't allocate "
        "memory: you tried to\nallocate 137438953472 bytes. Error code 12 (Cannot allocate memory)\n"
    )
    (failure,) = reading.failures
    assert (failure.pointer.line, failure.quantities["requested"].value) == (1, 137438953472)


def test_a_job_killed_by_the_system_is_one_event():
    reading = read(
        "Epoch: [0][447/1736]\n"
        "/var/spool/job00412/slurm_script: line 28:  8156 Killed       python3 main.py\n"
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=412.batch cgroup.\n"
        "srun: error: node7: task 0: Out Of Memory\n"
    )
    (failure,) = reading.failures
    assert (failure.message_kind, failure.memory, failure.backend) == (
        "process_killed",
        "host",
        None,
    )
    assert (failure.pointer.line, reading.duplicate_messages) == (2, 2)
    assert (reading.shape, reading.warnings) == ("slurm-oom-kill", ())


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("slurmstepd: error: Detected 2 oom_kill events in StepId=4.0. Some of the tasks", True),
        ("[98.1] Out of memory: Killed process 8156 (python3) total-vm:9kB, anon-rss:1kB", True),
        ("Memory cgroup out of memory: Killed process 77 (python)", True),
        ("    Reason:       OOMKilled\n    Exit Code:    137", True),
        ("Task was killed due to the node running low on memory.", True),
        ("RuntimeError: DataLoader worker (pid 1234) is killed by signal: Killed.", False),
        ("Killed", False),
        ("[1]+  Killed                  python train.py", False),
        ("zsh: killed     python train.py", False),
        ("app-1 exited with code 137", False),
        ("train-1   registry/train:2   Exited (137) 3 minutes ago", False),
        ("  exitcode  : -9 (pid: 2213)", False),
        ("trainer-1  | Killed", False),
        ("2026-01-15T03:22:41.1Z run.sh: line 3:  11 Killed  python a.py", False),
        ("Process finished with exit code 137 (interrupted by signal 9: SIGKILL)", False),
        ("make: *** [train] Error 137", False),
        ("subprocess.CalledProcessError: Command 'x' died with <Signals.SIGKILL: 9>.", False),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", True),
    ],
)
def test_a_killed_process_and_whether_the_reason_is_told(text, sure):
    reading = read(f"a\n{text}\n")
    assert reading.failures[0].message_kind == "process_killed"
    assert any(w.startswith("cause_uncertain") for w in reading.warnings) != sure
    assert reading.capacities == ()


def test_a_line_that_says_it_twice_is_no_repeat():
    reading = read(
        "slurmstepd: error: Detected 2 oom_kill events in StepId=9.0. Some of the step tasks have been OOM "
        "Killed.\n"
    )
    assert (len(reading.failures), reading.duplicate_messages) == (1, 0)


def test_two_killed_processes_are_two_events():
    reading = read("a.sh: line 2:  11 Killed  python a.py\na.sh: line 3:  12 Killed  python b.py\n")
    assert [f.pointer.line for f in reading.failures] == [1, 2]


@pytest.mark.parametrize(
    "text", ["He killed the process", "code 1370", "skilled workers", "error 137"]
)
def test_words_that_mean_nothing(text):
    with pytest.raises(Refused, match="F424"):
        read(text)
    assert MEMBER.accepts(text.encode(), "a.log") == 0


def test_how_sure_it_is():
    assert MEMBER.accepts(LINUX.encode(), "a.log") == 85
    assert MEMBER.accepts(b"Killed\n", "a.log") == 40


def test_a_run_that_failed_on_the_host_says_nothing_of_a_device():
    (run,) = read(LINUX).runs
    assert (run.outcome, run.whole_loop, run.facts) == ("failure", False, {})


@given(st.integers(0, len(LINUX)))
def test_a_cut_message_never_shows_a_wrong_amount(length):
    try:
        reading = read(LINUX[:length])
    except Refused:
        return
    assert all(requested(f) in (None, (98784247808,) * 3) for f in reading.failures)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused(content):
    refusals = []
    try:
        MEMBER.read(content, DIGEST)
    except Refused as refused:
        refusals = refused.diagnostics
    assert all(told.address.sha256 == DIGEST for told in refusals)
