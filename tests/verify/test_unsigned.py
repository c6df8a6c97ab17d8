"""The bytes before the first signature, by the bytes alone."""

import pytest
from signers import ada, alone
from verify.test_signature import PDF, by, repaint, updated

from fiche.verify.unsigned import unsigned


def test_a_file_that_nobody_signed_is_itself():
    for content in (PDF, b"", b"%PDF-1.7\n%%EOF", PDF + PDF):
        assert unsigned(content) == content


def test_each_signature_goes():
    once = by(ada())
    assert unsigned(once) == PDF
    assert unsigned(by(alone(), once)) == PDF
    assert unsigned(unsigned(once)) == PDF


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r"])
def test_the_end_of_the_last_line_stays_as_it_was(end):
    plain = PDF.rstrip(b"\r\n") + end
    assert unsigned(by(ada(), plain)) == plain


def test_a_signed_file_inside_does_not_count():
    """A piece of evidence may be a signed PDF, stored as it is."""
    inside = by(ada())
    whole = b"%PDF-1.7\n1 0 obj\nstream\n" + inside + b"\nendstream\nendobj\nstartxref\n9\n%%EOF\n"
    assert unsigned(whole) == whole


def test_an_update_before_the_signature_is_part_of_what_was_signed():
    more = updated(PDF, repaint)
    assert more.startswith(PDF)
    assert unsigned(by(ada(), more)) == more


@pytest.mark.parametrize(
    "text",
    [
        b"/ByteRange [0 9999999 99999999 5]",
        b"/ByteRange [0 1 2 3 4]",
        b"/ByteRange [5 1 2 3]",
        b"/ByteRange [0 99999999999999999999 1 1]",
        b"/ByteRange",
    ],
)
def test_what_only_looks_like_a_signature(text):
    content = PDF + text + b"\n%%EOF"
    assert unsigned(content) == content
