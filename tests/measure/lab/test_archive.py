"""The archive: the same bytes for the same version, whole, with its digests, licence and guide (F9, F5)."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from measure.lab.carried import ran

from fiche.cli.skeleton import COLUMNS
from fiche.measure.lab.archive import NOTEBOOK, SCRIPT, lab_files, zipped
from fiche.measure.protocol.tool import FORMAT, VERSION

ROOT = Path(__file__).resolve().parents[3]
TABLE = ",".join(COLUMNS) + "\n"
FILES = lab_files(TABLE)
GUIDE = FILES["README.md"].decode("utf-8")


def test_it_holds_all_that_a_machine_without_fiche_needs():
    assert set(FILES) == {
        SCRIPT, NOTEBOOK, "README.md", "comparison.csv", "LICENSE", "VERSION", "SHA256SUMS",
    }  # fmt: skip
    assert FILES["VERSION"].decode() == f"fiche lab {VERSION}\n{FORMAT}\n"
    assert FILES["comparison.csv"].decode() == TABLE


def test_its_licence_is_that_of_fiche():
    assert FILES["LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_the_digests_are_those_of_its_files():
    lines = FILES["SHA256SUMS"].decode("ascii").splitlines()
    assert dict(reversed(line.split("  ")) for line in lines) == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in FILES.items()
        if name != "SHA256SUMS"
    }


def test_the_same_version_has_the_same_bytes():
    assert lab_files(TABLE) == FILES
    assert zipped(FILES) == zipped(dict(FILES))


def test_the_archive_holds_the_files_under_their_version():
    with zipfile.ZipFile(io.BytesIO(zipped(FILES))) as archive:
        folder = f"fiche-lab-{VERSION}/"
        assert {n.removeprefix(folder): archive.read(n) for n in archive.namelist()} == FILES
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_no_file_is_larger_than_a_person_reads():
    assert all(len(content) < 400_000 for content in FILES.values())


@pytest.mark.parametrize(
    "words",
    [
        "## Prerequisites",
        "## Commands",
        "| `cold_forward` |",
        "| `warm_forward` |",
        "the start of a server, a driver or a service",
        "no LLM context",
        "## Limits of interpretation",
        "says nothing about a language model",
        "Two peaks are not one instant",
        "never overwritten",
        "fiche import m.json",
        "m.json.journal",
        f"# Fiche lab {VERSION}",
    ],
)
def test_the_guide_says_what_a_record_does_and_does_not_prove(words):
    """F9: prerequisites, what each phase covers, limits of interpretation."""
    assert words in GUIDE
    assert "{{" not in GUIDE


def commands():
    text = GUIDE.replace("\\\n", " ")
    return [
        " ".join(found.split())
        for found in re.findall(r"^    python fiche_lab.py (.+)$", text, re.M)
    ]


def test_every_command_of_the_guide_is_understood(tmp_path):
    """F1 to F3: the commands as printed; measuring is refused here for want of a GPU, and of nothing else."""
    (tmp_path / SCRIPT).write_bytes(FILES[SCRIPT])
    assert [command.split()[0] for command in commands()] == ["estimate", "environment", "measure"]
    codes = [
        ran(SCRIPT, *command.split(), cwd=tmp_path, flags=("-I", "-S")) for command in commands()
    ]
    assert [ended.returncode for ended in codes] == [0, 0, 2]
    assert "PyTorch is not installed" in codes[-1].stderr


def test_each_option_of_the_guide_exists_and_each_one_is_in_the_guide(tmp_path):
    (tmp_path / SCRIPT).write_bytes(FILES[SCRIPT])
    told = ran(SCRIPT, "measure", "--help", cwd=tmp_path, flags=("-I", "-S")).stdout
    options = set(re.findall(r"--[a-z][a-z-]+", told)) - {"--help"}
    assert options <= set(re.findall(r"--[a-z][a-z-]+", GUIDE))
    table = GUIDE.partition("| option |")[2].partition("| it ends with |")[0]
    assert set(re.findall(r"`(--[a-z][a-z-]+)", table)) <= options


def test_the_notebook_travels_without_outputs():
    cells = json.loads(FILES[NOTEBOOK])["cells"]
    assert not any(cell.get("outputs") for cell in cells)
