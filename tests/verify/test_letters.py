"""A PDF that names other programs for its layout may have its letters elsewhere, and no others than fiche's."""

import io
import re
import sys

import pikepdf
import pytest
from fontTools.ttLib import TTFont
from pikepdf import Name
from pyhanko.pdf_utils import generic
from verify.sheets import report, steps
from verify.test_with_it import by_ada

from fiche.render import signing
from fiche.verify.step import UNPROVEN

pytestmark = pytest.mark.slow

GUIDE = report("guide", "pdf")
_ONE = rb"<([0-9a-f]{4})> <([0-9a-f]{4})>"


def elsewhere(change=lambda font, numbers: None):
    """The PDF as if laid out by an older program, after a change of each face that has a 1 and a 4."""
    with pikepdf.open(io.BytesIO(GUIDE)) as pdf:
        told = pdf.Root.Metadata.read_bytes()
        older = re.sub(rb"(<fiche:drawn_with>)[^<]*", rb"\1WeasyPrint 60.0", told)
        assert older != told
        pdf.Root.Metadata.write(older)
        for font in pdf.pages[0].Resources.Font.values():
            words = font.ToUnicode.read_bytes()
            numbers = {letter: int(number, 16) for number, letter in re.findall(_ONE, words)}
            if numbers.keys() >= {b"0031", b"0034"}:
                change(font, numbers)
        out = io.BytesIO()
        pdf.save(out, fix_metadata_version=False)
    return steps(out.getvalue())["body"]


def swapped(font, numbers):
    """The 1 is drawn as a 4, and reads as a 1."""
    file = font.DescendantFonts[0].FontDescriptor.FontFile2
    face = TTFont(io.BytesIO(file.read_bytes()))
    one, four = (face.getGlyphOrder()[numbers[letter]] for letter in (b"0031", b"0034"))
    glyphs = face["glyf"]
    glyphs[one], glyphs[four] = glyphs[four], glyphs[one]
    out = io.BytesIO()
    face.save(out)
    file.write(out.getvalue())


def renamed(font, numbers):
    swapped(font, numbers)
    font.BaseFont = Name("/ABCDEF+Other")


def ranged(font, _numbers):
    font.ToUnicode.write(font.ToUnicode.read_bytes() + b"\n% beginbfrange")


def test_another_layout_alone_is_not_provable_and_no_fault():
    found = elsewhere()
    assert (found.outcome, found.faults) == (UNPROVEN, ())
    assert "it was laid out by WeasyPrint 60.0" in found.points[0].text


@pytest.mark.parametrize("change", [swapped, renamed])
def test_a_letter_of_another_shape_is_a_fault_though_it_reads_the_same(change):
    texts = [point.text for point in elsewhere(change).faults]
    assert any("letters have another shape" in text and "'1', '4'" in text for text in texts), texts


def test_a_face_whose_letters_cannot_be_looked_up_is_a_fault():
    texts = [point.text for point in elsewhere(ranged).faults]
    assert any(text.startswith("a face is kept in another form") for text in texts), texts


def test_a_page_painted_over_behind_a_signature_fails_without_the_library_too(monkeypatch):
    """The words stay as they were: what the later update paints is looked at, whoever reads signatures."""
    real = signing._writer

    def repainting(pdf):
        writer = real(pdf)
        page = writer.root["/Pages"]["/Kids"][0]
        painted = page["/Contents"].data + b"\nq 1 1 1 rg 100 600 80 20 re f Q"
        page["/Contents"] = writer.add_object(generic.StreamObject(stream_data=painted))
        writer.update_container(page)
        return writer

    monkeypatch.setattr(signing, "_writer", repainting)
    content = by_ada(GUIDE)
    for name in ("pyhanko.sign.validation", "pyhanko.sign"):
        monkeypatch.setitem(sys.modules, name, None)
    texts = [point.text for point in steps(content)["read"].faults]
    assert any("change page 1: what the page paints" in text for text in texts), texts
