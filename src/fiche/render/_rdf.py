"""The PDF's metadata (XMP): PDF/UA-1 said beside PDF/A-3a, and which fiche, decision and rules it holds.

WeasyPrint writes one of the two standards. Its own hook adds a second `rdf:RDF`, which validators do not
read, so the descriptions are put into the one that it makes. PDF/A asks that every schema it does not
know be described in the file itself (ISO 19005-3, 6.6.2.3): `pdfuaid`, and fiche's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from fiche.kernel.record import record
from fiche.render.attachment import Attachment

# Of WeasyPrint, which has no types: the metadata of a document.
Metadata: TypeAlias = Any

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_UA = "http://www.aiim.org/pdfua/ns/id/"
FICHE = "urn:fiche:pdf/1/"
_EXTENSION = "http://www.aiim.org/pdfa/ns/extension/"
_SCHEMA = "http://www.aiim.org/pdfa/ns/schema#"
_PROPERTY = "http://www.aiim.org/pdfa/ns/property#"
_PREFIXES = {
    "rdf": _RDF,
    "pdfuaid": _UA,
    "fiche": FICHE,
    "pdfaExtension": _EXTENSION,
    "pdfaSchema": _SCHEMA,
    "pdfaProperty": _PROPERTY,
}


@record(kw_only=False)
class Property:
    """One property of a schema as the file describes it."""

    name: str
    kind: str
    about: str


_UA_PROPERTIES: tuple[Property, ...] = (
    Property("part", "Integer", "Part of ISO 14289 that the file is built to"),
)
FICHE_PROPERTIES: tuple[Property, ...] = (
    Property("fiche", "Text", "Id of the fiche: a UUID version 5 of the files that went in"),
    Property("decision", "Text", "SHA-256 of the attached decision.json"),
    Property("rules", "Text", "SHA-256 of the rules that the decision was judged by"),
    Property("policy", "Text", "SHA-256 of the policy that says how strictly pieces are read"),
    Property("drawn_with", "Text", "Programs that laid out the pages, with their versions"),
)


def identity_of(attachments: Sequence[Attachment]) -> Mapping[str, str]:
    """Values of fiche's properties, as the attached decision.json has them; empty without one."""
    found = [a for a in attachments if a.name == "decision.json"]
    if not found:
        return {}
    document = json.loads(found[0].content)
    rules = document.get("rules", {})
    told = {
        "fiche": document.get("fiche", {}).get("id"),
        "decision": found[0].sha256,
        "rules": rules.get("sha256"),
        "policy": rules.get("policy_sha256"),
    }
    return {name: value for name, value in told.items() if value}


def describe(metadata: Metadata, identity: Mapping[str, str]) -> None:
    """Have the document's metadata written with the standard and the identity, in its one RDF."""
    plain = metadata.generate_rdf_metadata

    def merged(variant: str, version: int, conformance: str) -> bytes:
        return completed(plain(variant, version, conformance), identity)

    metadata.generate_rdf_metadata = merged


def completed(rdf: bytes, identity: Mapping[str, str]) -> bytes:
    """The RDF that WeasyPrint made, with ours inside."""
    for prefix, namespace in _PREFIXES.items():
        register_namespace(prefix, namespace)
    root = fromstring(rdf)
    SubElement(_description(root), f"{{{_UA}}}part").text = "1"
    schemas = [("PDF/UA identification", _UA, "pdfuaid", _UA_PROPERTIES)]
    if identity:
        told = _description(root)
        for name, value in identity.items():
            SubElement(told, f"{{{FICHE}}}{name}").text = value
        schemas.append(("Identity of a decision report", FICHE, "fiche", FICHE_PROPERTIES))
    bag = _list(_description(root), f"{{{_EXTENSION}}}schemas", "Bag")
    for title, namespace, prefix, properties in schemas:
        _schema(bag, title, (namespace, prefix), properties)
    written: bytes = tostring(root, encoding="utf-8")
    return written


def _schema(
    bag: Element, title: str, names: tuple[str, str], properties: Sequence[Property]
) -> None:
    entry = _item(bag)
    SubElement(entry, f"{{{_SCHEMA}}}schema").text = title
    SubElement(entry, f"{{{_SCHEMA}}}namespaceURI").text = names[0]
    SubElement(entry, f"{{{_SCHEMA}}}prefix").text = names[1]
    listed = _list(entry, f"{{{_SCHEMA}}}property", "Seq")
    for each in properties:
        told = _item(listed)
        SubElement(told, f"{{{_PROPERTY}}}name").text = each.name
        SubElement(told, f"{{{_PROPERTY}}}valueType").text = each.kind
        SubElement(told, f"{{{_PROPERTY}}}category").text = "internal"
        SubElement(told, f"{{{_PROPERTY}}}description").text = each.about


def _description(root: Element) -> Element:
    return SubElement(root, f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": ""})


def _list(parent: Element, name: str, kind: str) -> Element:
    return SubElement(SubElement(parent, name), f"{{{_RDF}}}{kind}")


def _item(parent: Element) -> Element:
    return SubElement(parent, f"{{{_RDF}}}li", {f"{{{_RDF}}}parseType": "Resource"})
