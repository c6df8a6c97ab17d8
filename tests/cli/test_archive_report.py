"""`fiche archive report`: a page that says what decisions and runs say, and how it is asked for."""

import hashlib
import html
import json
import re
from base64 import b64decode

import jsonschema_rs
import pytest
from archive.holdings import CARDS, MODELS, many, stored

from fiche.archive.entry import Row
from fiche.archive.store import Store
from fiche.assets import schema_dir

CARD, PRINTED, MODEL = "nvidia-rtx-4090-24g", "NVIDIA GeForce RTX 4090", "org/small"
PEAK = {"quantity": "max_memory_reserved.peak", "unit": "B", "origin": "observed"}


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A run that passed and one that a later run supersedes, a decision, and something confidential."""
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    store = Store.made(str(tmp_path / "archive"))
    about = {"model": MODEL, "card": PRINTED}
    peaks = [Row(**about, **PEAK, outcome="passed", amount=str(n * 2**30)) for n in (3, 7)]
    old = stored(store, 1, rows=(Row(**about, outcome="failed"),))
    stored(store, 2, rows=tuple(peaks), supersedes=(old.id,), title="<b>mine</b>")
    rows = (Row(model=MODEL, card=CARD, candidate="one", outcome="to confirm"),)
    stored(store, 3, kind="decision", rows=rows, keep_until="2026-12-31")
    stored(store, 4, rows=(Row(**about),), confidentiality="confidential", title="secret plan")
    return store


def page(fiche, tmp_path, *args, name="out"):
    ended = fiche("archive", "report", "-o", tmp_path / name, "--date", "2026-12-01", *args)
    assert ended.code == 0, ended.err
    return (tmp_path / name / "overview.html").read_text(encoding="utf-8")


def document(tmp_path, name="out"):
    told = json.loads((tmp_path / name / "overview.json").read_bytes())
    schema = json.loads((schema_dir() / "archive-overview.schema.json").read_text("utf-8"))
    jsonschema_rs.validator_for(schema).validate(told)
    return told


def test_a_run_and_a_decision_meet_and_neither_admits(fiche, archive, tmp_path):
    text = page(fiche, tmp_path)
    told = document(tmp_path)
    (pair,) = told["meetings"]
    assert (pair["model"], pair["card"], pair["answer"]) == (MODEL, CARD, "to_confirm")
    assert [(one["outcome"], one["count"]) for one in pair["verdicts"]] == [("to confirm", 1)]
    assert [(one["outcome"], one["count"]) for one in pair["runs"]] == [("passed", 1)]
    (peak,) = pair["ranges"]
    assert (peak["low"], peak["high"], peak["entries"]) == (str(7 * 2**30), str(7 * 2**30), 1)
    assert (told["superseded"], told["withheld"], told["entries"]) == (1, 1, 3)
    assert "1 to confirm" in text
    assert "superseded by" in text
    assert "<b>mine" not in text
    assert "secret plan" not in text
    assert "1 confidential entry is left out" in text
    assert re.search("7.00\u00a0GiB", text)


def test_retention_that_ends_is_listed(fiche, archive, tmp_path):
    text = page(fiche, tmp_path, "--with-confidential")
    assert "2026-12-31" in text
    assert "secret plan" in text
    assert document(tmp_path)["leaving_total"] == 1


def test_the_page_asks_for_nothing_and_holds_its_document(fiche, archive, tmp_path):
    text = page(fiche, tmp_path)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    assert policy.startswith("default-src 'none'; ")
    assert "script-src 'none'" in policy
    assert re.findall(r"<script(?! type=\"application/json\")", text) == []
    assert re.findall(r"(?:src|href)=(?!\"?(?:#|data:))[^\s>]+", text) == []
    (content,) = re.findall(r'download="?overview.json"? href="data:[^;]+;base64,([^"]*)"', text)
    made = (tmp_path / "out" / "overview.json").read_bytes()
    assert b64decode(content) == made
    assert hashlib.sha256(made).hexdigest() in text


def test_every_link_leads_somewhere(fiche, archive, tmp_path):
    text = page(fiche, tmp_path)
    ids = set(re.findall(r'id="?([^"\s>]+)', text))
    links = re.findall(r'href="?#([^"\s>]+)', text)
    assert len(links) > 8
    assert set(links) <= ids


@pytest.mark.parametrize(
    ("tag", "word"), [("fr", "à confirmer"), ("pt", "acervo"), ("tr", "Arşiv")]
)
def test_it_speaks_a_language_and_its_document_does_not(fiche, archive, tmp_path, tag, word):
    text = page(fiche, tmp_path, "--language", tag)
    assert f'<html lang="{tag}"' in text
    assert word in text
    spoken = document(tmp_path)
    page(fiche, tmp_path, name="plain")
    assert document(tmp_path, "plain") == spoken


def test_one_file_of_a_page(fiche, archive, tmp_path):
    ended = fiche("archive", "report", "-o", tmp_path / "mine.html", "--json")
    assert ended.code == 0, ended.err
    (row,) = ended.json()["files"]
    content = (tmp_path / "mine.html").read_bytes()
    assert (row["bytes"], row["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())


def test_the_same_day_gives_the_same_bytes(fiche, archive, tmp_path):
    assert page(fiche, tmp_path) == page(fiche, tmp_path, name="again")


def test_what_is_cut_is_said_and_can_be_asked_for(fiche, tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    store = Store.made(str(tmp_path / "archive"))
    store.durable = False
    models = (*MODELS, *(f"org/model-{n}" for n in range(10)))
    for number, one in enumerate(many(90, models, CARDS)):
        stored(store, number, rows=one.rows, kind=one.kind)
    text = page(fiche, tmp_path)
    told = document(tmp_path)
    assert f"6 of {told['models']} models and 4 of 4 cards stand here" in text
    assert sum(told["answers"].values()) == told["pairs"]
    narrow = page(fiche, tmp_path, "--model", "MODEL-7", name="narrow")
    assert {one["model"] for one in document(tmp_path, "narrow")["meetings"]} == {"org/model-7"}
    assert "MODEL-7" in narrow


def test_an_empty_archive_says_so(fiche, tmp_path, monkeypatch):
    monkeypatch.setenv("FICHE_ARCHIVE", str(tmp_path / "archive"))
    Store.made(str(tmp_path / "archive"))
    assert "No entry speaks of a model or of a card." in page(fiche, tmp_path)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("-o", "there"), "F610"),
        (("-o", "there.html"), "F610"),
        (("-o", "new", "--language", "de"), "F602"),
        (("-o", "new", "--date", "soon"), "F702"),
        (("-o", "new", "--archive", "none"), "F930"),
    ],
)
def test_what_is_refused(fiche, archive, tmp_path, monkeypatch, args, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "there.html").write_text("mine", encoding="utf-8")
    ended = fiche("archive", "report", *args)
    assert (ended.code, code in ended.err) == (2, True), ended.err
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "there.html").read_text(encoding="utf-8") == "mine"


def test_an_overview_is_replaced_where_that_is_said(fiche, archive, tmp_path):
    page(fiche, tmp_path)
    before = document(tmp_path)["entries"]
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    stored(archive, 77)
    page(fiche, tmp_path, "--force")
    assert document(tmp_path)["entries"] == before + 1
    assert (tmp_path / "out" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_what_is_left_out_and_what_is_not_is_counted_on_the_page(fiche, archive, tmp_path):
    stored(
        archive,
        7,
        rows=(Row(model=MODEL, card=CARD),),
        confidentiality="internal",
        title="inner run",
    )
    ended = fiche("archive", "report", "-o", tmp_path / "all", "--with-confidential")
    told = document(tmp_path, "all")
    assert (told["confidential"], told["internal"], told["withheld"]) == (1, 1, 0)
    assert "1 confidential entry and 1 internal entry are in" in " ".join(ended.err.split())
    text = (tmp_path / "all" / "overview.html").read_text(encoding="utf-8")
    assert "1 confidential entry is on this page" in text
    text = page(fiche, tmp_path, "--without", "internal", name="some")
    told = document(tmp_path, "some")
    assert (told["withheld"], told["withheld_internal"], told["internal"]) == (1, 1, 0)
    assert "1 internal entry is left out" in text
    assert "inner run" not in text
