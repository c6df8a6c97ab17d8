"""A document of fiche's own that is one JSON object with a format and a schema, read strictly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.importers._json import NotJsonError
from fiche.importers._opened import opened
from fiche.importers._record_json import Fault, decoded, schema_faults
from fiche.importers._record_places import Form, told
from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record


@record
class OwnDocument:
    """What it is called, its exact format and schema, what writes it, and what the schema cannot say."""

    title: str
    format: str
    schema: str
    writer: str
    further: Callable[[Form], Iterable[Fault]] = lambda found: ()

    def form(self, content: bytes, sha256: str) -> Form:
        """The document with its places.

        Raises:
            Refused: its structure is wrong: F430 to F435, and what `further` finds.
        """
        text = opened(content, sha256).removeprefix(b"\xef\xbb\xbf")
        try:
            document, faults = decoded(text.decode("utf-8", errors="replace"))
        except NotJsonError as error:
            hint = f"it is one JSON object, as `{self.writer}` writes it"
            message = f"not JSON: {error}"
            raise refused("F430", message, sha256, line=error.line, hint=hint) from None
        if not isinstance(document, dict):
            raise refused("F430", f"{self.title} is a JSON object", sha256, path="")
        if document.get("format") != self.format:
            version = f"the format is {document.get('format')!r}"
            hint = f"this fiche reads {self.format}"
            raise refused("F431", version, sha256, path="/format", hint=hint)
        found = Form(document=document, sha256=sha256)
        faults = faults or list(schema_faults(document, self.schema)) or list(self.further(found))
        if faults:
            raise Refused(told(found, f.code, f.message, *f.path, hint=f.hint) for f in faults)
        return found
