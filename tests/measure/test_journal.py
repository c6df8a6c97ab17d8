"""What is on disk after a kill, a full disk, a folder that cannot be written (C10, C11)."""

import contextlib
import errno
import json
import os
import resource
import signal

import pytest
from measure.simulated import simulated

from fiche.importers.fiche_record import read
from fiche.measure.protocol import journal as module
from fiche.measure.protocol.journal import Journal, journal_of
from fiche.measure.protocol.recorder import recorder

NAMES = ("model_load", "prefill", "decode")


def measure(path, machine, finished=lambda name: None):
    with recorder(path, device=machine, workload={"operation": "generation"}) as rec:
        for name in NAMES:
            with rec.phase(name, prompt_tokens=64) as phase:
                phase.executed(prompt_tokens=64)
            finished(name)


def in_a_child(work):
    """Run `work` in a forked process and return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(machine, nth):
    """The nth call of any kind on the device is the last thing that the process does."""
    device = machine.all[0]
    calls = device._call

    def call(method):
        if len(device.calls) == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        calls(method)

    device._call = call


def told(path):
    """The names of finished phases, and of phases of unknown outcome, as an import reads them."""
    reading = read(path.read_bytes(), "0" * 64)
    finished = [run.phases[0] for run in reading.runs if run.outcome == "success"]
    return finished, [run.phases[0] for run in reading.runs if run.outcome == "unknown"]


def calls_in_all(tmp_path):
    machine = simulated()
    measure(tmp_path / "whole.json", machine)
    return len(machine.calls)


def test_a_kill_at_any_step_loses_no_finished_phase(tmp_path):
    """kill -9 before each call on the device: what was finished is read, what ran is of unknown outcome."""
    num_calls = calls_in_all(tmp_path)
    assert num_calls == 9 * len(NAMES)
    for nth in range(num_calls):
        path = tmp_path / f"{nth}.json"
        machine = simulated()
        killed_at(machine, nth)
        ended = in_a_child(lambda path=path, machine=machine: measure(path, machine))
        assert ended == -signal.SIGKILL
        assert not path.exists()
        done = nth // 9
        assert told(journal_of(path)) == (list(NAMES[:done]), [NAMES[done]])


def test_a_kill_between_two_phases_leaves_both_sides_clean(tmp_path):
    path = tmp_path / "m.json"

    def stop(name):
        if name == "prefill":
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_child(lambda: measure(path, simulated(), stop)) == -signal.SIGKILL
    assert told(journal_of(path)) == (["model_load", "prefill"], [])


def test_a_kill_in_the_middle_of_a_line_costs_that_line_alone(tmp_path, monkeypatch):
    """A line that is half on disk is the last one, and everything before it is read."""
    whole = module._write_whole
    count = {"lines": 0}

    def torn(file, content):
        count["lines"] += 1
        if count["lines"] == 5:  # header, start, end, start, and the end of the second phase
            whole(file, content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        whole(file, content)

    monkeypatch.setattr(module, "_write_whole", torn)
    path = tmp_path / "m.json"
    assert in_a_child(lambda: measure(path, simulated())) == -signal.SIGKILL
    assert told(journal_of(path)) == (["model_load"], ["prefill"])


def test_a_kill_while_the_document_is_written_leaves_the_journal_whole(tmp_path, monkeypatch):
    place = module._place

    def stop(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    for name, replacement in (("_write_file", stop), ("_place", stop)):
        path = tmp_path / name / "m.json"
        with monkeypatch.context() as patch:
            patch.setattr(module, name, replacement)
            assert in_a_child(lambda path=path: measure(path, simulated())) == -signal.SIGKILL
        assert not path.exists()
        assert told(journal_of(path)) == (list(NAMES), [])
    assert module._place is place


def test_the_document_takes_the_journals_place(tmp_path):
    path = tmp_path / "m.json"
    measure(path, simulated())
    assert [each.name for each in tmp_path.iterdir()] == ["m.json"]
    assert told(path) == (list(NAMES), [])


def test_journal_and_document_say_the_same(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "finish", lambda self, document: self.path)
        measure(path, simulated())
    kept = journal_of(path).read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in kept]
    assert [event["event"] for event in events] == [
        "header",
        *(["phase_start", "phase_end"] * len(NAMES)),
        "footer",
    ]
    reading = read(journal_of(path).read_bytes(), "0" * 64)
    assert reading.warnings == ()
    assert [run.phases[0] for run in reading.runs] == list(NAMES)


# --- Nothing is overwritten -----------------------------------------------------------------------


@pytest.mark.parametrize("there", ["m.json", "m.json.journal"])
def test_nothing_that_exists_is_overwritten(tmp_path, there):
    """C10: neither a record nor what an interrupted one left behind."""
    (tmp_path / there).write_text("mine", encoding="utf-8")
    machine = simulated()
    with pytest.raises(FileExistsError):
        measure(tmp_path / "m.json", machine)
    assert [each.name for each in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"
    assert machine.calls == []


def test_a_record_that_has_appeared_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "m.json"

    def meanwhile(name):
        path.write_text("somebody else's", encoding="utf-8")

    with pytest.raises(OSError, match="journal holds all"):
        measure(path, simulated(), meanwhile)
    assert path.read_text(encoding="utf-8") == "somebody else's"
    assert told(journal_of(path)) == (list(NAMES), [])
    assert len(list(tmp_path.iterdir())) == 2


def test_where_links_are_unknown_a_rename_does(tmp_path, monkeypatch):
    def unknown(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", unknown)
    measure(tmp_path / "m.json", simulated())
    assert [each.name for each in tmp_path.iterdir()] == ["m.json"]


def test_a_link_in_the_way_of_the_partial_file_is_not_written_through(tmp_path):
    """In a folder that others may write, a name that can be guessed may be a link."""
    theirs = tmp_path / "theirs"
    theirs.write_text("mine", encoding="utf-8")
    (tmp_path / f".m.json.{os.getpid()}.partial").symlink_to(theirs)
    measure(tmp_path / "m.json", simulated())
    assert theirs.read_text(encoding="utf-8") == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m.json", "theirs"]


NAMED = [
    "m",
    "m\n.json",
    "-rf.json",
    "\U0001f600" * 55 + ".json",
    "\udcff.json",
    "a b'\"$(x).json",
    ".json",
]


@pytest.mark.parametrize("name", NAMED, ids=ascii)
def test_any_name_that_a_folder_takes(tmp_path, name):
    measure(tmp_path / name, simulated())
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert told(tmp_path / name) == (list(NAMES), [])


def test_a_name_too_long_for_its_journal_is_refused_at_the_start(tmp_path):
    machine = simulated()
    with pytest.raises(OSError, match="too long"):
        measure(tmp_path / ("a" * 250), machine)
    assert machine.calls == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_behind_a_link_is_a_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    measure(tmp_path / "link" / "m.json", simulated())
    assert told(tmp_path / "real" / "m.json") == (list(NAMES), [])


def test_a_link_to_nowhere_is_not_written_through(tmp_path):
    (tmp_path / "m.json").symlink_to(tmp_path / "theirs")
    with pytest.raises(FileExistsError):
        measure(tmp_path / "m.json", simulated())
    assert not (tmp_path / "theirs").exists()


# --- A disk that takes no more --------------------------------------------------------------------


def test_a_full_disk_keeps_every_line_before_it(tmp_path, monkeypatch):
    """The line that did not fit is taken back whole, so that the journal stays readable."""
    whole = os.write
    room = {"left": 1700}

    def full(file, content):
        if len(content) > room["left"]:
            whole(file, bytes(content)[: room["left"]])
            room["left"] = 0
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        room["left"] -= len(content)
        return whole(file, content)

    monkeypatch.setattr(os, "write", full)
    path = tmp_path / "m.json"
    with pytest.raises(OSError, match="No space left") as raised:
        measure(path, simulated())
    monkeypatch.undo()
    assert raised.value.filename == str(path)
    assert f"{journal_of(path)} holds" in str(raised.value)
    content = journal_of(path).read_bytes()
    assert content.endswith(b"\n")
    assert all(json.loads(line) for line in content.splitlines())
    assert told(journal_of(path))[0] != []


def test_a_limit_on_files_is_an_error_of_the_system(tmp_path):
    """A real refusal of the kernel, in a process of its own."""

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1200, 1200))
        try:
            measure(tmp_path / "m.json", simulated())
        except OSError as error:
            os._exit(error.errno)

    assert in_a_child(work) == errno.EFBIG
    assert told(journal_of(tmp_path / "m.json"))[0] == ["model_load"]


def test_wherever_the_disk_ends_what_is_there_can_be_read(tmp_path):
    """C11: no line stands behind one that did not fit, a footer least of all, so no phase is lost."""

    def work(path, room):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        with contextlib.suppress(OSError):
            measure(path, simulated())

    seen = []
    for room in range(600, 2600, 50):
        path = tmp_path / f"{room}.json"
        in_a_child(lambda path=path, room=room: work(path, room))
        left = path if path.exists() else journal_of(path)
        if left.exists():
            seen.append(len(told(left)[0]))
    assert seen == sorted(seen)
    assert {0, 1, 2, 3} <= set(seen)


def test_what_did_not_fit_is_written_once_there_is_room_again(tmp_path, monkeypatch):
    """The end of a phase is owed: it comes before the next line, and the document holds it anyhow."""
    whole = module._write_whole
    count = {"lines": 0}

    def full(file, content):
        count["lines"] += 1
        if count["lines"] == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(file, content)

    monkeypatch.setattr(module, "_write_whole", full)
    path = tmp_path / "m.json"
    with recorder(path, device=simulated()) as rec:
        with pytest.raises(OSError, match="No space left"), rec.phase("model_load"):
            pass
        with rec.phase("prefill"):
            pass
        assert told(journal_of(path)) == (["model_load", "prefill"], [])
    assert told(path) == (["model_load", "prefill"], [])


def test_a_folder_that_cannot_be_made_is_an_error_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    machine = simulated()
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        measure(tmp_path / "file" / "m.json", machine)
    assert machine.calls == []
