"""Documents for tests, made by hand: a PDF with a text layer or without, Word and OpenDocument files."""

import io
import zipfile


def pdf(*pages):
    """A PDF with one page for each text; lines are set one below the other, None is a page without text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    objects.append(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    )
    for text in pages:
        drawn = b"0 0 10 10 re f" if text is None else _drawn(text)
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawn), drawn))
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (listed, len(kids))
    return _file(objects)


def _drawn(text):
    lines = []
    for number, line in enumerate(text.split("\n")):
        shown = (
            line.encode("cp1252")
            .replace(b"\\", b"\\\\")
            .replace(b"(", b"\\(")
            .replace(b")", b"\\)")
        )
        lines.append(b"BT /F1 11 Tf 50 %d Td (%b) Tj ET" % (780 - 16 * number, shown))
    return b"\n".join(lines)


def _file(objects):
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(out)


def locked(content, password="secret"):
    """The same PDF behind a password."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, stored)
    return out.getvalue()


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(*paragraphs, prolog=""):
    """A Word file; a paragraph's text is cut into runs at `|`."""
    body = "".join(
        "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in text.split("|")) + "</w:p>"
        for text in paragraphs
    )
    xml = f'{prolog}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    return _zipped([("[Content_Types].xml", "<Types/>"), ("word/document.xml", xml)])


def encoded(content, name):
    """The same Word file with its text in another encoding."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    text = parts["word/document.xml"].decode()
    return _zipped({**parts, "word/document.xml": text.encode(name)}.items())


def odt(*paragraphs):
    """An OpenDocument text."""
    body = "".join(f"<text:p>{text}</text:p>" for text in paragraphs)
    xml = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
        f"{body}</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    return _zipped([("mimetype", kind), ("content.xml", xml)])


def workbook():
    return _zipped([("[Content_Types].xml", "<Types/>"), ("xl/workbook.xml", "<workbook/>")])
