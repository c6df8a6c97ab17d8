"""How a fiche and its pieces may be kept and shown: told, carried on, printed, and never dropped in silence."""

import json

import pytest
from loading import CANDIDATES, HEAD, Importers, MemoryFolder

from fiche.kernel.custody import NO_CUSTODY, Custody, highest
from fiche.kernel.diagnostic import Refused
from fiche.load.fiche import load_bytes

TOLD = """\
rights: CC-BY-4.0, given by A. Martin
confidentiality: internal
keep_until: 2031-12-31
identifier: doi:10.5281/zenodo.1234567
supersedes: [fiche-2025, 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08]
"""
PIECE = "workload: {}\npieces:\n  - id: note\n    file: note.txt\n    kind: document\n"


def loaded(text):
    folder = MemoryFolder({"note.txt": b"Fourteen days of delivery.\n"})
    return load_bytes("fiche.yaml", text.encode(), folder, Importers(())).fiche


def test_nothing_told_is_nothing():
    fiche = loaded(HEAD + PIECE + CANDIDATES)
    assert fiche.custody == NO_CUSTODY
    assert fiche.pieces[0].custody == NO_CUSTODY
    assert fiche.pieces[0].reading.warnings == ()


def test_the_fiche_and_a_piece_say_it_alike():
    indented = "".join(f"    {line}\n" for line in TOLD.splitlines())
    fiche = loaded(HEAD + TOLD + PIECE + indented + CANDIDATES)
    assert fiche.custody == Custody(
        rights="CC-BY-4.0, given by A. Martin",
        confidentiality="internal",
        keep_until="2031-12-31",
        identifier="doi:10.5281/zenodo.1234567",
        supersedes=(
            "fiche-2025",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ),
    )
    assert fiche.pieces[0].custody == fiche.custody


@pytest.mark.parametrize(
    ("day", "warned"), [("2026-11-28", True), ("2026-11-29", False), ("2027-01-01", False)]
)
def test_a_piece_past_its_day_is_used_and_named(day, warned):
    """The fiche is of 2026-11-29."""
    fiche = loaded(HEAD + PIECE + f"    keep_until: {day}\n" + CANDIDATES)
    told = fiche.pieces[0].reading.warnings
    assert bool(told) is warned
    assert all(day in one and "2026-11-29" in one for one in told)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("confidentiality: secret", "F304"),
        ("keep_until: tomorrow", None),
        ("keep_until: 2026-02-30", None),
        ("identifier: my file", None),
        ("identifier: http://example.org/x", None),
        ("supersedes: older", None),
        ("supersedes: []", None),
        ("rights: []", None),
    ],
)
def test_what_it_cannot_be(line, code):
    for text in (
        HEAD + line + "\n" + PIECE + CANDIDATES,
        HEAD + PIECE + f"    {line}\n" + CANDIDATES,
    ):
        with pytest.raises(Refused) as refused:
            loaded(text)
        found = [one.code for one in refused.value.diagnostics]
        assert len(found) == 1
        assert code is None or found == [code]


def test_the_highest_level_counts():
    levels = [Custody(confidentiality=level) for level in ("public", "confidential", "internal")]
    assert highest(levels) == "confidential"
    assert highest([NO_CUSTODY, levels[0]]) == "public"
    assert highest([NO_CUSTODY]) == ""


# --- What becomes of it -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A report of every format, by language, of a fiche whose one piece is confidential."""
    from fiche.cli.compile import compile_fiche
    from fiche.cli.reports import Asked, files

    folder = tmp_path_factory.mktemp("told")
    more = "    confidentiality: confidential\n    rights: shown by permission of P. Vidal\n"
    more += "    keep_until: 2026-01-31\n    identifier: urn:test:note\n"
    (folder / "fiche.yaml").write_text(HEAD + TOLD + PIECE + more + CANDIDATES, encoding="utf-8")
    (folder / "note.txt").write_text("Fourteen days of delivery.\n", encoding="utf-8")
    compiled = compile_fiche(folder / "fiche.yaml")
    formats = ("html", "pdf", "json", "md", "crate")
    return {
        tag: files(compiled, Asked(formats=formats, language=tag, annex=True))
        for tag in ("en", "fr", "pt", "tr")
    }


def test_decision_json_has_it(written):
    decision = json.loads(written["en"]["decision.json"])
    assert decision["fiche"]["rights"] == "CC-BY-4.0, given by A. Martin"
    assert decision["fiche"]["supersedes"][0] == "fiche-2025"
    (piece,) = decision["pieces"]
    assert (piece["confidentiality"], piece["keep_until"]) == ("confidential", "2026-01-31")
    assert "supersedes" not in piece
    assert any("2026-01-31" in one for one in piece["warnings"])


@pytest.mark.parametrize(
    ("tag", "word"),
    [("en", "Confidential"), ("fr", "Confidentiel"), ("pt", "Confidencial"), ("tr", "Gizli")],
)
def test_each_page_says_the_highest_level(written, tag, word):
    import io

    from pypdf import PdfReader

    files = written[tag]
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(files["report.pdf"])).pages]
    assert len(pages) > 1
    assert all(word in page for page in pages)
    head = files["report.html"].decode().partition("<main")[0]
    assert f">{word}<" in head
    assert word in files["report.md"].decode()
    day = {"en": "2026-01-31", "fr": "31 janvier 2026", "pt": "31 de janeiro de 2026"}
    assert day.get(tag, "31 Ocak 2026") in files["report.html"].decode().replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_the_crate_has_a_licence_where_rights_are_told(written):
    graph = {
        one["@id"]: one for one in json.loads(written["en"]["ro-crate-metadata.json"])["@graph"]
    }
    root, note = graph["./"], graph["attachments/note.txt"]
    assert graph[root["license"]["@id"]]["name"] == "CC-BY-4.0, given by A. Martin"
    assert root["identifier"] == "doi:10.5281/zenodo.1234567"
    assert root["conditionsOfAccess"] == "confidential"
    assert graph[note["license"]["@id"]]["name"] == "shown by permission of P. Vidal"
    assert (note["identifier"], note["conditionsOfAccess"]) == ("urn:test:note", "confidential")
    assert "license" not in graph["attachments/fiche.yaml"]
