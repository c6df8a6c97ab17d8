"""`fiche diff -o`: a report of what changed, with its document and both sides attached; refusals."""

import hashlib
import json
import re
from base64 import b64decode
from io import BytesIO

import pytest
from cli.test_diff import decisions, fiches, folder, valid
from pypdf import PdfReader

__all__ = ["decisions", "folder"]


def files(path):
    return {one.name: one.read_bytes() for one in path.iterdir()}


def test_all_formats_are_of_one_difference(fiche, folder, tmp_path):
    out = tmp_path / "out"
    ended = fiche("diff", *fiches(folder), "-o", out, "--formats", "json,html,pdf,md", "--json")
    assert ended.code == 0, ended.err
    made = files(out)
    assert sorted(made) == ["diff.html", "diff.json", "diff.md", "diff.pdf"]
    for row in ended.json()["files"]:
        assert hashlib.sha256(made[row["file"].rpartition("/")[2]]).hexdigest() == row["sha256"]
    document = valid(json.loads(made["diff.json"]))
    assert document == fiche("diff", *fiches(folder), "--json").json()
    digest = hashlib.sha256(made["diff.json"]).hexdigest()
    page = made["diff.html"].decode()
    pages = PdfReader(BytesIO(made["diff.pdf"])).pages
    paper = "".join(p.extract_text() for p in pages).replace("\xa0", " ")
    for text in (page, made["diff.md"].decode(), paper):
        assert digest in text
        assert "rent-4090" in text
    assert "100.00 USD" in paper


def test_the_page_holds_its_files_and_no_script(fiche, folder, tmp_path):
    fiche("diff", *fiches(folder), "-o", tmp_path / "out", "--formats", "html,pdf,json")
    made = files(tmp_path / "out")
    page = made["diff.html"].decode()
    assert "script-src 'none'" in page
    assert re.findall(r"<script(?! type=\"application/json\")", page) == []
    links = re.findall(r'download="?([^"\s]+)"? href="data:[^;]+;base64,([^"]*)"', page)
    saved = {name: b64decode(content) for name, content in links}
    assert sorted(saved) == ["after_fiche.yaml", "before_fiche.yaml", "diff.json", "manifest.json"]
    assert saved["diff.json"] == made["diff.json"]
    assert saved["before_fiche.yaml"] == fiches(folder)[0].read_bytes()
    pdf = PdfReader(BytesIO(made["diff.pdf"]))
    assert {name: parts[0] for name, parts in pdf.attachments.items()} == saved


def test_documents_languages_and_drafts(fiche, decisions, tmp_path):
    out = tmp_path / "out"
    args = ("--formats", "html,md", "--language", "fr", "--draft")
    assert fiche("diff", *decisions, "-o", out, *args).code == 0
    made = files(out)
    assert b'<html lang="fr"' in made["diff.html"]
    assert b'class="short draft"' in made["diff.html"]
    assert "Ce qui a changé" in made["diff.md"].decode()


def test_the_terminal_s_text_and_codes_stay(fiche, folder, tmp_path):
    plain = fiche("diff", *fiches(folder)).out
    assert "verdicts moved" in plain
    out = tmp_path / "out"
    ended = fiche("diff", *fiches(folder), "-o", out, "--formats", "md", "--exit-code")
    assert ended.code == 3
    assert (out / "diff.md").is_file()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--formats", "html"), "F702"),
        (("--draft",), "F702"),
        (("-o", "new", "--formats", "csv"), "F701"),
        (("-o", "new", "--formats", ""), None),
        (("-o", "there"), "F610"),
    ],
)
def test_what_is_refused(fiche, folder, tmp_path, monkeypatch, more, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    ended = fiche("diff", *fiches(folder), *more)
    assert (ended.code, code is None or code in ended.err) == (0 if code is None else 2, True)
