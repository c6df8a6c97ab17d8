"""`--review` and `--draft`: what is printed, attached and written; no verdict changes, nor does its digest."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "samples" / "committee"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("reviewed") / "committee"
    shutil.copytree(FOLDER, found)
    return found


def decided(fiche, folder, *more):
    ended = fiche("check", folder / "fiche.yaml", "--json", *more)
    assert ended.code == 0, ended.err
    return ended.json()


def test_comments_stand_beside_a_decision_that_they_do_not_change(fiche, folder):
    plain = decided(fiche, folder)
    told = decided(fiche, folder, "--review", folder / "review.yaml")
    comments = told.pop("comments")
    own = [one for one in told["inputs"] if one["role"] == "review"]
    told["inputs"] = [one for one in told["inputs"] if one["role"] != "review"]
    assert told == plain  # the fiche's id too
    content = (folder / "review.yaml").read_bytes()
    assert [one["file"] for one in own] == ["review.yaml"]
    assert own[0]["sha256"] == hashlib.sha256(content).hexdigest()
    assert comments["counts"] == {"comments": 4, "open": 2, "resolved": 2}
    assert [one["id"] for one in comments["entries"]] == ["c1", "c2", "c3", "c4"]
    assert [one["state"] for one in comments["entries"]] == ["open", "resolved"] * 2
    assert comments["entries"][0]["at"].startswith("review.yaml:")
    assert comments["is_of_another_version"] is False


def written(folder, of, name):
    text = (folder / "review.yaml").read_text(encoding="utf-8")
    path = folder / name
    path.write_text(text.replace("review: 1\n", f"review: 1\nof: {of}\n"), encoding="utf-8")
    return path


def test_the_version_commented_on_is_known_by_id_and_by_digest(fiche, folder):
    out = fiche("check", folder / "fiche.yaml", "--json").out
    own = json.loads(out)["fiche"]["id"]
    digest = hashlib.sha256(out.encode()).hexdigest()
    for of, apart in ((own, False), (digest, False), (f"sha256:{digest}", False), ("b" * 64, True)):
        path = written(folder, of, "versions.yaml")
        found = decided(fiche, folder, "--review", path)["comments"]
        assert (found["of"], found["is_of_another_version"]) == (of.removeprefix("sha256:"), apart)


def test_the_file_is_attached_and_what_is_attached_compiles_to_the_same_bytes(
    fiche, folder, tmp_path
):
    review = folder / "review.yaml"
    args = ("--review", review, "--formats", "html,json,md,crate")
    assert fiche("report", folder / "fiche.yaml", *args, "-o", tmp_path / "out").code == 0
    first = (tmp_path / "out" / "decision.json").read_bytes()
    attached = tmp_path / "out" / "attachments" / "review.yaml"
    assert attached.read_bytes() == review.read_bytes()
    shutil.copytree(folder, tmp_path / "again")
    shutil.copy(attached, tmp_path / "again" / "review.yaml")
    again = tmp_path / "again"
    out = fiche("check", again / "fiche.yaml", "--json", "--review", again / "review.yaml").out
    assert out.encode() == first
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "id=comment-c1>" in page
    assert 'href="#comment-c1"' in page
    assert "Why 2 GiB?" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_file_of_the_same_name_elsewhere_gets_a_name_of_its_own(fiche, folder, tmp_path):
    other = tmp_path / "offers.yaml"
    shutil.copy(folder / "review.yaml", other)
    found = decided(fiche, folder, "--review", other)
    assert found["comments"]["file"] == "review/offers.yaml"
    names = [one["file"] for one in found["inputs"]]
    assert len(names) == len(set(names))


def test_a_terminal_shows_them_too(fiche, folder):
    told = fiche("check", folder / "fiche.yaml", "--review", folder / "review.yaml").out
    assert "Comments by people: 2 open, 2 resolved; see Comments." in told
    assert "c1 ◊ open" in told
    assert "c2 √ resolved" in told


def test_hostile_words_stay_words(fiche, folder, tmp_path):
    attack = "</script><img src=x onerror=alert(1)> {{7*7}} ]]> " + "x" * 4000
    path = tmp_path / "review.yaml"
    entry = {"id": "c1", "by": attack[:900], "role": attack[:900], "date": "2026-12-01"}
    entry |= {"on": "report", "says": attack}
    path.write_text(json.dumps({"review": 1, "comments": [entry]}), encoding="utf-8")
    out = tmp_path / "out"
    args = ("--review", path, "--formats", "html,md", "-o", out)
    assert fiche("report", folder / "fiche.yaml", *args).code == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "&lt;img src=x" in page
    assert "{{7*7}}" in page
    assert "<img" not in (out / "report.md").read_text(encoding="utf-8").replace("\\<img", "")


def test_wrong_comments_are_refused_with_their_place(fiche, folder, tmp_path):
    path = tmp_path / "review.yaml"
    entry = {"id": "c1", "by": "A", "date": "2026-12-01", "on": "two-600-ada", "says": "x"}
    path.write_text(json.dumps({"review": 1, "comments": [entry]}), encoding="utf-8")
    ended = fiche("check", folder / "fiche.yaml", "--review", path)
    assert ended.code == 2
    assert "review.yaml:1:" in ended.err
    assert "F661" in ended.err
    assert "did you mean two-6000-ada" in ended.err
    ended = fiche("check", folder / "fiche.yaml", "--review", folder / "fiche.yaml")
    assert ended.code == 2
    assert "fiche.yaml:3:1: F660" in ended.err


def test_a_draft_says_so_and_its_decision_is_the_same(fiche, folder, tmp_path):
    made = {}
    for name, more in (("plain", ()), ("draft", ("--draft",))):
        args = ("--formats", "html,json,md", "-o", tmp_path / name, *more)
        assert fiche("report", folder / "fiche.yaml", *args).code == 0
        made[name] = {
            suffix: (tmp_path / name / file).read_text(encoding="utf-8")
            for suffix, file in (
                ("html", "report.html"),
                ("json", "decision.json"),
                ("md", "report.md"),
            )
        }
    assert made["plain"]["json"] == made["draft"]["json"]
    page = made["draft"]["html"]
    assert 'data-draft="DRAFT"' in page
    assert 'class="short draft"' in page
    assert "<title>Draft: Two 48 GB cards" in page
    assert "is not to be signed" in page
    assert made["draft"]["md"].startswith("# Draft: Two 48 GB cards")
    assert "not to be signed" in made["draft"]["md"]
    for text in made["plain"].values():
        assert "DRAFT" not in text.replace(".draft", "")
        assert "Draft: " not in text


def test_nothing_of_it_is_loaded_where_no_comments_are_given(folder, tmp_path):
    program = (
        "import sys; from fiche.cli import main\n"
        f"sys.argv = ['fiche', 'report', {str(folder / 'fiche.yaml')!r}, '-o', {str(tmp_path / 'o')!r},"
        " '--formats', 'html,json']\n"
        "try: main.run()\nexcept SystemExit: pass\n"
        "names = ('comment', 'review', 'comments', 'remarks', 'nameable', 'draft', 'reviewed', '_review')\n"
        "print([m for m in sys.modules if m.startswith('fiche.') and m.rpartition('.')[2] in names])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"
