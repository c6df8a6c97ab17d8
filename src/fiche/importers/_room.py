"""The room of importers as others are handed it: see `kernel.doors.Reader`."""

from __future__ import annotations

import io

from fiche.importers import _detect
from fiche.importers._costly import is_costly, is_plain
from fiche.kernel.piece import Reading

# What is longer, packed or costly to read is read with bounds on memory and time.
_PLAIN = 1024 * 1024


class Room:
    """Reads files that are in memory already, such as the pieces that a fiche cites."""

    def kinds(self) -> tuple[str, ...]:
        """The kinds that fiche reads, in name order."""
        return _detect.kinds()

    def read(self, content: bytes, sha256: str, name: str, kind: str) -> Reading:
        """Read one file by the importer of `kind`, or by the one that its content calls for."""
        if len(content) <= _PLAIN and is_plain(content):
            return _detect.read(content, sha256, name, kind or None)
        from fiche.importers._intake import take_in  # a short text needs none of its bounds

        return take_in(io.BytesIO(content), name, kind or None).reading

    def document(self, content: bytes, sha256: str, name: str) -> Reading | None:
        """The words of a document, read with bounds on memory and time; None for plain text."""
        if not is_costly(content):
            return None  # every container of words is: most texts cost no import
        from fiche.importers.document import shape_of

        return self.read(content, sha256, name, "document") if shape_of(content) else None
