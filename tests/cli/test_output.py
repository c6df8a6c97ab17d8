"""Results are written whole or not at all, and nothing is replaced unasked (law 7)."""

import os

import pytest

from fiche.cli import output
from fiche.kernel.diagnostic import Refused

FILES = {"report.html": b"<p>", "decision.json": b"{}"}


def code(refused):
    return [diagnostic.code for diagnostic in refused.value.diagnostics]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_holds_the_files_and_nothing_else(tmp_path):
    output.write_folder(tmp_path / "deep" / "out", FILES, force=False)
    assert names(tmp_path / "deep" / "out") == sorted(FILES)
    assert names(tmp_path / "deep") == ["out"]
    assert (tmp_path / "deep" / "out" / "report.html").read_bytes() == b"<p>"


def test_an_existing_folder_is_refused_and_kept(tmp_path):
    (tmp_path / "report.html").write_bytes(b"signed")
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path, FILES, force=False)
    assert code(refused) == ["F610"]
    assert (tmp_path / "report.html").read_bytes() == b"signed"


def test_force_replaces_its_own_files_only(tmp_path):
    (tmp_path / "report.html").write_bytes(b"old")
    (tmp_path / "notes.txt").write_bytes(b"mine")
    output.write_folder(tmp_path, FILES, force=True)
    assert (tmp_path / "report.html").read_bytes() == b"<p>"
    assert (tmp_path / "notes.txt").read_bytes() == b"mine"
    assert names(tmp_path) == ["decision.json", "notes.txt", "report.html"]


def test_a_disk_that_fills_on_the_way_leaves_nothing(tmp_path, monkeypatch):
    whole = output._write

    def full(path, content):
        if path.name.endswith("decision.json"):
            raise OSError(28, "No space left on device")
        whole(path, content)

    monkeypatch.setattr(output, "_write", full)
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path / "out", FILES, force=False)
    assert code(refused) == ["F611"]
    assert "No space left" in refused.value.diagnostics[0].message
    assert names(tmp_path) == []


def test_a_disk_that_fills_under_force_keeps_the_old_files(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_bytes(b"old")

    def full(path, content):
        path.write_bytes(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output, "_write", full)
    with pytest.raises(Refused):
        output.write_folder(tmp_path, FILES, force=True)
    assert names(tmp_path) == ["report.html"]
    assert (tmp_path / "report.html").read_bytes() == b"old"


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(path, content):
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        output.write_folder(tmp_path / "out", FILES, force=False)
    assert names(tmp_path) == []


def test_a_file_in_the_way_is_told(tmp_path):
    (tmp_path / "out").write_bytes(b"a file")
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path / "out", FILES, force=True)
    assert code(refused) == ["F611"]
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path / "out" / "below", FILES, force=False)
    assert code(refused) == ["F611"]


def test_a_new_folder_has_the_usual_rights(tmp_path):
    old = os.umask(0o027)
    try:
        output.write_folder(tmp_path / "out", FILES, force=False)
    finally:
        os.umask(old)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_one_file_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    output.write_file(path, b"a,b\n", force=False)
    with pytest.raises(Refused) as refused:
        output.write_file(path, b"c\n", force=False)
    assert code(refused) == ["F610"]
    assert path.read_bytes() == b"a,b\n"
    output.write_file(path, b"c\n", force=True)
    assert path.read_bytes() == b"c\n"
    assert names(tmp_path) == ["table.csv"]


def test_a_folder_that_somebody_else_made_meanwhile_is_told_or_filled(tmp_path, monkeypatch):
    """Two reports into one new folder: without --force one of them is refused as usual."""
    whole = output._write

    def slow(path, content):
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / "theirs").write_bytes(b"x")
        whole(path, content)

    monkeypatch.setattr(output, "_write", slow)
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path / "out", FILES, force=False)
    assert code(refused) == ["F610"]
    (tmp_path / "out" / "theirs").unlink()
    (tmp_path / "out").rmdir()
    output.write_folder(tmp_path / "out", FILES, force=True)
    assert names(tmp_path / "out") == ["decision.json", "report.html", "theirs"]
    assert names(tmp_path) == ["out"]


def test_force_puts_no_file_in_the_place_of_a_folder_or_a_device(tmp_path):
    """`--force -o /dev/null` as an administrator would leave a system without it."""
    (tmp_path / "report.html").write_bytes(b"old")
    (tmp_path / "decision.json").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused) as refused:
        output.write_folder(tmp_path, FILES, force=True)
    assert code(refused) == ["F611"]
    assert (tmp_path / "report.html").read_bytes() == b"old"
    for name in ("pipe", "decision.json"):
        with pytest.raises(Refused) as refused:
            output.write_file(tmp_path / name, b"x", force=True)
        assert code(refused) == ["F611"]
    assert names(tmp_path) == ["decision.json", "pipe", "report.html"]


def test_a_link_that_leads_nowhere_is_something(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(Refused) as refused:
        output.write_file(tmp_path / "link", b"x", force=False)
    assert code(refused) == ["F610"]


def test_the_longest_name_can_be_written(tmp_path):
    output.write_folder(tmp_path / ("n" * 255), FILES, force=False)
    output.write_file(tmp_path / ("f" * 255), b"x", force=False)
    assert sorted(map(len, names(tmp_path))) == [255, 255]
