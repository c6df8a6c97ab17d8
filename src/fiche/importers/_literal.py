"""Values as Python prints them (`repr`, `pprint`), read without evaluating anything.

Only what a dict of counters holds: dicts, lists, tuples, OrderedDict, strings, numbers, None. Blanks are
gone already: a terminal or `pprint` breaks lines where it likes. Time is linear, depth is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fiche.importers._json import Path
from fiche.kernel.lazy import lazy

_MAX_DEPTH = 16
_MAX_TOKENS = 1_000_000
_LONGEST = 300
_TOKEN = lazy(
    rb"(?P<open>(?:OrderedDict|dict)\(|defaultdict\([^(){}\[\]]{0,60},|[{\[(])"
    rb"|(?P<close>[}\])])"
    rb"|'(?P<single>[^'\\\n]{0,300})'|\"(?P<double>[^\"\\\n]{0,300})\""
    rb"|(?P<number>-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?![0-9.]))"
    rb"|(?P<word>None|True|False|null|true|false|NaN|nan)"
    rb"|(?P<mark>[,:])"
)
_PART = lazy(rb"(?:'[^'\\\n]{0,300}|\"[^\"\\\n]{0,300}|[A-Za-z]{0,20}|-?[0-9.]{0,80})")
_PAIRS = {b"{": b"}", b"[": b"]", b"(": b")"}


class NotLiteralError(Exception):
    """The text is no such value from byte `at` on; `cut` is True where it only breaks off."""

    def __init__(self, at: int = 0, *, cut: bool = False) -> None:
        """`cut`: the text ended inside the value."""
        self.at, self.cut = at, cut
        super().__init__("breaks off" if cut else "no literal")


@dataclass(slots=True)
class Leaf:
    """A string, number or word as printed, with its offset; words for "nothing" are None."""

    text: str | None
    at: int


Node = Leaf | dict[str, "Node"] | list["Node"]


@dataclass(slots=True)
class _Open:
    """A bracket that is not closed yet: its items, and the key that waits for its value."""

    mark: bytes
    items: list[Node] = field(default_factory=list)
    members: dict[str, Node] = field(default_factory=dict)
    key: str | None = None
    pending: Node | None = None


def literal(text: bytes, start: int) -> tuple[Node, int]:
    """The value that begins at `start`, and where it ends.

    Raises:
        NotLiteralError: there is none, it breaks off, or it is nested too deep.
    """
    stack: list[_Open] = []
    at = start
    for _ in range(_MAX_TOKENS):
        token = _TOKEN.match(text, at)
        if token is None:
            raise NotLiteralError(at, cut=_cut(text, at))
        at = token.end()
        try:
            done = _step(stack, token)
        except NotLiteralError:
            raise NotLiteralError(at) from None
        if done is not None:
            return done, at
    raise NotLiteralError(at)


def _cut(text: bytes, at: int) -> bool:
    """True where the text ends inside a token that may have gone on."""
    return len(text) - at < _LONGEST and _PART.fullmatch(text, at) is not None


def _step(stack: list[_Open], token: re.Match[bytes]) -> Node | None:
    """Take one token; the whole value when its last bracket closes."""
    if token["open"]:
        if len(stack) >= _MAX_DEPTH:
            raise NotLiteralError
        stack.append(_Open(token["open"]))
        return None
    if not stack:
        raise NotLiteralError
    if token["close"]:
        return _close(stack, token["close"])
    if token["mark"]:
        _mark(stack[-1], token["mark"])
    else:
        _put(stack[-1], _leaf(token))
    return None


def _leaf(token: re.Match[bytes]) -> Leaf:
    for name in ("single", "double", "number"):
        if token[name] is not None:
            return Leaf(token[name].decode("utf-8", errors="replace"), token.start())
    return Leaf(None, token.start())


def _put(frame: _Open, node: Node) -> None:
    if frame.pending is not None:
        raise NotLiteralError
    frame.pending = node


def _mark(frame: _Open, mark: bytes) -> None:
    if frame.pending is None:
        raise NotLiteralError
    if mark == b":":
        if frame.mark != b"{" or frame.key is not None:
            raise NotLiteralError
        frame.key, frame.pending = _key(frame.pending), None
    else:
        _keep(frame)


def _keep(frame: _Open) -> None:
    """What was read belongs to the bracket; a comma may stand before its end."""
    if frame.pending is None:
        if frame.key is not None:
            raise NotLiteralError
        return
    if frame.mark == b"{":
        if frame.key is None:
            raise NotLiteralError
        frame.members[frame.key] = frame.pending
    else:
        frame.items.append(frame.pending)
    frame.key = frame.pending = None


def _key(node: Node) -> str:
    """A key as `memory_stats` flattens it: the parts of a tuple joined by `_`."""
    if isinstance(node, list):
        return "_".join(_key(part) for part in node)
    if isinstance(node, Leaf) and node.text is not None:
        return node.text
    raise NotLiteralError


def _close(stack: list[_Open], mark: bytes) -> Node | None:
    frame = stack.pop()
    if _PAIRS[frame.mark[-1:] if frame.mark[-1:] in _PAIRS else b"("] != mark:
        raise NotLiteralError
    _keep(frame)
    node = _made(frame)
    if not stack:
        return node
    _put(stack[-1], node)
    return None


def _made(frame: _Open) -> Node:
    if frame.mark == b"{":
        return frame.members
    if frame.mark in (b"[", b"("):
        return frame.items
    inner = frame.items[0] if len(frame.items) == 1 else {}
    return inner if isinstance(inner, dict) else dict(_pairs(inner))


def _pairs(node: Node) -> Iterator[tuple[str, Node]]:
    """The items of an OrderedDict before Python 3.12: a list of pairs."""
    for pair in node if isinstance(node, list) else ():
        if not isinstance(pair, list) or len(pair) != 2:
            raise NotLiteralError
        yield _key(pair[0]), pair[1]


def leaves(node: Node) -> Iterator[tuple[Path, Leaf]]:
    """Every leaf with its path, in the order printed."""
    waiting: list[tuple[Path, Node]] = [((), node)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, Leaf):
            yield path, item
        elif isinstance(item, dict):
            waiting.extend(((*path, key), item[key]) for key in reversed(item))
        else:
            waiting.extend(((*path, place), item[place]) for place in reversed(range(len(item))))
