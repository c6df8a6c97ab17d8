"""Every sample's PDF, short and with its annex, in every language, is built to PDF/A-3a and PDF/UA-1 (E5).

No validator is needed for that: see `pdf_gate`. Two others look at it as well, each with what it cannot know
listed here: outloud (PDF/UA-1) and pikepdf's list of what PDF/A-3b allows.
"""

import json
import re
from io import BytesIO

import pytest
from render.pdf_gate import opened, passes
from render.sample_pdfs import LANGUAGES, NAMES, made

from fiche.render._paper import covered

# Remarks of outloud on meaning, which no rule of PDF/UA-1 is behind, and why each stands.
REMARKS = {
    "TBL-010": "the first cell of a row and the row above a group are headings; outloud counts them as shreds",
    "TBL-012": "boxes to sign in, and columns of facts that one run printed and another did not, are empty",
    "TBL-013": "two tables in a row say two things: each has a caption of its own",
    "FIG-012": "a picture's text is its sum with units, which is what a listener needs of it",
    "LNK-010": "an address that a source of the catalog gives is quoted: a report never leads out of itself",
    "TAG-002": "the running title, and a table's head said again on the next page: both are read once",
}
# What pikepdf's allowlist for PDF/A-3b has no place for, and 3a or the part of XMP that it leaves out has.
ALLOWED = {
    "ISO_19005_3:6.6.4-3": "level A, where it knows only B",
    "ISO_19005_3:6.6.2.3.1-1": "schemas described in the file itself (6.6.2.3.3), which it does not read",
}
NOT_CHECKED = re.compile("pattern|Pattern|shading|Shading")

SHORT = [(name, tag, False) for name in NAMES for tag in LANGUAGES]
WHOLE = [(name, "en", True) for name in NAMES] + [
    (name, tag, True) for name in ("committee", "qlora") for tag in LANGUAGES if tag != "en"
]


@pytest.fixture(params=[*SHORT, *WHOLE], ids=lambda p: f"{p[0]}-{p[1]}{'-annex' if p[2] else ''}")
def case(request):
    return request.param


@pytest.mark.slow
def test_it_is_built_to_both_standards(case, tmp_path):
    name, tag, annex = case
    found = made(name, tag, annex)
    assert found.complaints == ()
    passes(found.pdf, language=tag, attachments=found.attachments, identity=identity(found))
    printed_in_our_fonts(found)
    if tag == "en" or annex:  # a language changes words, not the structure that these two judge
        outloud_agrees(found.pdf, tmp_path)
        pikepdf_agrees(found.pdf)
    if not annex:
        assert found.bytes_of_report <= 150_000


def identity(found):
    (content,) = [a.content for a in found.attachments if a.name == "decision.json"]
    (digest,) = [a.sha256 for a in found.attachments if a.name == "decision.json"]
    document = json.loads(content)
    return {
        "fiche": document["fiche"]["id"],
        "decision": digest,
        "rules": document["rules"]["sha256"],
        "policy": document["rules"]["policy_sha256"],
    }


def printed_in_our_fonts(found):
    """Nothing of a sample is written by its number: the fonts have every character of it."""
    page = re.sub(r"<script\b.*?</script>", "", found.page.decode("utf-8"), flags=re.DOTALL)
    assert {c for c in page if ord(c) not in covered() and c != "\n"} == set()


def outloud_agrees(content, folder):
    from outloud import check

    path = folder / "report.pdf"
    path.write_bytes(content)
    for layer, allowed in (("conformance", {}), ("semantic", REMARKS)):
        told = check(str(path), layers=[layer])
        assert told.error is None
        assert {(f.rule, f.message) for f in told.findings if f.rule not in allowed} == set()


def pikepdf_agrees(content):
    from pikepdf.pdfa import validate_written

    report = validate_written(BytesIO(content), "3b")
    assert {f for f in report.violations if f.rule not in ALLOWED} == set()
    assert {f for f in report.unsupported if not NOT_CHECKED.search(f.rule + f.message)} == set()


@pytest.mark.slow
def test_files_that_say_the_same_are_told_apart_by_what_they_are():
    """In every sample: the fiche is the source, the decision its alternative, the list a supplement."""
    for name in NAMES:
        with opened(made(name).pdf) as pdf:
            told = {str(s.UF): str(s.AFRelationship) for s in pdf.Root.AF}
        assert told["decision.json"] == "/Alternative"
        assert told["manifest.json"] == "/Supplement"
        assert "/Source" in told.values()
        assert set(told.values()) <= {"/Source", "/Alternative", "/Supplement", "/Data"}
