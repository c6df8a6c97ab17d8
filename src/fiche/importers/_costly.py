"""What a library reads whose time or memory may grow faster than the text: read apart however short it is.

A mail of a few kilobytes may take minutes, a page of a document unpack to gigabytes. Lines and JSON are read
in linear time, in the process itself.
"""

from __future__ import annotations

from fiche.importers._packed import packing_of
from fiche.importers._text import encoding_of
from fiche.importers._web_texts import is_mail
from fiche.kernel.lazy import lazy

_HEAD = 1024
_BEGINS = lazy(rb"PK|\xd0\xcf\x11\xe0|\{\\rtf|\x80[\x02-\x05]|(?:\xef\xbb\xbf)?\s{0,1000}<")
_INSIDE = (b"<?xml", b"<!DOCTYPE", b"<!ENTITY")


def is_costly(text: bytes) -> bool:
    """True for pickles, PDF, archives, HTML, XML (also inside a log) and mails."""
    return (
        _BEGINS.match(text) is not None
        or b"%PDF-" in text[:_HEAD]
        or any(text.find(mark) >= 0 for mark in _INSIDE)
        or is_mail(text)
    )


def is_plain(content: bytes) -> bool:
    """True for bytes as received that are text as they stand, and cost no more than their length."""
    return packing_of(content) is None and encoding_of(content) is None and not is_costly(content)
