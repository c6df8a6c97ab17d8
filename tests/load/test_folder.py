"""Files that a fiche names: inside its folder, plain, and never read beyond their limit (law 7)."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.load.folder import DiskFolder, UnreadableError, inside


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
