"""A PDF verifies as it was written, and no change of it stays unseen: pikepdf makes the changes."""

import io
import re

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name
from verify.sheets import MAKER, faults, looked, report, steps

from fiche.archive.reading import entry_of
from fiche.cli.archive_added import asked
from fiche.kernel.diagnostic import Refused
from fiche.verify.extracted import extracted_files
from fiche.verify.step import FAILED, OK, UNPROVEN, worst

pytestmark = pytest.mark.slow

GUIDE = report("guide", "pdf")


@pytest.mark.parametrize(
    ("name", "asked"),
    [("guide", {}), ("serving", {"language": "fr", "draft": True}), ("committee", {"annex": True})],
)
def test_samples_verify_with_what_they_were_asked_with(name, asked):
    found = looked(report(name, "pdf", **asked))
    assert [(s.key, s.outcome, s.faults) for s in found.steps if s.outcome != OK] == []
    assert found.container.has_annex == asked.get("annex", False)


def rewritten(change, content=GUIDE):
    """The PDF after pikepdf changed something and wrote it again."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        change(pdf)
        out = io.BytesIO()
        pdf.save(out, fix_metadata_version=False)
    return out.getvalue()


def specs(pdf):
    listed = pdf.Root.Names.EmbeddedFiles.Names
    return {str(listed[at]): listed[at + 1] for at in range(0, len(listed), 2)}


def other_bytes(pdf):
    file = specs(pdf)["fiche.yaml"].EF.F
    file.write(file.read_bytes().replace(b"date: 2", b"date: 3", 1))


def taken_out(pdf):
    del pdf.attachments["fiche.yaml"]


def put_in(pdf):
    pdf.attachments["extra.txt"] = b"hello"


def swapped(pdf):
    one, other = specs(pdf)["fiche.yaml"], specs(pdf)["decision.json"]
    one.EF, other.EF = Dictionary(other.EF), Dictionary(one.EF)


def renamed(pdf):
    specs(pdf)["fiche.yaml"].UF = "other.yaml"


def another_kind(pdf):
    specs(pdf)["fiche.yaml"].EF.F.Subtype = Name("/text/html")


def another_relationship(pdf):
    specs(pdf)["fiche.yaml"].AFRelationship = Name.Data


def another_description(pdf):
    specs(pdf)["fiche.yaml"].Desc = "something else"


def twice_named(pdf):
    pdf.Root.AF = Array([*pdf.Root.AF, pdf.Root.AF[0]])


def hidden_file(pdf):
    stream = pdf.make_stream(b"hidden")
    stream.Type = Name.EmbeddedFile
    pdf.Root.PieceInfo = Dictionary(X=stream)


def note_with_file(pdf):
    note(pdf, Subtype=Name.FileAttachment, FS=specs(pdf)["fiche.yaml"])


def note(pdf, **more):
    made = pdf.make_indirect(Dictionary(Type=Name.Annot, Rect=[90, 90, 400, 700], **more))
    pdf.pages[0].Annots = Array([*pdf.pages[0].get("/Annots", []), made])


def stamp(pdf):
    note(pdf, Subtype=Name.FreeText, Contents="RETAINED", DA="/Helv 12 Tf")


def covered(pdf):
    contents = pdf.pages[0].Contents
    contents.write(contents.read_bytes() + b"\n1 1 1 rg 50 500 300 100 re f\n")


def other_words(pdf):
    contents = pdf.pages[0].Contents
    text = contents.read_bytes()
    word = max(re.findall(rb"<([0-9a-fA-F]{24,})>", text), key=len)
    turned = b"".join(reversed([word[at : at + 4] for at in range(0, len(word), 4)]))
    contents.write(text.replace(word, turned, 1))


def metadata(pdf):
    packet = pdf.Root.Metadata.read_bytes()
    pdf.Root.Metadata.write(re.sub(rb"<fiche:decision>.", b"<fiche:decision>z", packet))


def title(pdf):
    pdf.docinfo["/Title"] = "Another title"


def script(pdf):
    pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS="app.alert(1)")


def layers(pdf):
    group = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="x"))
    pdf.Root.OCProperties = Dictionary(OCGs=[group], D=Dictionary(Order=[group]))


def form(pdf):
    pdf.Root.AcroForm = Dictionary(Fields=[])


def link(pdf):
    note(pdf, Subtype=Name.Link, A=Dictionary(S=Name.URI, URI="https://example.org"))


def page_gone(pdf):
    del pdf.pages[-1]


CHANGES = {
    other_bytes: ("attachments", "F905 fiche.yaml has other bytes"),
    taken_out: ("attachments", "F905 fiche.yaml is listed and not attached"),
    put_in: ("attachments", "F905 extra.txt is attached and not listed"),
    swapped: ("attachments", "they are those of decision.json"),
    renamed: ("attachments", "F905 fiche.yaml is called other.yaml"),
    another_kind: ("attachments", "F906 fiche.yaml is attached as text/html"),
    another_relationship: ("attachments", "F906 fiche.yaml is attached as Data"),
    another_description: ("attachments", "F906 fiche.yaml"),
    twice_named: ("attachments", "is there twice"),
    hidden_file: ("attachments", "is a file that no name leads to"),
    note_with_file: ("attachments", "a file hangs on a page as a note"),
    stamp: ("body", "page 1: a note, link or stamp on the page"),
    covered: ("body", "page 1: what the page paints"),
    other_words: ("body", "F911 page 1"),
    metadata: ("digests", "the metadata (XMP)"),
    title: ("body", "the document's properties"),
    script: ("body", "an action that runs when the file is opened"),
    layers: ("body", "layers"),
    form: ("body", "a form"),
    link: ("body", "a note, link or stamp on the page"),
    page_gone: ("body", "pages"),
    lambda pdf: None: ("body", "another program wrote the file again"),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.__name__)
def test_a_change_is_named(change):
    key, words = CHANGES[change]
    found = faults(rewritten(change))
    assert any(words in text for text in found.get(key, ())), found


def updated(content=GUIDE):
    """An incremental update: what was written stays, and something is written behind it."""
    import pypdf

    writer = pypdf.PdfWriter(io.BytesIO(content), incremental=True)
    writer.add_metadata({"/Keywords": "x"})
    out = io.BytesIO()
    writer.write(out)
    assert out.getvalue().startswith(content)
    return out.getvalue()


def test_a_later_revision_is_named():
    assert "later revisions" in faults(updated())["read"][0]


@pytest.mark.parametrize("more", [b"x", b"\n", b"%%EOF\n", GUIDE])
def test_bytes_behind_the_end_are_named(more):
    assert faults(GUIDE + more)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, len(GUIDE) - 1), st.integers(1, 255))
def test_any_byte_anywhere_counts(at, by):
    assert faults(GUIDE[:at] + bytes([GUIDE[at] ^ by]) + GUIDE[at + 1 :])


def flipped(name, content=GUIDE):
    """One bit of the packed bytes of an attached file is another one."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        packed = specs(pdf)[name].EF.F.read_raw_bytes()
    at = content.index(packed) + len(packed) // 2
    return content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :]


@pytest.mark.parametrize("name", ["fiche.yaml", "offers.yaml", "decision.json", "manifest.json"])
def test_a_bit_of_a_packed_file_does_not_hold_and_the_report_is_read_all_the_same(name):
    found = looked(flipped(name))
    assert worst(found.steps) == FAILED
    told = [text for step in found.steps for text in step.faults if step.key == "attachments"]
    assert any(name in str(text) for text in told), told
    damaged = {one.name: one.damaged for one in found.container.held if one.damaged}
    assert list(damaged) == [name]
    assert "Error -3" in damaged[name]


def test_what_cannot_be_unpacked_is_not_put_back():
    container = looked(flipped("offers.yaml")).container
    assert list(extracted_files(container)) == ["fiche.yaml"]


def test_an_archive_takes_none_that_carries_a_damaged_file(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(flipped("offers.yaml"))
    nothing = dict.fromkeys(("kind", "supersedes", "keep_until", "confidentiality", "rights"))
    with pytest.raises(Refused) as refused:
        entry_of(path, asked([path], **nothing, label=None))
    (told,) = refused.value.diagnostics
    assert told.code == "F901"
    assert "offers.yaml, which it carries: a stream is not packed as it says" in told.message


@settings(max_examples=6, deadline=None)
@given(st.integers(0, len(GUIDE) - 1), st.integers(1, 2000))
def test_nothing_is_taken_out_unseen(at, length):
    assert faults(GUIDE[:at] + GUIDE[at + length :])


# --- Other programs that lay out pages ------------------------------------------------------------


def by_other_programs(pdf):
    packet = pdf.Root.Metadata.read_bytes()
    pdf.Root.Metadata.write(re.sub(rb"Pango [\d.]+", b"Pango 1.99.0", packet))


def moved(pdf):
    """A line stands a point further, as another Pango might have it."""
    contents = pdf.pages[0].Contents
    text = contents.read_bytes()
    found = re.search(rb"1 0 0 -1 ([\d.]+) ([\d.]+) Tm", text)
    there = b"1 0 0 -1 %.3f %s Tm" % (float(found[1]) + 1, found[2])
    contents.write(text.replace(found[0], there, 1))


def test_other_programs_leave_distances_unproven_and_the_rest_proven():
    def both(pdf):
        by_other_programs(pdf)
        moved(pdf)

    found = steps(rewritten(both))
    assert {key: step.outcome for key, step in found.items() if step.outcome != OK} == {
        "body": UNPROVEN
    }
    assert "Pango 1.99.0" in found["body"].points[0].text
    assert worst(steps(rewritten(moved)).values()) == FAILED


@pytest.mark.parametrize("change", [stamp, covered, other_words, script, link, page_gone])
def test_saying_that_other_programs_made_it_hides_nothing(change):
    def both(pdf):
        by_other_programs(pdf)
        change(pdf)

    assert "body" in faults(rewritten(both))


def test_without_pango_that_is_said(monkeypatch):
    from fiche.kernel.diagnostic import Diagnostic, Refused

    def none(*_, **__):
        raise Refused([Diagnostic(code="F601", message="a PDF needs Pango", address=None)])

    monkeypatch.setattr(MAKER, "written", none)
    body = steps(GUIDE)["body"]
    assert body.outcome == UNPROVEN
    assert "a PDF needs Pango" in body.points[0].text
    assert "nothing covers the text" in body.points[1].text
