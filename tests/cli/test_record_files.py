"""Folders in the place of files: one without a record is told, whatever was to be done with its records."""

import shutil
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.parametrize("what", [(), ("--merge", "out.json"), ("--to", "chat/fiche.yaml")])
def test_a_folder_without_records_is_refused_whatever_is_asked(fiche, tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SAMPLES / "serving", tmp_path / "chat")
    before = (tmp_path / "chat" / "fiche.yaml").read_bytes()
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("nothing")
    ended = fiche("import", "empty", *what)
    assert (ended.code, ended.out) == (2, "")
    assert "F318" in ended.err
    assert "holds no record (1 other files)" in ended.err
    assert (tmp_path / "chat" / "fiche.yaml").read_bytes() == before
    assert not (tmp_path / "out.json").exists()
