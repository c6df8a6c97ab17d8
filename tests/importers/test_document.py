"""Documents: their words by page or paragraph, to look quotes up in; nothing is understood (D3, law 7)."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.documents import docx, encoded, locked, odt, pdf, workbook

from fiche.importers import _pdf, _word_files
from fiche.importers._detect import read as detect
from fiche.importers._figure_lines import figure_lines
from fiche.importers._intake import take_in
from fiche.importers._room import Room
from fiche.importers._web_texts import printed_text
from fiche.importers.document import MEMBER
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Passage

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


def test_entities_are_seen_in_every_encoding():
    """What tells an entity in UTF-8 is not in the bytes of UTF-16."""
    prolog = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY b "9 GB">]>'
    assert code(encoded(docx("&b;", prolog=prolog), "utf-16")) == "F491"
    sound = encoded(docx("9 GB", prolog='<?xml version="1.0" encoding="UTF-16"?>'), "utf-16")
    assert placed(sound) == [("paragraph 1", "9 GB")]


@pytest.mark.parametrize("name", ["utf-7", "idna", "hex", "rot13", "none-such", "utf-16"])
def test_an_encoding_that_no_parser_has_is_refused(name):
    assert code(docx("9 GB", prolog=f'<?xml version="1.0" encoding="{name}"?>')) == "F491"


def test_paragraphs_in_paragraphs_stand_in_both_and_cost_what_they_hold(monkeypatch):
    inner = "a</w:t></w:r><w:p><w:r><w:t>b</w:t></w:r></w:p><w:r><w:t>c"
    assert placed(docx(inner)) == [("paragraph 1", "abc"), ("paragraph 2", "b")]
    deep = "<w:p>" * 5000 + "x" * 5000 + "</w:p>" * 5000
    assert code(docx(f"</w:t></w:r>{deep}<w:r><w:t>")) == "F492"
    monkeypatch.setattr(_word_files, "MAX_CHARACTERS", 3)
    assert code(docx(inner)) == "F492"
    assert placed(docx("abc")) == [("paragraph 1", "abc")]
    monkeypatch.setattr(_word_files, "MAX_ELEMENTS", 4)
    assert code(docx("a")) == "F492"


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
    assert code(head + nested) == "F492"


MANY_PARTS = b'Content-Type: multipart/mixed; boundary="p"\n\n' + b"--p\n\nx\n" * 20_000
COSTLY = [
    b"Content-Type: text/plain; " + b"".join(b'a*%d*="x";' % n for n in range(4000)),
    b"Content-Type: text/plain; " + b"a;" * 60,
    b"Content-Disposition: " + b"a;" * 60_000,
    b"X-Long: " + b"x" * 70_000,
    b"X-Many: 1\n" * 1001,
    MANY_PARTS,
    b'Content-Type: multipart/mixed; boundary="p"\n\n'
    + (b"--p\nContent-Type: text/plain; name=" + b"x" * 1900 + b"\n\nx\n") * 50,
]


@pytest.mark.parametrize("header", COSTLY)
def test_headers_and_parts_that_cost_the_square_of_their_number_are_refused_unread(header):
    assert code(b"From: a@b\nDate: x\nMIME-Version: 1.0\n" + header + b"\n\nx\n") == "F492"


def test_the_header_of_a_mail_that_nests_comments_is_refused():
    content = b"From: a@b\nDate: x\nMIME-Version: 1.0\nContent-Type: " + b"(" * 1900 + b"\n\nx\n"
    assert code(content) == "F491"


def test_a_list_of_many_receivers_is_shown_as_it_stands():
    many = b",\n ".join(b"user%d@example.org" % n for n in range(2000))
    content = b"From: a@b\nMIME-Version: 1.0\nDate: x\nTo: " + many + b"\n\n24 GB\n"
    assert ("header To", " ".join(many.decode().split())) in placed(content)
    assert ("part 1 line 1", "24 GB") in placed(content)


def test_what_is_no_header_begins_the_text():
    content = (
        b'From: a@b\nMIME-Version: 1.0\nDate: x\nContent-Type: multipart/mixed; boundary="o"\n\n'
    )
    content += b"--o\n24 GB\n--o\nX-A: 1\n  2\n48 GB\n\n96 GB\n--o"
    assert placed(content)[2:] == [
        ("part 2 line 1", "24 GB"),
        ("part 3 line 1", "48 GB"),
        ("part 3 line 3", "96 GB"),
    ]


def test_the_parts_of_a_mail_are_told_apart_and_numbered_in_their_order():
    content = (
        b"From: a@b\r\nDate: x\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="o"\r\n\r\nin front\r\n--o\r\n'
        b'Content-Type: multipart/alternative; boundary="oo"\r\n\r\n'
        b"--oo\r\n\r\n24 GB\r\n--o2\r\n--oo  \r\n"
        b"Content-Type: text/html; charset=iso-8859-1\r\n\r\n<p>9 \xa3</p>\r\n--oo--\r\nbehind\r\n"
        b"--o\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner 1\r\n"
        b"--o\r\nContent-Disposition: attachment\r\n\r\nsecret 1\r\n"
        b"--o\r\nContent-Transfer-Encoding: base64\r\n\r\nNDggR0IK\r\n--o--\r\nbehind\r\n"
    )
    assert placed(content)[2:] == [
        ("part 3 line 1", "24 GB"),
        ("part 3 line 2", "--o2"),
        ("part 4 line 2", "9 £"),
        ("part 6 line 1", "inner 1"),
        ("part 8 line 1", "48 GB"),
    ]


@pytest.mark.parametrize("number", [b"0" * 5000, b"9" * 5000, b"x" + b"f" * 5000])
def test_the_number_of_a_character_may_have_any_length(number):
    page = b"<html><p>&#" + number + b";24 GB</p>&#8364;&#x20ac;"
    assert [one.text for one in read(page).passages] == ["\ufffd24 GB", "€€"]
    assert "\ufffd24 GB" in printed_text(page).decode()


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


@pytest.mark.parametrize(
    "line",
    [
        "Garantie 24 mois, retour atelier",
        "Livraison sous 3 semaines",
        "Offre du 1er décembre 2026",
        "Garantie: 36 Monate",
        "Entrega: 30 de novembro de 2026",
        "Garantía de 3 años",
    ],
)
def test_a_quote_in_its_sellers_language_is_listed_too(line):
    """A person quotes the words: what a line says is not understood, only that it holds a figure."""
    found = figure_lines([Passage(place="line 1", text=f"Sans chiffre\n{line}\nTWO CARDS")])
    assert list(found) == [("line 1", line)]
