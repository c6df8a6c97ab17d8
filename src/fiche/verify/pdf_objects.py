"""Objects of a PDF by pypdf, as they are written: no reference is followed unasked."""

from __future__ import annotations

import io
import logging
from typing import Any, TypeAlias

from fiche.verify.bounds import (
    MOST_DRAWN,
    MOST_OBJECTS,
    broken,
    inflated,
    parsed,
    refused,
    too_much,
)

# Of pypdf: a reader, an object of a PDF.
Reader: TypeAlias = Any
Thing: TypeAlias = Any


def opened(content: bytes) -> Reader:
    """A reader of a PDF that is neither encrypted nor endless."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = parsed(lambda: pypdf.PdfReader(io.BytesIO(content), strict=False))
    if parsed(lambda: reader.is_encrypted):
        hint = "ask for the file as it was written: a report needs no password"
        raise refused("F902", "the PDF is encrypted", hint)
    if len(objects(reader)) > MOST_OBJECTS:
        raise too_much(f"it has more than {MOST_OBJECTS} objects")
    if not isinstance(root_of(reader), dict):
        raise broken("it has no catalog")
    return reader


def objects(reader: Reader) -> list[tuple[int, int]]:
    """Number and generation of every object that the file lists, in order."""
    plain = [
        (number, generation)
        for generation, entries in reader.xref.items()
        for number in entries
        if generation != 65535
    ]
    return sorted({*plain, *((number, 0) for number in reader.xref_objStm)})


def at(reader: Reader, number: int, generation: int) -> Thing:
    """An object by its number."""
    from pypdf.generic import IndirectObject

    return parsed(lambda: IndirectObject(number, generation, reader).get_object())


def raw(node: Thing, key: str) -> Thing:
    """An entry as it is written, a reference where it is one; None where there is none."""
    return dict.get(node, key) if isinstance(node, dict) else None


def value(node: Thing, key: str) -> Thing:
    """An entry itself; None where there is none."""
    found = raw(node, key)
    return None if found is None else resolved(found)


def resolved(thing: Thing) -> Thing:
    """What a reference leads to; anything else is itself."""
    return parsed(thing.get_object) if hasattr(thing, "get_object") else thing


def root_of(reader: Reader) -> Thing:
    """The catalog."""
    return value(parsed(lambda: reader.trailer), "/Root")


def number_of(thing: Thing) -> int | None:
    """The number of the object that a reference leads to; None for what is written in place."""
    found = getattr(thing, "idnum", None)
    return found if isinstance(found, int) else None


def decoded(stream: Thing) -> bytes:
    """The bytes of a stream that is packed as WeasyPrint packs.

    Raises:
        Refused: F901 it is not; F903 it is longer than what draws a page.
    """
    packed, packing = packed_of(stream), value(stream, "/Filter")
    if packing in (None, []):
        return packed
    if packing in ("/FlateDecode", ["/FlateDecode"]) and raw(stream, "/DecodeParms") is None:
        return inflated(packed, MOST_DRAWN)
    return bytes(parsed(stream.get_data))


def packed_of(stream: Thing) -> bytes:
    """The bytes of a stream as they lie in the file.

    Raises:
        Refused: F901 it is no stream.
    """
    found = getattr(stream, "_data", None)
    if not isinstance(found, bytes):
        raise broken("what should be a stream is none")
    return found


def page_of(reader: Reader, number: int) -> Thing:
    """A page by its place, from 0."""
    return parsed(lambda: reader.pages[number])
