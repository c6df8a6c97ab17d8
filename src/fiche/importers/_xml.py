"""XML of other programs, read without trust: no entity, no document fetched, bounded depth and count.

Only leaves are handed out, each with the names of the elements around it and its line.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from fiche.importers._parsers import parsed
from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused

MAX_DEPTH = 32
MAX_ELEMENTS = 200_000
_MAX_TEXT = 4_096
_MAX_NAME = 200


class _Reader:
    """The handlers of one document; `leaf(path, text, line)` and `opened(path, attributes)` are called."""

    def __init__(
        self,
        sha256: str,
        line: int,
        opened: Callable[[tuple[str, ...], dict[str, str]], None],
        leaf: Callable[[tuple[str, ...], str, int], None],
    ) -> None:
        self.sha256, self.line, self.opened, self.leaf = sha256, line, opened, leaf
        self.path: list[str] = []
        self.text: list[str] = []
        self.held = self.count = 0
        self.has_child = False
        self.parser = expat.ParserCreate()
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        for name in ("EntityDecl", "UnparsedEntityDecl", "NotationDecl", "ExternalEntityRef"):
            setattr(self.parser, f"{name}Handler", self.forbidden)

    @property
    def now(self) -> int:
        return self.line + self.parser.CurrentLineNumber - 1

    def refuse(self, what: str) -> Refused:
        hint = "nvidia-smi writes none of that; the file was made or changed by something else"
        return refused(
            "F442", f"the XML is not read: {what}", self.sha256, line=self.now, hint=hint
        )

    def doctype(self, name: str, system: object, public: object, has_internal: int) -> None:
        if has_internal:
            raise self.refuse("its document type declares things of its own")

    def forbidden(self, *_: object) -> int:
        raise self.refuse("it declares or refers to an entity")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.path) >= MAX_DEPTH:
            raise self.refuse(f"elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS or len(name) > _MAX_NAME:
            raise self.refuse(f"more than {MAX_ELEMENTS} elements, or a name without end")
        self.path.append(name)
        self.text, self.held, self.has_child = [], 0, False
        self.opened(tuple(self.path), attributes)

    def characters(self, text: str) -> None:
        if self.held < _MAX_TEXT:
            self.text.append(text)
            self.held += len(text)

    def end(self, name: str) -> None:
        if not self.has_child:
            self.leaf(tuple(self.path), "".join(self.text).strip()[:_MAX_TEXT], self.now)
        self.path.pop()
        self.text, self.held, self.has_child = [], 0, True


def leaves(
    text: bytes,
    sha256: str,
    line: int,
    opened: Callable[[tuple[str, ...], dict[str, str]], None],
    leaf: Callable[[tuple[str, ...], str, int], None],
) -> None:
    """Hand every element and every leaf of a document that begins at `line` to the caller.

    Raises:
        Refused: the XML is broken or breaks off (F441), declares entities, or is nested too deep (F442).
    """
    reader = _Reader(sha256, line, opened, leaf)
    hint = "copy the file again: a document that is cut or edited is read in no part"
    try:
        parsed(
            lambda: reader.parser.Parse(text, True),
            "F441",
            "the XML is broken",
            sha256,
            hint=hint,
            line=line,
            but=expat.ExpatError,
        )
    except expat.ExpatError as error:
        message = f"the XML is broken: {expat.ErrorString(error.code)}"
        raise refused("F441", message, sha256, line=line + error.lineno - 1, hint=hint) from None
