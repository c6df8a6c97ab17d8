"""YAML read as events into a tree of nodes: nothing is guessed, nothing is expanded (law 3, law 7).

PyYAML's C parser when it is there, its Python one elsewhere: both give the same events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fiche.kernel.address import Span
from fiche.kernel.printed import printed
from fiche.load.fault import Faults, refused
from fiche.load.node import Entry, Mapping, Node, Scalar, Sequence
from fiche.load.source import FORBIDDEN, Source

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 64
MAX_NODES = 100_000


def parse(source: Source, start: int = 0, end: int | None = None) -> Node:
    """Read one YAML document, or the part of a text between two indexes, into nodes.

    Raises:
        Refused: not YAML (F103), a key twice (F104), anchors and aliases (F105), tags and directives
            (F106), a second document (F107), nothing at all (F108), too deep (F110), too many
            values (F111), a key that is no plain word (F112). All that can be told at once is.
    """
    builder = _Builder(source, start)
    builder.read(source.text[start:end])
    builder.faults.stop()
    if builder.root is None:
        raise refused(
            "F108", "the file holds no YAML value", source.span(start), "start it as in a sample"
        )
    return builder.root


class _Open:
    """A list or a mapping whose end has not come yet; `key` waits for its value."""

    def __init__(self, span: Span, *, is_mapping: bool) -> None:
        self.span, self.is_mapping = span, is_mapping
        self.items: list[Node] = []
        self.entries: dict[str, Entry] = {}
        self.key: Scalar | None = None


class _Builder:
    """Takes events one by one; `root` is the tree once the last one was taken."""

    def __init__(self, source: Source, offset: int) -> None:
        self.source, self.offset = source, offset
        self.faults = Faults()
        self.root: Node | None = None
        self.documents = self.nodes = 0
        self.open: list[_Open] = []

    def read(self, text: str) -> None:
        """Take all events, or stop at the first place where YAML itself stops."""
        import yaml

        try:
            for event in _events(text):
                self.take(event)
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # The Python parser lets an escape such as "\\UFFFFFFFF" fail in the language itself.
            self.syntax(error)

    def take(self, event: yaml.Event) -> None:
        """Take one event, by its name."""
        handler = _HANDLERS.get(type(event).__name__)
        if handler is not None and self.documents < 2:
            handler(self, event)

    def span(self, mark: Any, text: str = "") -> Span:  # noqa: ANN401 - a mark has no public type
        return self.source.span(mark.index + self.offset, text)

    def document(self, event: Any) -> None:  # noqa: ANN401
        self.documents += 1
        span = self.span(event.start_mark)
        if self.documents == 2:
            self.faults.add(
                "F107", "a second document starts here", span, "keep one document a file"
            )
        if event.tags or (event.version and tuple(event.version) != (1, 2)):
            self.faults.add(
                "F106", "a directive changes how the text is read", span, "remove the % line"
            )

    def alias(self, event: Any) -> None:  # noqa: ANN401
        span = self.span(event.start_mark, f"*{event.anchor}")
        self.faults.add("F105", f"'{span.text}' stands for a value written elsewhere", span, _COPY)
        self.add(Scalar(span, plain=False))

    def scalar(self, event: Any) -> None:  # noqa: ANN401
        span = self.span(event.start_mark, event.value)
        self.check(event, span)
        hidden = None if printed(event.value, lines=True) else FORBIDDEN.search(event.value)
        if hidden is not None:
            name = f"U+{ord(hidden[0]):04X}"
            self.faults.add(
                "F102", f"an escape makes the control character {name}", span, "leave it out"
            )
        self.add(Scalar(span, plain=event.implicit[0]))

    def start(self, event: Any) -> None:  # noqa: ANN401
        span = self.span(event.start_mark)
        self.check(event, span)
        if len(self.open) == MAX_DEPTH:
            raise refused(
                "F110", f"more than {MAX_DEPTH} levels inside each other", span, "flatten it"
            )
        self.open.append(_Open(span, is_mapping=type(event).__name__ == "MappingStartEvent"))

    def end(self, _: Any) -> None:  # noqa: ANN401
        done = self.open.pop()
        if done.is_mapping:
            self.add(Mapping(done.span, done.entries))
        else:
            self.add(Sequence(done.span, tuple(done.items)))

    def check(self, event: Any, span: Span) -> None:  # noqa: ANN401
        """Refuse what hides a value's meaning or its place, and what never ends."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise refused("F111", f"more than {MAX_NODES} values", span, "split the file")
        if event.anchor:
            self.faults.add(
                "F105", f"'&{event.anchor}' names a value to repeat it elsewhere", span, _COPY
            )
        if event.tag:
            self.faults.add(
                "F106", f"'{event.tag}' is a tag", span, "remove it: no type is forced here"
            )

    def add(self, node: Node) -> None:
        """Put a finished node where it belongs."""
        if not self.open:
            self.root = node
        elif not self.open[-1].is_mapping:
            self.open[-1].items.append(node)
        elif self.open[-1].key is None:
            self.open[-1].key = self.key(node)
        else:
            self.enter(self.open[-1], node)

    def key(self, node: Node) -> Scalar:
        if isinstance(node, Scalar):
            return node
        self.faults.add(
            "F112", "a list or a mapping is used as a key", node.span, "write a word and a colon"
        )
        return Scalar(node.span, plain=False)

    def enter(self, into: _Open, value: Node) -> None:
        key, into.key = into.key, None
        assert key is not None
        first = into.entries.setdefault(key.text, Entry(key, value))
        if first.key is not key:
            where = f"it stands on line {first.key.span.line} already"
            self.faults.add("F104", f"key '{key.text}' is written twice", key.span, where)

    def syntax(self, error: Exception) -> None:
        """YAML's own complaint, at its own place."""
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        index = getattr(mark, "index", None) or getattr(error, "position", None) or 0
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        span = self.source.span(min(index + self.offset, len(self.source.text)))
        tab = self.source.text[index + self.offset :][:1] == "\t"
        hint = "indent with blanks, not tabs" if tab else _hint(problem)
        self.faults.add("F103", f"this is no YAML: {problem}", span, hint)


_COPY = "write the value out: one number, one place"
_HANDLERS = {
    "DocumentStartEvent": _Builder.document,
    "AliasEvent": _Builder.alias,
    "ScalarEvent": _Builder.scalar,
    "SequenceStartEvent": _Builder.start,
    "SequenceEndEvent": _Builder.end,
    "MappingStartEvent": _Builder.start,
    "MappingEndEvent": _Builder.end,
}
_CHECK = "check the indentation, brackets, and quotes inside quotes"
_HINTS = {
    "mapping values are not allowed": "put quotes around a text that holds a colon and a blank",
    "cannot start any token": "put quotes around a text that starts with this character",
    "did not find expected key": _CHECK,
    "expected ',' or": "close the bracket, or put a comma before this",
    "could not find expected ':'": "a key needs a colon and a blank behind it",
    "found unexpected end of stream": "close the quotes",
}


def _hint(problem: str) -> str:
    return next((hint for words, hint in _HINTS.items() if words in problem), _CHECK)


def _events(text: str) -> Iterator[yaml.Event]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(text, Loader=loader)
