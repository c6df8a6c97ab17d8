"""Files of the disk: only what was asked for is held, and only plain files are opened."""

import os

import pytest
from checkpoints.build import Bytes, code

from fiche.checkpoints import FileSource
from fiche.checkpoints.source import exactly


def test_any_part_of_a_file(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    with FileSource(path) as source:
        assert (source.name, source.length()) == ("a.bin", 10)
        assert source.part(2, 3) == b"234"
        assert source.part(8, 10) == b"89"
        assert source.part(20, 1) == b""
        assert source.part(0, 0) == b""
        assert exactly(source, 9, 1) == b"9"
    with FileSource(path, "shown") as source:
        assert source.name == "shown"


def test_it_is_opened_for_reading_only(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"x")
    path.chmod(0o400)
    with FileSource(path) as source:
        assert source.part(0, 1) == b"x"
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["absent", "folder", "pipe", "loop", "nul\0"])
def test_what_is_no_plain_file_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert code(FileSource, tmp_path / name) == "F807"


def test_a_device_is_never_opened():
    from pathlib import Path

    assert code(FileSource, Path("/dev/zero")) == "F807"


def test_a_link_leads_to_its_file(tmp_path):
    """The cache of a hub is made of links."""
    (tmp_path / "blob").write_bytes(b"x")
    (tmp_path / "model").symlink_to("blob")
    with FileSource(tmp_path / "model") as source:
        assert source.part(0, 9) == b"x"


def test_a_file_that_shrinks_is_refused(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    with FileSource(path) as source:
        os.truncate(path, 4)
        assert code(exactly, source, 2, 5) == "F807"


def test_a_source_that_gives_less_than_it_says_is_refused():
    class Short(Bytes):
        def part(self, start, count):
            return b"x"

    assert code(exactly, Short(bytes(9)), 0, 2) == "F807"
