"""`fiche report --verapdf`: a report is called validated after a validator said so, and never before."""

import hashlib
import json

import pytest
from cli.test_reports import GUIDE
from cli.verapdf_stand_in import program, speaking, xml

from fiche.cli.validation import FILE

HTML_ONLY = ("--formats", "html")


def reported(fiche, folder, path, *options):
    return fiche(
        "report", GUIDE, "-o", folder / "out", "--formats", "pdf", "--verapdf", path, *options
    )


@pytest.mark.slow
def test_a_valid_pdf_is_said_to_be_valid_beside_it(fiche, tmp_path):
    ended = reported(fiche, tmp_path, speaking(tmp_path, f3a=xml("3a"), fua1=xml("ua1")), "--json")
    assert (ended.code, ended.err) == (0, "")
    pdf = (tmp_path / "out" / "report.pdf").read_bytes()
    told = json.loads((tmp_path / "out" / FILE).read_bytes())
    assert told == ended.json()["validation"]
    assert told["sha256"] == hashlib.sha256(pdf).hexdigest()
    assert told["validator"] == {"name": "veraPDF", "version": "1.26.1"}
    assert told["valid"] is True
    assert [s["outcome"] for s in told["standards"]] == ["compliant", "compliant"]
    assert FILE in {row["file"].rpartition("/")[2] for row in ended.json()["files"]}


@pytest.mark.slow
def test_a_rule_that_fails_is_named_and_ends_with_3(fiche, tmp_path):
    ended = reported(fiche, tmp_path, speaking(tmp_path, f3a=xml("3a"), fua1=xml("ua1", False)))
    assert ended.code == 3
    assert "PDF/A-3a compliant, PDF/UA-1 not compliant" in ended.out
    assert (
        "F605 report.pdf is not PDF/UA-1: ISO 14289-1:2014 7.5 (A cell has no heading)" in ended.err
    )
    told = json.loads((tmp_path / "out" / FILE).read_bytes())
    assert told["valid"] is False
    assert told["standards"][1]["failures"][0]["clause"] == "7.5"
    assert (tmp_path / "out" / "report.pdf").exists()


@pytest.mark.slow
def test_no_verdict_is_no_pass(fiche, tmp_path):
    ended = reported(fiche, tmp_path, program(tmp_path, "print('\\x1b[2J hello')"))
    assert ended.code == 3
    assert ended.err.count("F604") == 2
    assert "\x1b" not in ended.err + ended.out
    assert json.loads((tmp_path / "out" / FILE).read_bytes())["valid"] is None


def test_a_program_that_is_not_there_is_refused_before_anything_is_made(fiche, tmp_path):
    ended = reported(fiche, tmp_path, tmp_path / "nowhere")
    assert (ended.code, "F603" in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_there_must_be_a_pdf_to_validate(fiche, tmp_path):
    path = program(tmp_path, "")
    ended = fiche("report", GUIDE, "-o", tmp_path / "out", *HTML_ONLY, "--verapdf", path)
    assert (ended.code, "F702" in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()
