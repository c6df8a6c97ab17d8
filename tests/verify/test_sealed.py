"""What came with a signature, and what lies in its room: nothing else, whatever the signature is worth."""

import io
import re

import pikepdf
import pyhanko.sign.validation  # noqa: F401 - before a test changes what it reads with
import pytest
from cryptography.hazmat.primitives.asymmetric import ed448, rsa
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils import reader as pyhanko_reader
from signers import ada, alone, authority, holder
from verify.sheets import faults, report

from fiche.kernel.diagnostic import Refused
from fiche.render import signing
from fiche.render.signing import Said, signed
from fiche.render.signing_keys import signer_of_pem
from fiche.verify.signature import Trust, signature_step
from fiche.verify.unsigned import unsigned

KNOWN = Trust(roots=(authority().pem, alone().pem))
name = generic.NameObject


def page(text):
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(200, 100))
    pdf.pages[0].Contents = pdf.make_stream(text.encode())
    pdf.docinfo.Title = "a report"
    out = io.BytesIO()
    pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable, compress_streams=False)
    return out.getvalue()


PDF = page("0 0 10 10 re f")


def by(someone, pdf=PDF):
    signer = signer_of_pem("key.pem", someone.key_pem(), someone.pem, (), None)
    return signed(pdf, signer, Said()).content


def codes(content):
    return [point.code for point in signature_step(content, KNOWN).faults]


def told(content):
    return " | ".join(point.text for point in signature_step(content, KNOWN).faults)


# --- Another document behind the report ----------------------------------------------------------


def beside(honest, other):
    """A file that begins with one document and leads to another one, which alone hangs on the signature."""
    start = int(re.findall(rb"startxref\s+(\d+)", other)[-1])
    moved = len(honest)
    table = re.sub(
        rb"(\d{10}) (\d{5}) n", lambda m: b"%010d %s n" % (int(m[1]) + moved, m[2]), other[start:]
    )
    end = b"startxref\n%d\n%%%%EOX" % (start + moved)
    return honest + other[:start] + re.sub(rb"startxref\s+\d+\s+%%EOF", end, table)


@pytest.fixture
def other_ends(monkeypatch):
    """A program that signs a file whose end is called otherwise, so that no reader takes it for one."""

    def at_end(stream):
        place = stream.tell()
        stream.seek(0)
        found = re.findall(rb"startxref\s+(\d+)\s+%%EO[FX]", stream.read())
        stream.seek(place)
        return int(found[-1])

    monkeypatch.setattr(pyhanko_reader, "process_data_at_eof", at_end)


def test_a_document_beside_the_report_is_a_change_though_no_update_touches_it(other_ends):
    content = by(ada(), beside(PDF, page("1 0 0 rg 0 0 200 100 re f")))
    assert unsigned(content) == PDF
    assert "leads to another document" in told(content)


def test_such_a_report_does_not_hold(other_ends):
    honest = report("guide", "pdf")
    content = by(ada(), beside(honest, page("1 0 0 rg 0 0 200 100 re f")))
    assert unsigned(content) == honest
    assert faults(content).keys() == {"read", "signature"}


# --- What a signature brings along ---------------------------------------------------------------


@pytest.fixture
def bringing(monkeypatch):
    """Sign with an update that does something more."""
    real = signing._writer

    def make(change, pdf=PDF, someone=None):
        def writer(content):
            made = real(content)
            change(made)
            return made

        monkeypatch.setattr(signing, "_writer", writer)
        return by(someone or ada(), pdf)

    return make


def dictionary(**entries):
    return generic.DictionaryObject({name(f"/{key}"): value for key, value in entries.items()})


def another_title(writer):
    told_title = dictionary(Title=generic.TextStringObject("granted"))
    writer.set_info(writer.add_object(told_title))


def the_same_title_in_place(writer):
    info = writer.trailer["/Info"]
    info[name("/Title")] = generic.TextStringObject("granted")
    writer.update_container(info)


def metadata(writer):
    stream = generic.StreamObject(stream_data=b'<a xmlns:d="urn:d"><d:title>granted</d:title></a>')
    stream[name("/Type")], stream[name("/Subtype")] = name("/Metadata"), name("/XML")
    writer.root[name("/Metadata")] = writer.add_object(stream)
    writer.update_root()


def no_xml(writer):
    metadata(writer)
    writer.root["/Metadata"]._data = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'


def field(**entries):
    def change(writer):
        add = writer.add_object

        def adding(made, *rest, **named):
            if isinstance(made, generic.DictionaryObject) and made.get("/FT") == "/Sig":
                made.update(dictionary(**entries))
            return add(made, *rest, **named)

        writer.add_object = adding

    return change


SCRIPT = dictionary(S=name("/JavaScript"), JS=generic.TextStringObject("app.alert(1)"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (another_title, "the document's properties say another Title"),
        (the_same_title_in_place, "the document's properties say another Title"),
        (metadata, "the metadata (XMP) says another title"),
        (no_xml, "the metadata (XMP) cannot be read"),
        (field(AA=dictionary(PO=SCRIPT)), "does more than sign (/AA)"),
        (field(A=SCRIPT), "does more than sign (/A)"),
        (field(Subtype=name("/Line")), "a note in the place of a signature"),
    ],
)
def test_an_update_that_says_or_does_more_is_a_change(bringing, change, words):
    content = bringing(change)
    assert unsigned(content) == PDF
    assert words in told(content)
    assert set(codes(content)) == {"F927"}


def test_a_form_that_another_one_replaces_is_looked_at(bringing):
    def fillable(writer):
        form = writer.root["/AcroForm"]
        other = generic.DictionaryObject({key: form.raw_get(key) for key in form})
        other[name("/XFA")] = writer.add_object(generic.StreamObject(stream_data=b"<xdp/>"))
        writer.root[name("/AcroForm")] = writer.add_object(other)
        writer.update_root()

    assert "the form says something else" in told(bringing(fillable, by(ada()), alone()))


# --- The room of a signature ---------------------------------------------------------------------


def room(content):
    """Where the room of the signature begins and ends, and its bytes, which are followed by zeros."""
    begin, end = (
        content.index(b"/Contents <") + 11,
        content.index(b">", content.index(b"/Contents <")),
    )
    told = bytes.fromhex(content[begin:end].decode())
    return begin, end, told[: 4 + int.from_bytes(told[2:4], "big")]


def with_room(content, told):
    begin, end, _ = room(content)
    return content[:begin] + told.hex().encode().ljust(end - begin, b"0") + content[end:]


def test_what_is_put_behind_a_signature_in_its_room_is_found():
    content = by(ada())
    begin, end, told_bytes = room(content)
    assert codes(with_room(content, told_bytes)) == []
    for place in (begin + 2 * len(told_bytes), end - 1):
        assert "F926" in codes(content[:place] + b"1" + content[place + 1 :])
    place = next(i for i in range(begin, end) if content[i : i + 1] in b"ABCDEF")
    lower = content[:place] + content[place : place + 1].lower() + content[place + 1 :]
    assert "F926" in codes(lower)


def test_each_byte_around_the_signature_counts():
    """Versions, names of digests, lengths: no signature covers them, and no reader of signatures minds."""
    content = by(ada())
    told_bytes = room(content)[2]
    around = [
        *range(60),
        *range(told_bytes.rindex(b"\x02\x01\x01"), told_bytes.rindex(b"\xa0") + 1),
    ]
    for place in around:
        changed = bytearray(told_bytes)
        changed[place] ^= 1
        assert codes(with_room(content, bytes(changed))), place


def test_hostile_bytes_in_the_place_of_a_signature_are_one_fault():
    content = by(ada())
    for told_bytes in (
        b"",
        b"\x30\x80",
        b"\x30\x84\xff\xff\xff\xff",
        b"\x30\x02\x00\x00",
        b"\x30" * 400,
    ):
        assert set(codes(with_room(content, told_bytes))) & {"F926"}


def test_updates_without_an_end_are_refused():
    content = by(ada())
    last = int(re.findall(rb"startxref\s+(\d+)", content)[-1])
    for _ in range(510):
        trailer = b"trailer\n<< /Size 10 /Root 1 0 R /Prev %d >>\n" % last
        last = len(content)
        content += b"xref\n0 0\n" + trailer + b"startxref\n%d\n%%%%EOF\n" % last
    with pytest.raises(Refused) as refused:
        codes(content)
    assert refused.value.diagnostics[0].code == "F903"


# --- What others can make as well -----------------------------------------------------------------


def signed_with(someone, digest):
    from pyhanko.sign.signers import PdfSignatureMetadata, sign_pdf

    signer = signer_of_pem("key.pem", someone.key_pem(), someone.pem, (), None)
    meta = PdfSignatureMetadata(field_name="Signature1", md_algorithm=digest)
    return sign_pdf(signing._writer(PDF), meta, signer).getvalue()


@pytest.mark.parametrize("digest", ["md5", "sha1"])
def test_a_digest_that_others_can_forge_holds_nothing(digest):
    content = signed_with(holder("Rsa", kind="rsa"), digest)
    assert codes(content) == ["F926"]
    assert f"it rests on {digest}, which others can forge" in told(content)


def test_a_key_that_others_can_find_out_holds_nothing():
    content = by(holder("Short", key=rsa.generate_private_key(65537, 1024)))
    assert codes(content) == ["F926"]
    assert "a key of 1024 bits (RSA), which others can find out" in told(content)


def test_a_digest_that_says_its_own_length_holds():
    content = by(holder("Ed", key=ed448.Ed448PrivateKey.generate()))
    assert codes(content) == []
