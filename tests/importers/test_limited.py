"""A reader that takes too much memory or time is ended, and nothing else comes back but a reading (law 7)."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
from importers.messages import CLASS, brackets, sentence
from importers.records import RECORD, document_bytes

from fiche.importers import _detect, _limited
from fiche.importers._limited import DefectError, within_budget
from fiche.importers._refusal import refused
from fiche.importers._vocabulary import piece_json
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Reading, Result

LARGE = _limited.SMALL + 1
DIGEST = "ab" * 32

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no child on this system")


def apart(read, num_bytes=LARGE):
    return within_budget(read, num_bytes, DIGEST)


def code(read, num_bytes=LARGE):
    with pytest.raises(Refused) as caught:
        apart(read, num_bytes)
    (found,) = caught.value.diagnostics
    assert found.address.sha256 == DIGEST
    return found.code


def test_a_small_file_is_read_in_this_process():
    here = Reading(kind=str(os.getpid()), shape="")
    assert within_budget(lambda: here, 1000, DIGEST) is here
    read = lambda: Reading(kind=str(os.getpid()), shape="")  # noqa: E731
    assert apart(read).kind != here.kind
    assert within_budget(read, 10, DIGEST, apart=True).kind != here.kind


@pytest.mark.parametrize(
    "content",
    [f"[rank3]: {CLASS}{sentence()}\n".encode(), brackets().encode(), document_bytes(RECORD)],
)
def test_the_same_reading_comes_back(content):
    read = lambda: _detect.read(content, DIGEST, "a.log")  # noqa: E731
    packed = [piece_json("a", DIGEST, 1, reading) for reading in (apart(read), read())]
    assert packed[0] == packed[1]
    assert repr(apart(read).runs) == repr(read().runs)


def test_fractions_and_words_ready_for_json_come_back():
    result = Result(
        metric="acc",
        text="0.5",
        low=Fraction(9, 20),
        high=Fraction(11, 20),
        unit="score",
        pointer=Pointer(sha256=DIGEST, line=3),
    )
    reading = Reading(
        kind="x", shape="y", results=(result,), further={"a": [1, None, {"b": True}], "c": 2.5}
    )
    assert apart(lambda: reading) == reading


def test_a_refusal_comes_back():
    told = refused("F424", "nothing", DIGEST, line=7, hint="look")

    def read():
        raise told

    with pytest.raises(Refused) as caught:
        apart(read)
    assert caught.value.diagnostics == told.diagnostics


def test_a_defect_of_ours_stays_one():
    with pytest.raises(DefectError, match="ZeroDivisionError"):
        apart(lambda: 1 // 0)
    with pytest.raises(DefectError, match="lambda"):
        apart(lambda: Reading(kind="x", shape="y", further={"f": lambda: 1}))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded on Linux")
def test_more_memory_than_agreed_is_refused():
    asked = _limited.FACTOR * LARGE + _limited.BESIDE
    assert code(lambda: bytearray(asked + 1)) == "F471"

    def greedy():
        held = []
        while True:
            held.append([0] * 100_000)

    assert code(greedy) == "F471"
    assert apart(lambda: Reading(kind="x", shape=str(len(bytearray(asked // 2))))).kind == "x"


def test_a_reader_that_is_killed_or_ends_is_refused():
    assert code(lambda: os.kill(os.getpid(), signal.SIGKILL)) == "F472"
    assert code(lambda: os._exit(0)) == "F472"


def test_a_reader_that_does_not_answer_is_ended(monkeypatch):
    monkeypatch.setattr(_limited, "_WAIT_S", 1)
    monkeypatch.setattr(_limited, "BYTES_A_SECOND", 1 << 40)
    started = time.monotonic()
    with pytest.raises(Refused, match="F472"):
        within_budget(lambda: time.sleep(90), LARGE, DIGEST, seconds=0)
    assert time.monotonic() - started < 60
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child is left behind


@pytest.mark.parametrize("value", [os.system, print, subprocess.Popen, Refused, _limited])
def test_nothing_but_our_nouns_is_rebuilt(value):
    try:
        said = pickle.dumps(value)
    except TypeError:
        said = b"cfiche.importers._limited\nwithin_budget\n."
    with pytest.raises(pickle.UnpicklingError):
        _limited._rebuilt(said)
    with pytest.raises(pickle.UnpicklingError):
        _limited._rebuilt(b"cfiche.kernel.record\nreplace\n.")


def stuck():
    """The hash of a tuple is taken anew each time: 2**80 steps that no handler in Python interrupts."""
    value = (0,)
    for _ in range(80):
        value = (value, value)
    return Reading(kind=str(hash(value)), shape="")


def test_the_processor_time_is_bounded_whatever_the_reader_does():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(Refused, match=r"F472.*longer"):
        within_budget(stuck, 10, DIGEST, apart=True, seconds=1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 4


CHILD = """
import os, sys, time
from fiche.cli.interrupt import end_when_asked
from fiche.importers._limited import within_budget
end_when_asked()
def read():
    print(os.getpid(), flush=True)
    if sys.argv[1] == "stuck":
        value = (0,)
        for _ in range(80):
            value = (value, value)
        hash(value)
    time.sleep(60)
within_budget(read, 1 << 22, "")
"""


def _runs(process):
    """False for one that has ended, also where its new parent has not been told of it yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child is ended late")
@pytest.mark.parametrize("doing", ["stuck", "asleep"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_child_ends_with_its_parent(number, doing):
    parent = subprocess.Popen(
        [sys.executable, "-c", CHILD, doing], stdout=subprocess.PIPE, text=True
    )
    child = int(parent.stdout.readline())
    parent.send_signal(number)
    parent.wait(timeout=30)
    for _ in range(20):
        if not _runs(child):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child goes on alone")
