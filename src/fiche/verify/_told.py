"""What a signed update says of the document anew: a program that signs writes its name and the time there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias
from xml.etree import ElementTree

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

# Of the properties, and of the metadata whatever their namespace is called.
_PROPERTIES = ("/Producer", "/ModDate")
_NAMED = frozenset(
    ("Producer", "ModifyDate", "MetadataDate", "CreatorTool", "xmptk", "InstanceID", "DocumentID")
)
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
# How it is written, which says nothing.
_FORMS = ("", "Resource")
_LONGEST = 2**20


def other_told(info: Foreign, metadata: Foreign, new_info: Foreign, new: Foreign) -> Iterator[str]:
    """What properties and metadata say that they did not say before; which program wrote them is left out."""
    then, now = _properties(info), _properties(new_info)
    for key in sorted(now):
        if then.get(key) != now[key]:
            yield f"the document's properties say another {key.lstrip('/')}"
    try:
        said = _said(new) - _said(metadata)
    except (ElementTree.ParseError, ValueError):
        yield "the metadata (XMP) cannot be read"
        return
    for name in sorted({name for name, _ in said}):
        yield f"the metadata (XMP) says another {name}"


def _properties(info: Foreign) -> dict[str, str]:
    told = info if isinstance(info, dict) else {}
    return {str(key): str(told[key]) for key in told if str(key) not in _PROPERTIES}


def _said(metadata: Foreign) -> set[tuple[str, str]]:
    """Each text of the metadata, with the property that it is of.

    Raises:
        ParseError: it is no XML.
        ValueError: it declares something of its own, or is longer than any.
    """
    content = getattr(metadata, "data", b"")
    if not content:
        return set()
    if len(content) > _LONGEST or b"<!" in content.replace(b"<!--", b""):
        raise ValueError
    found: set[tuple[str, str]] = set()
    waiting = [(ElementTree.fromstring(content.decode("utf-8")), "")]
    while waiting:
        part, above = waiting.pop()
        name = _local(part.tag)
        # What a list holds is of the property above it.
        own = above if name in ("li", "Alt", "Seq", "Bag") else name
        # A text may stand in an attribute of its property, too.
        found.update(
            (own if _RDF in key else _local(key), text) for key, text in part.attrib.items()
        )
        found.add((own, (part.text or "").strip()))
        waiting += [(each, own) for each in part]
    return {(name, text) for name, text in found if text not in _FORMS and name not in _NAMED}


def _local(name: object) -> str:
    return str(name).rpartition("}")[2]
