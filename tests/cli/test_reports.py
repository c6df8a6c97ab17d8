"""`fiche report` and `fiche check`: what they write, print and refuse (E4, law 9)."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

ROOT = Path(__file__).parents[2]
SERVING = ROOT / "samples" / "serving" / "fiche.yaml"
GUIDE = ROOT / "samples" / "guide" / "fiche.yaml"


def test_a_report_is_three_files_in_a_new_folder(fiche, tmp_path):
    ended = fiche("report", GUIDE, "-o", tmp_path / "out", "--json")
    assert ended.code == 0
    written = {Path(row["file"]).name: row for row in ended.json()["files"]}
    assert sorted(written) == ["SHA256SUMS", "decision.json", "report.html", "report.pdf"]
    for name, row in written.items():
        content = (tmp_path / "out" / name).read_bytes()
        assert row["bytes"] == len(content)
        assert row["sha256"] == hashlib.sha256(content).hexdigest()


def test_formats_limit_it(fiche, tmp_path):
    fiche("report", GUIDE, "-o", tmp_path / "out", "--formats", "json, html")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "SHA256SUMS",
        "decision.json",
        "report.html",
    ]


def test_every_format_names_the_same_decision(fiche, tmp_path):
    """HTML, PDF, JSON, CSV, Markdown and the crate state one digest: decision.json's own."""
    names = "json,csv,md,html,pdf,crate"
    ended = fiche("report", GUIDE, "-o", tmp_path / "out", "--formats", names, "--json")
    written = {row["file"]: row["sha256"] for row in ended.json()["files"]}
    folder = tmp_path / "out"
    for file, sha256 in written.items():
        assert hashlib.sha256(Path(file).read_bytes()).hexdigest() == sha256
    digest = written[str(folder / "decision.json")]
    assert written[str(folder / "attachments" / "decision.json")] == digest
    for name in ("report.md", "report.html", "tables/datapackage.json", "ro-crate-metadata.json"):
        assert digest.encode() in (folder / name).read_bytes()
    text = "".join(page.extract_text() for page in PdfReader(folder / "report.pdf").pages)
    assert digest[:12] in text
    attached = PdfReader(folder / "report.pdf").attachments
    assert hashlib.sha256(attached["decision.json"][0]).hexdigest() == digest
    assert fiche("report", GUIDE, "-o", folder, "--formats", names, "--force").code == 0
    assert not [path for path in folder.rglob("*") if path.name.endswith(".partial")]


@pytest.mark.parametrize("formats", ["", "docx", "html,docx", ","])
def test_an_unknown_format_is_refused_before_anything_is_written(fiche, tmp_path, formats):
    ended = fiche("report", GUIDE, "-o", tmp_path / "out", "--formats", formats)
    assert (ended.code, "F701" in ended.err, ended.out) == (2, True, "")
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_needs_force(fiche, tmp_path):
    (tmp_path / "kept.txt").write_text("mine", encoding="utf-8")
    refused = fiche("report", GUIDE, "-o", tmp_path, "--formats", "json")
    assert (refused.code, "F610" in refused.err) == (2, True)
    assert fiche("report", GUIDE, "-o", tmp_path, "--formats", "json", "--force").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "SHA256SUMS",
        "decision.json",
        "kept.txt",
    ]
    listed = (tmp_path / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    assert [line[66:] for line in listed] == ["decision.json"]


def test_any_machine_can_check_the_folder(fiche, tmp_path):
    """SHA256SUMS names every other file, those in folders too, as coreutils reads it."""
    folder = tmp_path / "out"
    fiche("report", GUIDE, "-o", folder, "--formats", "json,csv,crate")
    every = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    lines = (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    names = [line[66:] for line in lines]
    assert names == sorted(every - {"SHA256SUMS"})
    assert {name.partition("/")[0] for name in names} >= {"tables", "attachments"}
    checked = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(checked, cwd=folder, check=False).returncode == 0
    (folder / "decision.json").write_bytes(b"{}")
    assert subprocess.run(checked, cwd=folder, check=False, capture_output=True).returncode == 1


def test_check_prints_the_very_decision_that_report_writes(fiche, tmp_path):
    fiche("report", SERVING, "-o", tmp_path / "out", "--formats", "json")
    printed = fiche("check", SERVING, "--json").out
    assert printed.encode() == (tmp_path / "out" / "decision.json").read_bytes()


def test_a_verdict_changes_the_code_only_where_a_gate_is_asked_for(fiche):
    """Law 9: 3 is a gate not met."""
    assert fiche("check", GUIDE).code == 0
    assert fiche("check", GUIDE, "--require-retained").code == 3
    assert fiche("check", SERVING, "--require-retained").code == 0


def _report(folder, tmp_path, **environment):
    command = [sys.executable, "-m", "fiche", "report", "fiche.yaml", "-o", str(tmp_path)]
    subprocess.run(
        command, check=True, cwd=folder, env={**os.environ, **environment}, capture_output=True
    )
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_two_folders_zones_and_processes_give_the_same_bytes(tmp_path):
    """Law 5: the same bytes in, the same bytes out."""
    other = tmp_path / "elsewhere" / "serving"
    other.parent.mkdir()
    subprocess.run(["cp", "-r", str(SERVING.parent), str(other)], check=True)
    one = _report(SERVING.parent, tmp_path / "one", TZ="UTC", PYTHONHASHSEED="1", LANG="C")
    two = _report(
        other,
        tmp_path / "two",
        TZ="Asia/Tokyo",
        PYTHONHASHSEED="2",
        LC_ALL="C.UTF-8",
        FICHE_NO_CACHE="1",
    )
    assert sorted(one) == ["SHA256SUMS", "decision.json", "report.html", "report.pdf"]
    assert one == two


def test_decision_json_is_one_object_of_the_documented_form(fiche):
    decision = json.loads(fiche("check", SERVING, "--json").out)
    assert decision["format"] == "fiche-decision/1"
    assert {c["status"] for c in decision["candidates"]} == {"retained", "to_confirm", "excluded"}
