"""The words that stand at an address: a line of a fiche, a line or a value of a piece."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from fiche.assets import package_data
from fiche.kernel.address import Address, Pointer, Span
from fiche.kernel.decision import Fiche
from fiche.kernel.origin import Computed, Declared, Observed, Origin
from fiche.kernel.places import Places
from fiche.kernel.record import record

LONGEST = 240
_BUILT_IN = "fiche:"


@record
class Quote:
    """Where a number was read: the place in words, what stands there, the digest of the file."""

    place: str
    text: str
    file: str
    sha256: str


@record(kw_only=False)
class Quotes:
    """Finds what stands at an address, in the bytes of the files that went into a decision."""

    fiche: Fiche
    contents: Mapping[str, bytes]

    def of_origin(self, origin: Origin | None) -> Quote | None:
        """The quote of a number that was read somewhere; None for a computed or an unknown one."""
        address = _address(origin)
        return None if address is None else self.of(address)

    def of(self, address: Address) -> Quote:
        """The quote at an address; its text is empty where the file was not kept."""
        place = Places.of(self.fiche).of_address(address) or ""
        file, sha256 = self._file(address)
        content = self._content(file)
        text = "" if content is None else _text(address, content)
        return Quote(place=place, text=text[:LONGEST], file=file, sha256=sha256)

    def _file(self, address: Address) -> tuple[str, str]:
        if isinstance(address, Span):
            digests = {each.file: each.sha256 for each in self.fiche.inputs}
            return address.file, digests.get(address.file, "")
        files = {each.sha256: each.file for each in reversed(self.fiche.inputs)}
        files |= {each.sha256: each.file for each in reversed(self.fiche.pieces)}
        return files.get(address.sha256, ""), address.sha256

    def _content(self, file: str) -> bytes | None:
        if file in self.contents or not file.startswith(_BUILT_IN):
            return self.contents.get(file)
        return package_data(file.removeprefix(_BUILT_IN)).read_bytes()


def _address(origin: Origin | None) -> Address | None:
    if origin is None or isinstance(origin, Computed):
        return None
    if isinstance(origin, Observed):
        return origin.pointer
    if isinstance(origin, Declared):
        return origin.address
    return origin.span


def _text(address: Address, content: bytes) -> str:
    if isinstance(address, Pointer) and address.path is not None:
        return _value(address.path, content) or address.text
    lines = content.split(b"\n")
    line = address.line or 0
    if not 1 <= line <= len(lines):
        return ""
    return lines[line - 1].decode("utf-8", "replace").rstrip("\r")


def _value(path: str, content: bytes) -> str:
    """What a JSON pointer leads to; empty where the piece is no JSON, or holds nothing there."""
    if not path.startswith("/"):
        return ""
    try:
        here = json.loads(content)
        for step in path[1:].split("/"):
            key = re.sub("~1", "/", step).replace("~0", "~")
            here = here[int(key)] if isinstance(here, list) else here[key]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return json.dumps(here, ensure_ascii=False)
