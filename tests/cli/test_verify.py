"""`fiche verify`: its exit codes, what it prints for people and for machines, folders, and files put back."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jsonschema_rs import validator_for

from fiche.assets import schema_text

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "samples" / "guide" / "fiche.yaml"
SCHEMA = json.loads(schema_text("verification.schema.json"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A report in every form that needs no Pango."""
    out = tmp_path_factory.mktemp("report") / "out"
    command = [sys.executable, "-m", "fiche", "report", GUIDE, "-o", out]
    subprocess.run(
        [*command, "--formats", "html,json,csv,md,crate"], check=True, capture_output=True
    )
    return out


@pytest.fixture
def copied(folder, tmp_path):
    """The same to change things in."""
    import shutil

    return Path(shutil.copytree(folder, tmp_path / "out"))


def outcomes(ended):
    document = ended.json()
    validator_for(SCHEMA).validate(document)
    steps = [*(s for one in document["reports"] for s in one["steps"])]
    return {
        s["key"]: s["outcome"]
        for s in [*steps, *([document["folder"]] if document["folder"] else [])]
    }


def codes(ended):
    return sorted(set(re.findall(r"F9\d\d", ended.out)))


def test_a_page_holds(fiche, folder):
    ended = fiche("verify", folder / "report.html")
    assert (ended.code, ended.err) == (0, "")
    assert re.findall(r"^ (\d)  ", ended.out, re.MULTILINE) == list("1234567")
    assert "Holds: every verdict and number follows from the files inside" in ended.out
    assert "Not proven by any of this:\n    - that the pieces are genuine" in ended.out
    assert max(map(len, ended.out.split("\n"))) <= 120


def test_as_json_it_is_what_its_schema_says(fiche, folder):
    ended = fiche("verify", folder / "report.html", "--json")
    assert set(outcomes(ended).values()) == {"ok"}
    document = ended.json()
    assert (document["holds"], document["folder"]) == (True, None)
    decision = (folder / "decision.json").read_bytes()
    assert document["reports"][0]["decision_sha256"] == hashlib.sha256(decision).hexdigest()


def test_a_change_ends_with_3_and_is_named(fiche, copied):
    page = (copied / "report.html").read_bytes()
    (copied / "report.html").write_bytes(page.replace(b"Not established", b"Established", 1))
    ended = fiche("verify", copied / "report.html")
    assert (ended.code, codes(ended)) == (3, ["F911"])
    assert "Does not hold: 1 step fails." in ended.out
    assert outcomes(fiche("verify", copied / "report.html", "--json"))["body"] == "failed"


@pytest.mark.parametrize(("text", "code"), [(b"hello", "F900"), (b"%PDF-1.7\nx", "F901")])
def test_what_cannot_be_read_ends_with_2(fiche, tmp_path, text, code):
    (tmp_path / "x").write_bytes(text)
    ended = fiche("verify", tmp_path / "x")
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err


def test_a_signature_may_be_asked_for(fiche, folder):
    ended = fiche("verify", folder / "report.html", "--require-signature")
    assert (ended.code, codes(ended)) == (3, ["F928"])


# --- Folders --------------------------------------------------------------------------------------


def test_a_folder_holds(fiche, folder):
    ended = fiche("verify", folder, "--json")
    assert (ended.code, set(outcomes(ended).values())) == (0, {"ok"})
    assert "folder" in outcomes(ended)
    assert (
        "the folder\n\n 1  The files of the folder belong together" in fiche("verify", folder).out
    )


def without_page(folder):
    for name in ("report.html", "SHA256SUMS"):
        (folder / name).unlink()


def other(name):
    def change(folder):
        path = folder / name
        path.write_bytes(path.read_bytes() + b"\n")

    return change


def gone(name):
    return lambda folder: (folder / name).unlink()


def link(folder):
    (folder / "report.md").unlink()
    (folder / "report.md").symlink_to("/etc/passwd")


def pipe(folder):
    (folder / "report.md").unlink()
    os.mkfifo(folder / "report.md")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (other("decision.json"), "decision.json is not the one that the report carries"),
        (other("tables/findings.csv"), "tables/findings.csv is not what the decision gives"),
        (other("report.md"), "report.md is not what the decision gives"),
        (other("attachments/fiche.yaml"), "attachments/fiche.yaml is not what the decision gives"),
        (other("ro-crate-metadata.json"), "ro-crate-metadata.json is not what the decision gives"),
        (gone("tables/findings.csv"), "tables/findings.csv is missing"),
        (link, "report.md is a link, a device or a folder too deep"),
        (pipe, "report.md is a link, a device or a folder too deep"),
        (
            lambda folder: (folder / "tables" / "x.csv").touch(),
            "tables/x.csv is not of this decision",
        ),
    ],
)
def test_a_change_of_a_folder_is_named(fiche, copied, change, words):
    change(copied)
    ended = fiche("verify", copied, "--json")
    assert ended.code == 3
    texts = [point["text"] for point in ended.json()["folder"]["points"] if point["code"] == "F916"]
    assert any(words in text for text in texts), texts


def test_files_of_others_are_listed_and_do_no_harm(fiche, copied):
    (copied / "minutes.txt").write_text("mine", encoding="utf-8")
    ended = fiche("verify", copied)
    assert ended.code == 0
    assert "not looked at, since fiche did not write them: minutes.txt" in " ".join(
        ended.out.split()
    )


def test_attachments_alone_are_enough_for_the_decision(fiche, copied):
    without_page(copied)
    ended = fiche("verify", copied, "--json")
    found = outcomes(ended)
    assert (ended.json()["reports"][0]["kind"], found["decision"]) == ("folder", "ok")
    other("attachments/fiche.yaml")(copied)
    assert fiche("verify", copied).code == 3


def test_a_folder_without_a_report_is_refused(fiche, tmp_path):
    ended = fiche("verify", tmp_path)
    assert (ended.code, "F900" in ended.err) == (2, True)


# --- Files put back -------------------------------------------------------------------------------


def test_files_come_back_under_their_own_names_and_compile_to_the_same(fiche, folder, tmp_path):
    ended = fiche("verify", folder / "report.html", "--extract", tmp_path / "again")
    assert ended.code == 0
    assert f"    {tmp_path / 'again' / 'fiche.yaml'}\n" in ended.out
    assert (tmp_path / "again" / "fiche.yaml").read_bytes() == GUIDE.read_bytes()
    assert not list((tmp_path / "again").rglob("*catalog*"))
    fiche("report", tmp_path / "again" / "fiche.yaml", "-o", tmp_path / "new", "--formats", "json")
    new, old = (each / "decision.json" for each in (tmp_path / "new", folder))
    assert new.read_bytes() == old.read_bytes()


def test_nothing_is_put_over_anything(fiche, folder, tmp_path):
    ended = fiche("verify", folder / "report.html", "--extract", tmp_path)
    assert (ended.code, "F610" in ended.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_leaves_nothing(folder, tmp_path):
    command = [sys.executable, "-m", "fiche", "verify", folder / "report.html"]
    running = subprocess.Popen(
        [*command, "--extract", tmp_path / "again"], cwd=tmp_path, stdout=-1, stderr=-1
    )
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    running.communicate()
    assert running.returncode in (130, 0, -signal.SIGINT)
    left = [path.name for path in tmp_path.iterdir()]
    assert left in ([], ["again"])
    assert not list(tmp_path.rglob("*.partial"))
