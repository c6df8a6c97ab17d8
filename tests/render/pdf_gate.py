"""What a PDF must be to be called built to PDF/A-3a and PDF/UA-1: assertions on its objects, by pikepdf.

They stand for a validator where none is at hand, and each is a rule that veraPDF, PAC or a reader of the
structure has: the file, its metadata, fonts, attachments, and the tag tree against what pages paint.
"""

import re
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import pikepdf

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
DC = "{http://purl.org/dc/elements/1.1/}"
XMP = "{http://ns.adobe.com/xap/1.0/}"
PDF = "{http://ns.adobe.com/pdf/1.3/}"
PDFA = "{http://www.aiim.org/pdfa/ns/id/}"
PDFUA = "{http://www.aiim.org/pdfua/ns/id/}"
FICHE = "{urn:fiche:pdf/1/}"
SCHEMA = "{http://www.aiim.org/pdfa/ns/schema#}"
PROPERTY = "{http://www.aiim.org/pdfa/ns/property#}"
# Elements that may have content of their own, and the ones that only hold others.
GROUPS = {"/Document", "/Part", "/Sect", "/Div", "/L", "/Table", "/THead", "/TBody", "/TR", "/LI"}
SHOWING = {"Tj", "TJ", "'", '"'}
PAINTING = {"S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh", "Do"}


def opened(content):
    return pikepdf.open(BytesIO(content))


def passes(content, *, language, attachments=(), identity=None, signatures=0):
    """Every assertion below, on one file; `signatures` is how many came after it was written."""
    with opened(content) as pdf:
        assert pdf.check_pdf_syntax() == []  # what `qpdf --check` says
        the_file(pdf)
        unseen(pdf, signatures)
        told_to_readers(pdf, language)
        metadata(pdf, identity)
        fonts(pdf)
        attached(pdf, attachments)
        colours_and_images(pdf)
        tree(pdf)
        painted(pdf)


def the_file(pdf):
    assert pdf.pdf_version == "1.7"
    assert not pdf.is_encrypted
    assert len(pdf.trailer.ID) == 2
    (intent,) = pdf.Root.OutputIntents
    assert str(intent.S) == "/GTS_PDFA1"
    assert int(intent.DestOutputProfile.N) == 3
    for key in ("/OpenAction", "/AA", "/Perms", "/Requirements"):
        assert key not in pdf.Root
    kinds = {str(o.get("/S", "")) for o in dictionaries(pdf)} | {
        str(key) for o in dictionaries(pdf) for key in o
    }
    assert not kinds & {"/JavaScript", "/JS", "/Launch", "/URI", "/SubmitForm", "/GoToR", "/Movie"}


def unseen(pdf, signatures):
    """A form of signatures alone, outside of the page: nothing to fill in, nothing to see."""
    if not signatures:
        assert "/AcroForm" not in pdf.Root
        return
    fields = list(pdf.Root.AcroForm.Fields)
    assert len(fields) == signatures
    assert [f.objgen for page in pdf.pages for f in widgets(page)] == [f.objgen for f in fields]
    for field in fields:
        assert str(field.FT) == "/Sig"
        assert "/AP" not in field
        assert all(float(edge) < -1000 for edge in field.Rect)


def widgets(page):
    return [a for a in page.get("/Annots", []) if str(a.Subtype) == "/Widget"]


def told_to_readers(pdf, language):
    assert str(pdf.Root.Lang) == language
    assert bool(pdf.Root.MarkInfo.Marked)
    assert "/Suspects" not in pdf.Root.MarkInfo
    assert bool(pdf.Root.ViewerPreferences.DisplayDocTitle)
    for page in pdf.pages:
        assert str(page.Tabs) == "/S"


def metadata(pdf, identity):
    assert "/Filter" not in pdf.Root.Metadata or str(pdf.Root.Metadata.Filter) == "/FlateDecode"
    packet = pdf.Root.Metadata.read_bytes()
    assert packet.count(b"<rdf:RDF") == 1
    root = ElementTree.fromstring(packet.partition(b"?>")[2].rpartition(b"<?")[0])
    (rdf,) = root.iter(f"{RDF}RDF")
    told = attributes(rdf)
    assert (told[f"{PDFA}part"], told[f"{PDFA}conformance"]) == ("3", "A")
    assert text(rdf, f"{PDFUA}part") == "1"
    info = pdf.docinfo
    assert str(info.Title) == text(rdf, f"{DC}title")
    assert str(info.get("/Author", "")) == ", ".join(
        e.text for c in rdf.iter(f"{DC}creator") for e in c.iter(f"{RDF}li")
    )
    assert str(info.Creator) == text(rdf, f"{XMP}CreatorTool")
    assert str(info.Producer) == told[f"{PDF}Producer"]
    for key, name in (("/CreationDate", "CreateDate"), ("/ModDate", "ModifyDate")):
        assert str(info[key])[2:10] == text(rdf, f"{XMP}{name}").replace("-", "")
    assert described(rdf) >= used_properties(rdf)
    if identity is not None:
        found = {e.tag.removeprefix(FICHE): e.text for e in rdf.iter() if e.tag.startswith(FICHE)}
        assert re.fullmatch(
            r"WeasyPrint [\d.]+, Pango [\d.]+(, HarfBuzz [\d.]+)?", found.pop("drawn_with")
        )
        assert found == identity
        assert str(pdf.trailer.ID[0]) == identity["fiche"]


def attributes(rdf):
    return {k: v for d in rdf.iter(f"{RDF}Description") for k, v in d.attrib.items()}


def text(rdf, name):
    (element,) = rdf.iter(name)
    return "".join(element.itertext()).strip()


def described(rdf):
    """Every property that an extension schema in the file describes, with all that PDF/A wants of it."""
    found = set()
    schemas = [e for e in rdf.iter(f"{RDF}li") if e.find(f"{SCHEMA}namespaceURI") is not None]
    for schema in schemas:
        assert schema.find(f"{SCHEMA}schema").text
        assert schema.find(f"{SCHEMA}prefix").text
        namespace = schema.find(f"{SCHEMA}namespaceURI").text
        for each in schema.find(f"{SCHEMA}property").iter(f"{RDF}li"):
            assert each.find(f"{PROPERTY}valueType").text in ("Text", "Integer")
            assert each.find(f"{PROPERTY}category").text in ("internal", "external")
            assert each.find(f"{PROPERTY}description").text
            found.add(f"{{{namespace}}}{each.find(f'{PROPERTY}name').text}")
    return found


def used_properties(rdf):
    return {
        e.tag
        for d in rdf.iter(f"{RDF}Description")
        for e in d
        if e.tag[:6] in (PDFUA[:6], FICHE[:6])
    } - {e.tag for e in rdf.iter() if not e.tag.startswith((PDFUA, FICHE))}


def fonts(pdf):
    """Embedded, subset, told in Unicode, and ours: no font of this machine."""
    found = [o for o in dictionaries(pdf) if str(o.get("/Type", "")) == "/Font"]
    tops = [f for f in found if "/DescendantFonts" in f]
    assert tops
    for font in tops:
        assert "/ToUnicode" in font
        (inner,) = font.DescendantFonts
        descriptor = inner.FontDescriptor
        assert "/FontFile2" in descriptor or "/FontFile3" in descriptor
        prefix, _, name = str(descriptor.FontName).lstrip("/").partition("+")
        assert len(prefix) == 6
        assert prefix.isupper()
        assert name.startswith("Fiche"), f"{name} is a font of this machine"
    assert len(tops) == len([f for f in found if str(f.get("/Subtype", "")) == "/Type0"])


def attached(pdf, attachments):
    """One entry for each file: in the name tree, in AF, under its own relationship, type and date."""
    listed = list(pdf.Root.Names.EmbeddedFiles.Names) if attachments else []
    names = [str(name) for name in listed[::2]]
    assert names == sorted(names) == sorted(a.name for a in attachments)
    assert all(name.isascii() for name in names)
    specs = listed[1::2]
    associated = list(pdf.Root.AF) if attachments else []
    assert [s.objgen for s in associated] == [s.objgen for s in specs]
    assert len({s.objgen for s in specs}) == len(specs)
    by_name = {a.name: a for a in attachments}
    for spec in specs:
        told = by_name[str(spec.UF)]
        assert str(spec.F) == told.name
        assert str(spec.Desc) == told.description != ""
        assert str(spec.AFRelationship) == f"/{told.relationship}"
        assert told.relationship in ("Source", "Data", "Alternative", "Supplement")
        stream = spec.EF.F
        assert stream.read_bytes() == told.content
        assert str(stream.Subtype) == f"/{told.media_type}"
        assert int(stream.Params.Size) == len(told.content)
        assert str(stream.Params.ModDate).endswith("000000Z")


def colours_and_images(pdf):
    for thing in dictionaries(pdf):
        assert not bool(thing.get("/Interpolate", False))
        assert "/DeviceCMYK" not in {str(v) for v in thing.values() if isinstance(v, pikepdf.Name)}
        assert str(thing.get("/S", "")) != "/Separation"


def dictionaries(pdf):
    """All of them, also those of streams and inside others."""
    seen, stack = [], list(pdf.objects)
    while stack:
        thing = stack.pop()
        if isinstance(thing, pikepdf.Stream):
            thing = thing.stream_dict
        if isinstance(thing, pikepdf.Dictionary):
            seen.append(thing)
            stack += [v for v in thing.values() if _inner(v)]
        elif isinstance(thing, pikepdf.Array):
            stack += [v for v in thing if _inner(v)]
    return seen


def _inner(value):
    kinds = (pikepdf.Dictionary, pikepdf.Array)
    return isinstance(value, kinds) and not value.is_indirect


def elements(pdf):
    """The tag tree in reading order: (element, parent), children before what follows them."""
    root = pdf.Root.StructTreeRoot
    (document,) = root.K
    stack = [(document, None)]
    while stack:
        element, parent = stack.pop()
        yield element, parent
        kids = [k for k in element.K if isinstance(k, pikepdf.Dictionary) and "/S" in k]
        stack += [(kid, element) for kid in reversed(kids)]


def tree(pdf):
    headings = []
    for element, parent in elements(pdf):
        tag, above = str(element.S), str(parent.S) if parent is not None else ""
        kids = list(element.K)
        assert parent is None or element.P.objgen == parent.objgen
        assert kids or tag in ("/TD", "/TH"), f"empty {tag}"
        assert tag not in ("/NonStruct", "/Span"), "says nothing"
        inner = {str(k.S) for k in kids if isinstance(k, pikepdf.Dictionary) and "/S" in k}
        if tag in GROUPS:
            assert not any(isinstance(k, int) for k in kids), f"bare text in {tag}"
        if tag[1:2] == "H" and tag[2:].isdigit():
            headings.append(int(tag[2:]))
        holds(tag, above, inner)
        if tag == "/TH":
            assert str(element.A.Scope) in ("/Column", "/Row")
        if tag == "/Figure":
            assert str(element.Alt).strip()
            left, low, right, high = (float(n) for n in element.A.BBox)
            box = [float(n) for n in element.Pg.MediaBox]
            assert box[0] <= left < right <= box[2]
            assert box[1] <= low < high <= box[3]
        if tag == "/Link":
            assert any(isinstance(k, int) for k in kids), "a link with nothing to show"
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))


def holds(tag, above, inner):
    """Tables, lists and captions are made of what they must be made of."""
    if tag == "/Table":
        assert inner <= {"/Caption", "/THead", "/TBody", "/TFoot", "/TR"}
    if tag in ("/THead", "/TBody"):
        assert (above, inner) == ("/Table", {"/TR"})
    if tag == "/TR":
        assert inner <= {"/TH", "/TD"}
    if tag in ("/TH", "/TD"):
        assert above == "/TR"
    if tag == "/L":
        assert inner <= {"/LI", "/L", "/Caption"}
    if tag == "/LI":
        assert above == "/L"
        assert inner <= {"/Lbl", "/LBody"}
    if tag in ("/Lbl", "/LBody"):
        assert above == "/LI"
    if tag == "/Caption":
        assert above in ("/Table", "/Div", "/Figure")


def painted(pdf):
    """Everything on a page is somebody's content or an artifact, and both sides agree whose."""
    nums = list(pdf.Root.StructTreeRoot.ParentTree.Nums)
    parents = dict(zip((int(k) for k in nums[::2]), nums[1::2], strict=True))
    assert sorted(parents) == [int(k) for k in nums[::2]]
    owned = {}
    for element, _ in elements(pdf):
        for kid in element.K:
            if isinstance(kid, int):
                owned[element.Pg.objgen, kid] = element.objgen
    for page in pdf.pages:
        row = parents[int(page.StructParents)]
        marks = marked(page)
        assert marks == {mark for place, mark in owned if place == page.objgen}
        for mark in marks:
            assert row[mark].objgen == owned[page.objgen, mark]
        for annotation in page.get("/Annots", []):
            if str(annotation.Subtype) == "/Widget":
                continue  # `unseen` has looked at it
            assert str(annotation.Subtype) == "/Link"
            assert str(annotation.Contents)
            assert int(annotation.F) == 4
            link = parents[int(annotation.StructParent)]
            assert str(link.S) == "/Link"
            objects = [k for k in link.K if isinstance(k, pikepdf.Dictionary)]
            assert annotation.objgen in [k.Obj.objgen for k in objects if "/Obj" in k]


def marked(page):
    """Numbers of the marked content; nothing may be shown outside of it and of artifacts."""
    found, open_ = set(), []
    for operands, operator in pikepdf.parse_content_stream(page):
        word = str(operator)
        if word in ("BMC", "BDC"):
            told = operands[1] if word == "BDC" else {}
            mark = told.get("/MCID") if isinstance(told, pikepdf.Dictionary) else None
            assert mark is None or not any(open_), "content inside content"
            if mark is not None:
                assert int(mark) not in found
                found.add(int(mark))
            open_.append(str(operands[0]) == "/Artifact" or mark is not None)
        elif word == "EMC":
            open_.pop()
        elif word in SHOWING | PAINTING:
            assert any(open_), f"{word} outside of content and artifacts"
    assert not open_
    return found
