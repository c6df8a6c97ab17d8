"""A file that is written where none is: whole or not at all, and never over another (C10)."""

import errno
import os

import pytest

from fiche.cli import output
from fiche.kernel.diagnostic import Refused


def refusal(path):
    with pytest.raises(Refused) as refused:
        output.write_new_file(path, b"new")
    (told,) = refused.value.diagnostics
    return told.code


def test_a_new_file_is_written_with_its_folder(tmp_path):
    output.write_new_file(tmp_path / "a" / "b.json", b"new")
    assert (tmp_path / "a" / "b.json").read_bytes() == b"new"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_what_is_there_stays(tmp_path):
    path = tmp_path / "b.json"
    path.write_bytes(b"mine")
    assert refusal(path) == "F610"
    assert path.read_bytes() == b"mine"
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "nowhere")
    assert refusal(link) == "F610"


def test_what_appears_meanwhile_stays(tmp_path, monkeypatch):
    path = tmp_path / "b.json"
    link = os.link

    def meanwhile(source, target):
        path.write_bytes(b"theirs")
        link(source, target)

    monkeypatch.setattr(os, "link", meanwhile)
    assert refusal(path) == "F610"
    assert path.read_bytes() == b"theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["b.json"]


def test_a_file_system_without_links_takes_it_too(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    output.write_new_file(tmp_path / "b.json", b"new")
    assert (tmp_path / "b.json").read_bytes() == b"new"


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert refusal(tmp_path / "b.json") == "F611"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert refusal(tmp_path / "a" / "b.json") == "F611"


def test_a_full_disk_starts_no_fiche(fiche, tmp_path, monkeypatch):
    """All or nothing: no copy of the record is left where the fiche could not be written."""
    from importers.records import RECORD, document_bytes

    given = tmp_path / "m.json"
    given.write_bytes(document_bytes(RECORD))
    write = output._write

    def full(path, content):
        if content.startswith(b"# yaml"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(output, "_write", full)
    ended = fiche("new", "--from", given, tmp_path / "mine")
    assert (ended.code, "F611" in ended.err) == (2, True)
    assert not (tmp_path / "mine").exists()
