"""Files that a fiche names: inside its folder, plain, and never read beyond their limit (law 7)."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.load.folder import DiskFolder, UnreadableError, inside, read_file


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "fiche"
    (root / "evidence").mkdir(parents=True)
    (root / "evidence" / "run.json").write_bytes(b"{}")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return DiskFolder(root)


def code(folder, name, limit=100):
    with pytest.raises(UnreadableError) as caught:
        folder.read(name, limit)
    return caught.value.code


def test_a_file_below_the_folder_is_read(folder):
    assert folder.read("evidence/run.json", 2) == b"{}"
    assert folder.read("./evidence/./run.json", 2) == b"{}"


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "evidence/../../secret.txt",
        "/etc/passwd",
        "a\\..\\b",
        "C:/x",
        "C:x",
        ".",
        "",
    ],
)
def test_no_name_leads_out(folder, name):
    assert code(folder, name) == "F317"


def test_no_link_leads_out(folder):
    (folder.root / "out").symlink_to("../secret.txt")
    (folder.root / "up").symlink_to("..")
    assert code(folder, "out") == code(folder, "up/secret.txt") == "F317"


def test_a_link_inside_is_followed_and_a_circle_is_told(folder):
    (folder.root / "here").symlink_to("evidence/run.json")
    (folder.root / "round").symlink_to("round")
    assert folder.read("here", 2) == b"{}"
    assert code(folder, "round") == "F318"


def test_what_is_no_plain_file_is_not_opened(folder):
    """A pipe would never end, a device would never stop."""
    os.mkfifo(folder.root / "pipe")
    (folder.root / "zero").symlink_to("/dev/zero")
    assert code(folder, "pipe") == code(folder, "evidence") == code(folder, "missing") == "F318"
    assert code(folder, "zero") == "F317"


def test_a_pipe_put_in_the_place_of_a_file_is_neither_waited_for_nor_read(folder, monkeypatch):
    """Between looking and opening; and some files of /proc look plain and wait for their next line."""
    plain = os.stat(folder.root / "evidence" / "run.json")  # noqa: PTH116
    os.mkfifo(folder.root / "pipe")
    monkeypatch.setattr("pathlib.Path.stat", lambda *_, **__: plain)
    with pytest.raises(UnreadableError) as caught:
        read_file(folder.root / "pipe", "pipe", 100)
    assert (caught.value.code, caught.value.message) == ("F318", "'pipe' is no file")


def test_a_file_that_says_it_is_empty_is_read_whole(tmp_path):
    """Files of /proc have no size."""
    assert read_file(Path("/proc/self/cmdline"), "x", 10**6).endswith(b"\0")
    (tmp_path / "empty").write_bytes(b"")
    assert read_file(tmp_path / "empty", "x", 10) == b""


@pytest.mark.parametrize(("size", "fits"), [(9, True), (10, True), (11, False), (3 * 2**20, False)])
def test_the_limit_itself_is_allowed(tmp_path, size, fits):
    (tmp_path / "one").write_bytes(b"x" * size)
    if fits:
        assert len(read_file(tmp_path / "one", "one", 10)) == size
    else:
        with pytest.raises(UnreadableError) as caught:
            read_file(tmp_path / "one", "one", 10)
        assert caught.value.code == "F319"


def test_why_a_file_cannot_be_read_is_said(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    for name, why in (("file/x", "Not a directory"), ("n" * 300, "File name too long")):
        with pytest.raises(UnreadableError) as caught:
            read_file(tmp_path / name, "x", 10)
        assert caught.value.message == f"'x' cannot be read: {why}"


def test_no_more_than_one_byte_beyond_the_limit_is_read(folder):
    with (folder.root / "huge").open("wb") as file:
        file.truncate(2**40)
    assert code(folder, "huge", limit=1000) == "F319"


@given(st.text(max_size=20) | st.lists(st.sampled_from(["..", ".", "a", ""])).map("/".join))
def test_a_name_that_is_inside_stays_inside(name):
    try:
        inside(name)
    except UnreadableError:
        return
    normal = os.path.normpath(f"/root/{name}")
    assert normal == "/root" or normal.startswith("/root/")
