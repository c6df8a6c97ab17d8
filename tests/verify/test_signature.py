"""The signature of a report as a step: what holds, and what fails although a signature alone would hold."""

import datetime
import io
import sys

import pytest
from signers import ada, alone, authority, holder, stamp_server

from fiche.render.signing import Said, signed
from fiche.render.signing_keys import signer_of_pem
from fiche.verify.signature import Trust, signature_step
from fiche.verify.unsigned import unsigned

VOUCHED = Trust(roots=(authority().pem,), vouched=True, signed=True)


def small_pdf(text="a report"):
    """One page by pypdf alone: whole and quick."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 100)
    writer.add_metadata({"/Title": text})
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


PDF = small_pdf()


def by(someone, pdf=PDF, **said):
    signer = signer_of_pem("key.pem", someone.key_pem(), someone.pem, (), None)
    return signed(pdf, signer, Said(**said)).content


@pytest.fixture(scope="module")
def once():
    return by(ada())


def codes(step):
    return [point.code for point in step.faults]


def said(step):
    return " | ".join(point.text for point in step.points)


def test_a_file_that_nobody_signed():
    step = signature_step(PDF, Trust())
    assert (step.outcome, step.bytes_covered) == ("ok", 0)
    assert "nobody signed" in said(step)
    assert codes(signature_step(PDF, Trust(signed=True))) == ["F928"]


def test_who_signed_when_and_who_vouches(once):
    step = signature_step(once, VOUCHED)
    assert (step.outcome, step.bytes_covered) == ("ok", len(once))
    serial = format(ada().certificate.serial_number, "x")
    assert f"serial number {serial}" in said(step)
    assert "signed by Common Name: Ada, certified by Common Name: A root of this test" in said(step)
    assert "vouched for by Common Name: A root of this test" in said(step)
    assert "by the signer's own clock" in said(step)
    assert "time stamped" not in said(step)


def test_a_signer_whom_nobody_vouches_for_is_said_and_fails_only_where_asked():
    content = by(alone())
    step = signature_step(content, Trust(roots=(authority().pem,)))
    assert step.outcome == "ok"
    assert "signed by a key that nobody vouches for here" in said(step)
    assert "certified by itself" in said(step)
    unknown = signature_step(content, VOUCHED)
    assert codes(unknown) == ["F929"]
    assert unknown.bytes_covered == len(content)  # its bytes are accounted for all the same
    assert signature_step(content, Trust(roots=(alone().pem,), vouched=True)).outcome == "ok"


def test_this_system_vouches_for_nobody_here(once):
    assert codes(signature_step(once, Trust(vouched=True))) == ["F929"]
    assert signature_step(once, Trust()).outcome == "ok"


def test_bytes_behind_the_signature_fail(once):
    """pyHanko's bottom line is true for these."""
    for more in (b"\n", b"x", b"% a comment\n"):
        step = signature_step(once + more, Trust())
        assert codes(step) == ["F927"]
        assert step.bytes_covered == 0


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5])
def test_a_changed_byte_fails(once, place):
    at = int(len(PDF) * place)
    changed = once[:at] + bytes([once[at] ^ 1]) + once[at + 1 :]
    assert codes(signature_step(changed, Trust()))[0] == "F926"


def test_a_changed_signature_fails(once):
    at = once.index(b"/Contents <") + 900
    changed = once[:at] + (b"0" if once[at : at + 1] != b"0" else b"1") + once[at + 1 :]
    assert codes(signature_step(changed, Trust()))[0] == "F926"


def updated(content, change):
    """One more update of the file, made by `change`."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    writer = IncrementalPdfFileWriter(io.BytesIO(content))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def repaint(writer):
    from pyhanko.pdf_utils import generic

    page = writer.root["/Pages"]["/Kids"][0]
    stream = generic.StreamObject(stream_data=b"0 0 200 100 re f")
    page["/Contents"] = writer.add_object(stream)
    writer.update_container(page)


def rename(writer):
    from pyhanko.pdf_utils import generic

    writer.root["/Lang"] = generic.TextStringObject("tr")
    writer.update_root()


def cover(writer):
    """A note over the page, which is no signature."""
    from pyhanko.pdf_utils import generic

    name = generic.NameObject
    box = generic.ArrayObject([generic.NumberObject(n) for n in (0, 0, 200, 100)])
    note = generic.DictionaryObject(
        {name("/Type"): name("/Annot"), name("/Subtype"): name("/FreeText"), name("/Rect"): box}
    )
    page = writer.root["/Pages"]["/Kids"][0]
    page["/Annots"] = generic.ArrayObject([writer.add_object(note)])
    writer.update_container(page)


def another_root(writer):
    from pyhanko.pdf_utils import generic

    fresh = generic.DictionaryObject({key: writer.root.raw_get(key) for key in writer.root})
    writer._root = writer.add_object(fresh)
    writer.trailer["/Root"] = writer._root


@pytest.mark.parametrize("change", [repaint, rename, cover])
def test_an_update_behind_the_signature_fails(once, change):
    step = signature_step(updated(once, change), Trust())
    assert "F927" in codes(step)


@pytest.mark.parametrize("change", [repaint, rename, cover])
def test_somebody_who_signs_what_they_changed_meanwhile_fails(once, change):
    """Each signature holds and the last covers all: only the update tells that the page is another one."""
    content = by(alone(), updated(once, change))
    step = signature_step(content, Trust())
    assert codes(step) == ["F927"] * len(step.faults) != []
    assert "a change of the report" in said(step)


def test_a_signature_whose_own_update_repaints_the_page_fails(monkeypatch):
    """The report is an untouched prefix, the signature holds, and a reader sees another page."""
    from fiche.render import signing

    real = signing._writer

    def repainting(pdf):
        writer = real(pdf)
        repaint(writer)
        return writer

    monkeypatch.setattr(signing, "_writer", repainting)
    content = by(ada())
    assert unsigned(content) == PDF
    step = signature_step(content, VOUCHED)
    assert codes(step) == ["F927"]
    assert "a page says something else" in said(step)


def test_a_signature_that_paints_over_the_page_fails(monkeypatch):
    from pyhanko.sign.fields import SigFieldSpec

    from fiche.render import signing

    seen = SigFieldSpec("Signature1", box=(0, 0, 200, 100))
    monkeypatch.setattr(signing, "_field", lambda number, who: seen)
    step = signature_step(by(ada()), VOUCHED)
    assert "a signature that paints over it" in said(step)
    assert "F927" in codes(step)


def test_an_update_that_leaves_the_form_and_another_catalog(once):
    step = signature_step(by(alone(), updated(once, another_root)), Trust())
    assert "the catalog of the document is another one" in said(step)


def test_two_signatures_hold_together(once):
    both = by(alone(), once)
    step = signature_step(both, Trust(roots=(authority().pem, alone().pem), vouched=True))
    assert (step.outcome, step.bytes_covered) == ("ok", len(both))
    assert step.looked_at.startswith("2 signatures")


def test_the_program_of_somebody_else_may_name_itself():
    """pyHanko by itself rewrites dates and producer, and certifies: that is said, and no fault."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.signers import PdfSignatureMetadata, sign_pdf

    signer = signer_of_pem("key.pem", ada().key_pem(), ada().pem, (), None)
    writer = IncrementalPdfFileWriter(io.BytesIO(PDF))
    meta = PdfSignatureMetadata(field_name="Theirs", certify=True)
    step = signature_step(sign_pdf(writer, meta, signer).getvalue(), VOUCHED)
    assert step.outcome == "ok"
    assert "wrote its name and the time into the metadata" in said(step)


def test_a_certificate_that_ran_out_counts_at_the_time_of_a_trusted_time_stamp():
    other = holder("Another root", days=(-30, 30), is_authority=True)
    late = holder("Late", issuer=other, days=(-20, -10))
    both = Trust(roots=(authority().pem, other.pem), vouched=True)
    signer = signer_of_pem("key.pem", late.key_pem(), late.pem, (), None)
    then = datetime.datetime.now(datetime.UTC) - datetime.timedelta(15)
    with stamp_server(moment=then) as url:
        stamped = signed(PDF, signer, Said(), url).content
    assert signature_step(stamped, both).outcome == "ok"
    assert codes(signature_step(signed(PDF, signer, Said()).content, both)) == ["F929"]
    # Whom nobody vouches for says nothing of the time either.
    assert codes(signature_step(stamped, Trust(roots=(other.pem,), vouched=True))) == ["F929"]


def test_a_root_that_is_none(once):
    assert codes(signature_step(once, Trust(roots=(b"no certificate",)))) == ["F922"]


def test_without_the_library_a_signature_is_not_looked_at(once, monkeypatch):
    for name in ("pyhanko.sign.validation", "pyhanko.sign"):
        monkeypatch.setitem(sys.modules, name, None)
    step = signature_step(once, Trust())
    assert (step.outcome, step.bytes_covered) == ("not_provable", 0)
    assert "pip install 'fiche[sign]'" in said(step)
    assert codes(signature_step(once, VOUCHED)) == ["F920"]
    assert signature_step(PDF, Trust()).outcome == "ok"
    assert codes(signature_step(PDF, Trust(signed=True))) == ["F928"]


@pytest.mark.parametrize("where", [b"/Contents <", b"/ByteRange", b"/V ", b"/Fields", b"startxref"])
def test_a_broken_signature_is_a_fault_and_no_traceback(once, where):
    at = once.rindex(where)
    for broken in (once[:at] + b"?" * 8 + once[at + 8 :], once[: at + 5]):
        assert signature_step(broken, Trust(signed=True)).outcome == "failed"


def test_nothing_of_the_library_reaches_the_terminal(once, capfd):
    signature_step(once, Trust())
    signature_step(once[:-20], Trust())
    assert capfd.readouterr() == ("", "")
