"""A writer that is killed at any of its steps on the disk leaves the old state or the new one.

The child counts its own steps by an audit hook (opening, making, renaming, removing) and in `os.write` and
`os.fsync`, and kills itself at one of them; a write is cut in half first.
"""

import os
import signal
import sys

import bagit
import pytest
from archive.making import made

from fiche.archive.additions import NAME
from fiche.archive.around import repaired
from fiche.archive.checking import check_archive
from fiche.archive.store import Store

_STEPS = {"open", "os.mkdir", "os.rename", "os.rmdir", "os.remove", "os.link", "shutil.rmtree"}
_MOST = 200


def in_child(work):
    """Run it in a process of its own; how that ended."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step, where):
    """From here on this process kills itself at its step of that number below a folder."""
    left = [step]

    def count():
        left[0] -= 1
        return left[0] == 0

    def hook(event, arguments):
        if event in _STEPS and any(where in str(each) for each in arguments[:2]) and count():
            os.kill(os.getpid(), signal.SIGKILL)

    write, fsync = os.write, os.fsync

    def half(stream, content):
        if count():
            write(stream, bytes(content[: len(content) // 2]))
            os.kill(os.getpid(), signal.SIGKILL)
        return write(stream, content)

    def synced(stream):
        if count():
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(stream)

    os.write, os.fsync = half, synced
    sys.addaudithook(hook)


def steps():
    return range(1, _MOST)


@pytest.mark.slow
def test_a_killed_addition_is_whole_or_nothing(tmp_path):
    before, files_before = made(b"before")
    entry, files = made({"run.json": b"{}" * 3000, "logs/a.txt": b"a", "logs/deep/b.txt": b"b"})
    states = set()
    for step in steps():
        where = tmp_path / str(step)
        Store.made(str(where)).put(before, files_before)

        def add(where=where, step=step):
            store = Store.opened(str(where))
            killed_at(step, str(where))
            store.put(entry, files)

        ended = in_child(add)
        states.add(holds_together(where, before, entry))
        bring_in_order(where, entry, files)
        if ended == 0:
            break
    assert ended == 0
    assert step > 30  # every file was made and brought to the disk as a step of its own
    assert states == {1, 2}


def holds_together(where, before, entry):
    """What any reader may rely on, whenever the writer was killed: how many entries there are."""
    store = Store.opened(str(where))
    here = set(store.ids())
    assert here in ({before.id}, {before.id, entry.id})
    assert {one.id for one in store.entries()} == here
    assert store.damaged == []
    assert {one.id for one in store.additions(0)[0]} == here
    for id in here:
        assert bagit.Bag(str(where / "bags" / id[:2] / id)).is_valid()
    codes = {one.code for one in check_archive(store, "2026-12-01", quick=False).findings}
    assert codes <= {"F943"}  # a torn line
    return len(here)


def bring_in_order(where, entry, files):
    """Adding the same again, then mending, leaves nothing to be said."""
    store = Store.opened(str(where))
    store.put(entry, files)
    for each in (where / "incoming").iterdir():
        os.utime(each, (0, 0))
    repaired(store)
    found = check_archive(store, "2026-12-01", quick=False)
    assert (found.findings, found.notes, found.num_bags) == ((), (), 2)
    ids = [one.id for one in store.additions(0)[0]]
    assert entry.id in ids
    assert len(ids) == 2
    assert list((where / "incoming").iterdir()) == []
    assert (where / NAME).read_bytes().endswith(b"\n")


def test_an_archive_whose_maker_is_killed_is_there_or_can_be_made(tmp_path):
    for step in steps():
        where = tmp_path / str(step)

        def make(where=where, step=step):
            killed_at(step, str(where))
            Store.made(str(where))

        ended = in_child(make)
        again = Store.made(str(where)) if can_be_made(where) else Store.opened(str(where))
        entry, files = made(b"{}")
        assert again.put(entry, files)
        if ended == 0:
            break
    assert ended == 0
    assert step > 4


def can_be_made(where):
    return not (where / "fiche-archive.json").exists()


@pytest.mark.parametrize("failing", ["fsync", "write", "mkdir"])
def test_a_disk_that_is_full_at_any_step_leaves_nothing(tmp_path, monkeypatch, failing):
    import errno

    from fiche.kernel.diagnostic import Refused

    store = Store.made(str(tmp_path / "a"))
    store.put(*made(b"before"))
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    right, refusals = getattr(os, failing), []
    # `incoming/` is there already: that its making fails says nothing.
    for step in steps()[failing == "mkdir" :]:
        left = [step]

        def full(*arguments, left=left, **named):
            left[0] -= 1
            if left[0] == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return right(*arguments, **named)

        with monkeypatch.context() as patched:
            patched.setattr(os, failing, full)
            try:
                store.put(entry, files)
            except Refused as refused:
                refusals += refused.diagnostics
        if left[0] > 0:
            break
        if entry.id in set(
            store.ids()
        ):  # only its line could not be written: readers know it all the same
            assert entry.id in [one.id for one in store.additions(0)[0]]
            break
        assert list((tmp_path / "a" / "incoming").iterdir()) == []
        assert len(store.additions(0)[0]) == 1
    assert entry.id in set(store.ids())
    assert len(refusals) >= (0 if failing == "write" else 2)
    assert {one.code for one in refusals} <= {"F934"}
    assert all("No space left on device" in one.message for one in refusals)
    assert check_archive(store, "2026-12-01", quick=False).findings == ()


def test_a_file_that_may_not_grow_is_refused_whole(tmp_path):
    """The kernel's own limit, as a full disk would stop a write half way."""
    import resource

    from fiche.kernel.diagnostic import Refused

    store = Store.made(str(tmp_path / "a"))
    entry, files = made(b"x" * 100_000)

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            store.put(entry, files)
        except Refused as refused:
            os._exit(42 if refused.diagnostics[0].code == "F934" else 1)

    assert in_child(limited) == 42
    assert list((tmp_path / "a" / "incoming").iterdir()) == []
    assert list(store.ids()) == []


def test_an_archive_that_may_only_be_read_takes_nothing(tmp_path, monkeypatch):
    import errno
    from pathlib import Path

    from fiche.kernel.diagnostic import Refused

    store = Store.made(str(tmp_path / "a"))
    first, files = made(b"1")
    store.put(first, files)

    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "mkdir", refuse)
    second, files = made(b"2")
    with pytest.raises(Refused, match=r"F934 .*Read-only file system"):
        store.put(second, files)
    assert list(Path(tmp_path / "a" / "incoming").iterdir()) == []
    assert store.entry(first.id) == first
    assert check_archive(store, "2026-12-01", quick=False).findings == ()
