"""The one RDF of a PDF says both standards, and whose decision it holds (law 1: an id that can be walked)."""

from xml.etree import ElementTree

import pytest
from render.pages import attachments
from render.pdf_gate import FICHE, RDF, described

from fiche.render._rdf import FICHE_PROPERTIES, completed, describe, identity_of

PLAIN = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    b'<rdf:Description rdf:about=""><dc:title>\xc5\x9f &lt;b&gt; ]]&gt;</dc:title></rdf:Description></rdf:RDF>'
)


def test_what_was_there_stays():
    told = completed(PLAIN, {})
    root = ElementTree.fromstring(told)
    assert root.tag == f"{RDF}RDF"
    assert [e.text for e in root.iter("{http://purl.org/dc/elements/1.1/}title")] == ["ş <b> ]]>"]


@pytest.mark.parametrize(
    "identity",
    [{}, {"fiche": "1", "decision": "2", "rules": "3", "policy": "4", "drawn_with": "5"}],
)
def test_every_property_is_described_in_the_file(identity):
    root = ElementTree.fromstring(completed(PLAIN, identity))
    ours = {f"{FICHE}{p.name}" for p in FICHE_PROPERTIES} if identity else set()
    assert described(root) == {"{http://www.aiim.org/pdfua/ns/id/}part", *ours}
    assert {
        e.tag.removeprefix(FICHE): e.text for e in root.iter() if e.tag.startswith(FICHE)
    } == identity


def test_the_hook_is_the_documents_own():
    class Metadata:
        def generate_rdf_metadata(self, variant, version, conformance):
            assert (variant, version, conformance) == ("a", 3, "A")
            return PLAIN

    metadata = Metadata()
    describe(metadata, {})
    assert b"pdfuaid:part" in metadata.generate_rdf_metadata("a", 3, "A")


def test_the_identity_is_that_of_the_attached_decision():
    told = identity_of(attachments("rich"))
    assert sorted(told) == ["decision", "fiche", "policy", "rules"]
    assert told["decision"] in {a.sha256 for a in attachments("rich") if a.name == "decision.json"}
    assert identity_of(()) == {}
