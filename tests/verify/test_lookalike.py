"""What eyes do not tell apart is named: foreign letters, a mark without width, line ends, a file saved anew."""

import io

import pikepdf
import pytest
from pikepdf import String
from verify.sheets import faults, refusal, report

from fiche.verify.lookalike import named

PAGE = report("guide", "html")


def told(content):
    return faults(content)["body"]


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("T\u043e confirm", "(U+043E CYRILLIC SMALL LETTER O for U+006F LATIN SMALL LETTER O)"),
        ("To\u200b confirm", "(U+200B ZERO WIDTH SPACE for U+0020 SPACE)"),
        ("To \u202econfirm", "To ‹U+202E›confirm'"),
    ],
)
def test_a_sign_that_looks_like_another_is_named(new, words):
    old = b"To confirm"
    assert old in PAGE
    (text,) = told(PAGE.replace(old, new.encode(), 1))
    assert text.startswith("F911")
    assert words in text


def test_plain_signs_need_no_name():
    assert named("a1", "a2", 1) == named("ab", "a", 1) == ""
    assert named("a\n", "a", 1) == " (U+000A for nothing)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            PAGE.replace(b"\n", b"\r\n"),
            "every line ends as on Windows (CRLF); nothing else differs",
        ),
        (PAGE + b"\n", "1 bytes of blanks or a mark of encoding more or fewer stand around it"),
        (b"\xef\xbb\xbf" + PAGE, "3 bytes of blanks"),
    ],
)
def test_what_mail_and_editors_do_is_told_as_such(content, words):
    (text,) = told(content)
    assert text.startswith("F912")
    assert words in text


def test_a_page_that_lost_its_files_is_told_how_that_comes():
    assert refusal(b"<!DOCTYPE html><p>saved from a browser") == "F900"


@pytest.mark.slow
def test_a_pdf_that_was_saved_again_is_the_same_but_for_its_bytes():
    def saved(change):
        with pikepdf.open(io.BytesIO(report("guide", "pdf"))) as pdf:
            change(pdf)
            out = io.BytesIO()
            pdf.save(out, fix_metadata_version=False, linearize=True)
        return told(out.getvalue())

    (text,) = saved(lambda pdf: None)
    assert text.startswith("F912 its pages, words and files are the same, but the bytes differ")

    def lying(pdf):
        pdf.Root.Names.EmbeddedFiles.Names[1].EF.F.Params.CheckSum = String(b"\0" * 16)

    assert any(f"<{'00' * 16}>, rendered as <" in text for text in saved(lying))
