"""Documents: their words by page or paragraph, to look quotes up in; nothing is understood (D3, law 7)."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.documents import docx, locked, odt, pdf, workbook

from fiche.importers import _pdf
from fiche.importers._detect import read as detect
from fiche.importers._intake import take_in
from fiche.importers._room import Room
from fiche.importers.document import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
QUOTE = pdf(
    "Quote 2291\n1 x RTX 4090 24 GB\n109.99 USD per lot of 7 days", "valid until 2026-12-15"
)
HTML = b"""<!DOCTYPE html><html><head><title>no</title><style>p {}</style></head>
<body><p>Price: <b>109.99</b> USD<br>per lot</p><script>var x = '1 USD'</script></body></html>"""
MAIL = (
    b"From: Sales <sales@example.org>\r\nDate: Mon, 23 Nov 2026 09:00:00 +0100\r\nSubject: Your quote\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\nThe price is 109.99 USD=\r\n per lot.\r\nBye\r\n"
)


def read(content):
    return MEMBER.read(content, DIGEST)


def placed(content):
    return [(one.place, " ".join(one.text.split())) for one in read(content).passages]


def code(content):
    with pytest.raises(Refused) as refused:
        read(content)
    return refused.value.diagnostics[0].code


def test_the_pages_of_a_pdf_and_its_lines_with_figures():
    told = detect(QUOTE, DIGEST)
    assert (told.kind, told.shape) == ("document", "pdf")
    assert placed(QUOTE) == [
        ("page 1", "Quote 2291 1 x RTX 4090 24 GB 109.99 USD per lot of 7 days"),
        ("page 2", "valid until 2026-12-15"),
    ]
    assert told.further["pages"] == 2
    assert told.further["figure_lines"] == [
        {"place": "page 1", "text": "1 x RTX 4090 24 GB"},
        {"place": "page 1", "text": "109.99 USD per lot of 7 days"},
        {"place": "page 2", "text": "valid until 2026-12-15"},
    ]


def test_no_fact_is_made_of_a_document():
    told = read(QUOTE)
    assert not any((told.facts, told.results, told.observations, told.capacities, told.runs))


def test_a_scan_is_told_to_hold_no_text():
    told = read(pdf(None, None))
    assert told.further["pages_without_text"] == 2
    assert told.warnings[0].startswith("no_text_layer: the document holds no text")
    partly = read(pdf("Quote", None))
    assert partly.warnings[0].startswith("no_text_layer: 1 of 2 pages hold no text (2)")


def test_what_cannot_be_read_is_refused_with_its_own_code(monkeypatch):
    assert code(locked(QUOTE)) == "F490"
    assert code(QUOTE[:60]) == "F491"
    assert code(b"%PDF-1.7\n") == "F491"
    assert code(pdf()) == "F491"
    monkeypatch.setattr(_pdf, "MAX_PAGES", 1)
    assert code(QUOTE) == "F492"
    monkeypatch.setattr(_pdf, "MAX_PAGES", 2)
    monkeypatch.setattr(_pdf, "MAX_CHARACTERS", 30)
    assert code(QUOTE) == "F492"


def test_a_pdf_that_opens_with_an_empty_password_is_read():
    """Many sellers forbid printing so: the words can be read all the same."""
    assert placed(locked(QUOTE, password="")) == placed(QUOTE)


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (docx("Quote 2291", "109.|99 USD per| lot"), "word"),
        (
            odt("Quote 2291", "109.99 <text:span>USD</text:span> per<text:s/>lot"),
            "opendocument text",
        ),
    ],
)
def test_word_processors_by_paragraph(content, shape):
    assert detect(content, DIGEST).shape == shape
    assert placed(content) == [
        ("paragraph 1", "Quote 2291"),
        ("paragraph 2", "109.99 USD per lot"),
    ]


def test_html_as_a_reader_sees_it():
    assert detect(HTML, DIGEST).shape == "html"
    told = [text for _, text in placed(HTML)]
    assert told == ["Price: 109.99 USD", "per lot"]


def test_a_mail_with_its_headers_and_its_encoded_text():
    assert detect(MAIL, DIGEST).shape == "mail"
    assert placed(MAIL)[:3] == [
        ("header From", "Sales <sales@example.org>"),
        ("header Date", "Mon, 23 Nov 2026 09:00:00 +0100"),
        ("header Subject", "Your quote"),
    ]
    assert ("part 1 line 1", "The price is 109.99 USD per lot.") in placed(MAIL)


def test_plain_text_where_its_kind_is_said():
    told = read(b"a\n\n24 GB of memory\n")
    assert [one.place for one in told.passages] == ["line 1", "line 3"]
    assert MEMBER.accepts(b"24 GB of memory\n", "quote.txt") == 0


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (workbook(), "an Excel workbook"),
        (b"{\\rtf1 text}", "an RTF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "an old binary Office document"),
    ],
)
def test_other_office_files_are_refused_by_name(content, name):
    with pytest.raises(Refused, match="F494") as refused:
        detect(content, DIGEST)
    assert name in str(refused.value)


def test_an_archive_that_is_hostile_or_broken():
    """Law 7: entities that grow without an end are refused before they are read."""
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    assert code(docx("&b;", prolog=bomb)) == "F491"
    assert code(docx("text")[:-40]) == "F491"
    assert code(docx("a & b")) == "F491"


def test_documents_are_read_in_a_process_of_their_own():
    taken = take_in(io.BytesIO(QUOTE), "quote.pdf", None)
    assert taken.reading.passages == read(QUOTE).passages
    assert Room().document(QUOTE, DIGEST, "quote.pdf").passages == read(QUOTE).passages
    assert Room().document(b"plain text", DIGEST, "quote.txt") is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_damage_ends_in_anything_but_a_reading_or_a_refusal(data):
    text = data.draw(st.sampled_from([QUOTE, docx("a 3 GB"), odt("b 4 GB"), HTML, MAIL]))
    place = data.draw(st.integers(0, len(text)))
    cut = (
        text[:place]
        + data.draw(st.binary(max_size=8))
        + text[place + data.draw(st.integers(0, 9)) :]
    )
    MEMBER.accepts(cut, "")
    try:
        MEMBER.read(cut, DIGEST)
    except Refused:
        return


def test_pages_that_lead_into_each_other_have_no_end():
    loop = pdf("Quote").replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    assert loop != pdf("Quote")
    assert code(loop) == "F491"


@pytest.mark.parametrize("mark", ["<", "<!", "<a ", "<!--", '<p x="', "<script>", "</", "&#"])
def test_marks_that_are_never_closed_cost_one_look(mark):
    """Law 7: two million bytes of them are read at once, or the suite would stand still here."""
    page = b"<html>" + mark.encode() * (2_000_000 // len(mark))
    assert read(page).shape == "html"


def test_a_mail_of_parts_in_parts_is_refused_and_breaks_nothing():
    head = b"From: a@example.org\nDate: x\nMIME-Version: 1.0\n"
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3000)
    )
    assert code(head + nested) == "F491"


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        (b"<html>a<b>c</b>d", ["acd"]),
        (b"<html>1 &lt; 2 and 2 < 3", ["1 < 2 and 2 < 3"]),
        (b"<html><!-- 9 USD -->8 USD", ["8 USD"]),
        (b"<html><td>24</td><td>GB</td>", ["24 GB"]),
        (b"<html><SCRIPT>x</SCRIPT>y", ["y"]),
        (b"<html>a &amp; b &#8364; 5", ["a & b \u20ac 5"]),
    ],
)
def test_what_a_reader_sees(page, seen):
    assert [one.text for one in read(page).passages] == seen
