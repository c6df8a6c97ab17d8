"""The process of one simulation: how it ends, whatever the program in it does. Nothing here needs torch."""

import json
import os
import subprocess
import sys
import threading

import pytest

from fiche.simulate import child

FUNCTION = {"workload": "function", "function": "u.py:f"}


def ran(body, *, torch="import torch"):
    """The code and the last words of a child whose simulation is `body`."""
    program = f"""
import os, sys
from fiche.simulate import child
class Odd(Exception):
    def __str__(self):
        raise RuntimeError
def simulated(job):
    try:
        {body}
    except BaseException as error:
        return child._failed(error), b""
    return child.DONE, b"document"
child._simulated = simulated
child.find_spec = lambda name: True
code = child.main('{{"workload": "dense"}}')
sys.stderr.flush()
os._exit(code)
"""
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr.strip()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit(0)", "the program ended its own process, by SystemExit 0 (<string>, line 11)"),
        ("raise BaseException('odd')", "BaseException: odd"),
        ("raise Odd", "Odd"),
        ("raise ValueError", "ValueError"),
    ],
)
def test_whatever_is_raised_is_one_sentence_and_no_document(body, said):
    code, out, err = ran(body)
    assert (code, out) == (child.FAILED, "")
    assert said.removesuffix(" (<string>, line 11)") == err
    assert "Traceback" not in err


def test_what_a_thread_raises_is_not_passed_over():
    """Its share would be missing in every figure."""

    def fails():
        raise RuntimeError("of a thread")

    def runs():
        with child._threads_heard():
            thread = threading.Thread(target=fails)
            thread.start()
            thread.join()

    with pytest.raises(RuntimeError, match="of a thread"):
        runs()


def test_a_copy_of_the_process_writes_nothing():
    """os.fork() that nobody ends returns twice; there is one document."""
    assert ran("os.fork() and os.wait()")[:2] == (child.DONE, "document")


def test_a_file_that_cannot_be_written_is_said():
    code, _, err = ran("os.closerange(3, 20)")
    assert (code, err) == (
        child.FAILED,
        "the document of the simulation cannot be written: Bad file descriptor",
    )


def test_a_thread_left_running_keeps_nothing(tmp_path):
    """The process ends with its code, whatever waits in it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
        encoding="utf-8",
    )
    ended = subprocess.run(
        [sys.executable, "-m", "fiche.simulate.child"],
        input="{}",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stderr.strip()) == (child.REFUSED, "the job has no workload")


def test_a_module_that_ends_its_process_is_refused(tmp_path):
    (tmp_path / "u.py").write_text("import sys\nsys.exit()\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "fiche.simulate.child"],
        input=json.dumps({**FUNCTION, "folder": str(tmp_path)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == child.REFUSED
    assert "cannot be" in ended.stderr or "PyTorch is not installed" in ended.stderr


def test_a_function_has_no_more_devices_than_a_process(tmp_path):
    from fiche.simulate.job import Job
    from fiche.simulate.workload import workload_of

    job = Job(workload="function", function="u.py:f", placement={"devices": 10**9})
    with pytest.raises(ValueError, match="no more than 120 devices"):
        workload_of(job)
