"""A signed report is still built to both standards, and nothing in it moved (PAdES, PDF/A-3a, PDF/UA-1)."""

import re
import subprocess

import pikepdf
import pytest
from render.pdf_gate import opened, passes
from render.sample_pdfs import made
from render.test_pdf_samples import ALLOWED, NOT_CHECKED, REMARKS, identity
from signers import ada, alone, holder

from fiche.render.signing import Said, signed
from fiche.render.signing_keys import signer_of_pem

# outloud asks a tag of a field that nobody sees; PDF/UA-1 (7.18.1) asks none outside of the page.
UNSEEN = {"FRM-003": "a signature field outside the page"}


def by(someone, pdf, **said):
    signer = signer_of_pem("key.pem", someone.key_pem(), someone.pem, (), None)
    return signed(pdf, signer, Said(**said)).content


@pytest.fixture(scope="module")
def twice():
    return by(alone(), by(ada(), made("guide").pdf, reason="granted"))


def test_both_standards_hold(twice):
    found = made("guide")
    passes(
        twice,
        language="en",
        attachments=found.attachments,
        identity=identity(found),
        signatures=2,
    )


def test_two_other_programs_find_nothing_new(twice, tmp_path):
    from io import BytesIO

    from outloud import check
    from pikepdf.pdfa import validate_written

    (tmp_path / "signed.pdf").write_bytes(twice)
    for layer, allowed in (("conformance", UNSEEN), ("semantic", REMARKS)):
        told = check(str(tmp_path / "signed.pdf"), layers=[layer])
        assert told.error is None
        assert {(f.rule, f.message) for f in told.findings if f.rule not in allowed} == set()
    report = validate_written(BytesIO(twice), "3b")
    assert {f for f in report.violations if f.rule not in ALLOWED} == set()
    left = {f for f in report.unsupported if not NOT_CHECKED.search(f.rule + f.message)}
    # It reads no file that has a form or files inside to the end.
    assert {re.sub(r" at obj.*", "", f.message) for f in left} <= {
        "interactive forms (/AcroForm) are not supported",
        "embedded files are not supported",
    }


def test_the_metadata_is_the_very_same(twice):
    """pyHanko by itself would name itself there, and lose what PDF/A wants said of our own schema."""
    before, after = opened(made("guide").pdf), opened(twice)
    with before, after:
        assert after.Root.Metadata.read_bytes() == before.Root.Metadata.read_bytes()
        assert after.Root.Metadata.objgen == before.Root.Metadata.objgen
        assert dict(after.docinfo) == dict(before.docinfo)
        assert str(after.trailer.ID[0]) == str(before.trailer.ID[0])


@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_key_of_either_kind_leaves_the_version(kind):
    """A curve would make it PDF 2.0, which PDF/A-3 is not of."""
    content = by(holder("Somebody", kind=kind), made("guide").pdf)
    with opened(content) as pdf:
        assert pdf.pdf_version == "1.7"
        assert "/Version" not in pdf.Root
        assert list(pdf.Root.get("/Extensions", {})) in ([], ["/ESIC"])


def test_the_fields_have_names_to_be_read_and_no_picture(twice):
    with opened(twice) as pdf:
        fields = list(pdf.Root.AcroForm.Fields)
        assert [(str(f.T), str(f.TU)) for f in fields] == [
            ("Signature1", "Signature of Ada"),
            ("Signature2", "Signature of Alone"),
        ]
        assert all("/AP" not in f for f in fields)
        assert all(int(f.F) == 132 for f in fields)  # printed (PDF/A) and locked
        assert "/Perms" not in pdf.Root
        assert isinstance(fields[0].V.ByteRange, pikepdf.Array)
        assert str(fields[0].V.Reason) == "granted"


@pytest.mark.browser
def test_poppler_agrees(twice, tmp_path):
    (tmp_path / "signed.pdf").write_bytes(twice)
    told = subprocess.run(
        ["pdfsig", "-nocert", tmp_path / "signed.pdf"], capture_output=True, text=True, check=False
    ).stdout
    assert told.count("Signature is Valid.") == 2
    assert told.count("ETSI.CAdES.detached") == 2
    assert "Signer Certificate Common Name: Ada" in told
    first, second = told.split("Signature #2:")
    assert "Not total document signed" in first
    assert "Total document signed" in second
    changed = twice.replace(b"/Lang (en)", b"/Lang (tr)")
    assert changed != twice
    (tmp_path / "signed.pdf").write_bytes(changed)
    told = subprocess.run(
        ["pdfsig", "-nocert", tmp_path / "signed.pdf"], capture_output=True, text=True, check=False
    ).stdout
    assert "Digest Mismatch" in told
