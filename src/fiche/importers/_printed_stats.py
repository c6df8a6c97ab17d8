"""Statistics of the allocator as Python prints them, in a text file or among the lines of a log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fiche.importers._json import Path
from fiche.importers._literal import Leaf, Node, NotLiteralError, leaves, literal
from fiche.importers._prefix import body, speaker
from fiche.importers._scan import Lines
from fiche.importers._squeezed import Squeezed
from fiche.importers._stats_groups import Group, groups
from fiche.kernel.lazy import lazy

_START = lazy(
    rb"['\"](?:(?:allocated|reserved|active|inactive_split|requested)_bytes|reserved_bytes_by_private_pools"
    rb"|allocation|segment|active|inactive_split|num_(?:ooms|alloc_retries|sync_all_streams|device_alloc"
    rb"|device_free|oom_rejections)|oversize_(?:allocations|segments)|max_split_size)"
    rb"(?:\.(?:all|large_pool|small_pool|current|peak|allocated|freed)[\w.]{0,40})?['\"]\s{0,9}[:,]"
)
_OPENS = lazy(rb"(?:OrderedDict|dict)\(|[{\[(]")
_BEFORE = 4_000
_MAX_STARTS = 8
# A value is sought in so many bytes, then in more: work stays in proportion to what is read.
_STEPS = tuple(2_048 * 4**step for step in range(7))
# No prefix begins with one of these: a line that does goes on where the one before it stopped.
_PLAIN = b" '\"{[(}])"


def printed_groups(content: bytes) -> Iterator[tuple[int, Group | None]]:
    """Every set of statistics with the line that it begins on; None for one that breaks off."""
    numbers = Lines(content)
    at = 0
    while (start := _START.search(content, at)) is not None:
        found = _Value(content, start.start(), at)
        at = max(start.end(), found.end)
        if found.node is not None:
            yield from _groups(found.node, found.text, found.rank, numbers)
        elif found.cut:
            yield numbers.number(start.start()), None


def _groups(
    node: Node, text: Squeezed, rank: int | str | None, numbers: Lines
) -> Iterator[tuple[int, Group]]:
    places: dict[Path, int] = {}

    def told() -> Iterator[tuple[Path, object]]:
        for path, leaf in leaves(node):
            places[path] = leaf.at
            yield path, leaf.text

    for group in groups(told()):
        group.rank = rank if group.rank is None else group.rank
        if "num_ooms" in group.members:
            at = places[group.members["num_ooms"][1]]
            group.ooms_line = numbers.number(text.source(at))
        first = min(places[path] for _, path in group.members.values())
        yield numbers.number(text.source(first)), group


class _Value:
    """The outermost value around an anchor that begins on its line.

    `node` is None where there is none; `end` is how far the content was looked at, `cut` True where the
    content ends inside; what begins before `floor` was tried already; `rank` is who printed it, by
    what stands in front.
    """

    def __init__(self, content: bytes, anchor: int, floor: int) -> None:
        self.node: Node | None = None
        self.text = Squeezed(content)
        self.end, self.cut = anchor, False
        line = max(content.rfind(b"\n", 0, anchor) + 1, anchor - _BEFORE)
        self.rank = speaker(content[line:anchor]).rank
        for opening in islice(_OPENS.finditer(content, max(line, floor), anchor), _MAX_STARTS):
            if self._holds(content, line, opening.start(), anchor):
                break

    def _holds(self, content: bytes, line: int, start: int, anchor: int) -> bool:
        """True where the value that begins at `start` holds the anchor."""
        for most in _STEPS:
            text = _gathered(content, line, start, most)
            try:
                node, end = literal(text.text, 0)
            except NotLiteralError as error:
                place = text.after(error.at) if text.text else start
                if place <= anchor and not error.cut:
                    return False
                self.end = max(self.end, place)
                self.cut = error.cut
                if not error.cut:
                    return False
                continue
            if isinstance(node, Leaf) or text.after(end) <= anchor:
                return False
            self.node, self.text, self.end, self.cut = node, text, text.after(end), False
            return True
        return False


def _gathered(content: bytes, line: int, start: int, most: int) -> Squeezed:
    """So many bytes from a place on without blanks, of this line and the following ones of its speaker."""
    text = Squeezed(content)
    stop = min(len(content), start + most)
    end = _line_end(content, start, stop)
    text.add(start, end)
    front = content[line : body(content, line, start, b"")[0]]
    who = speaker(content[line:start])
    while end < stop:
        begin, end = end + 1, _line_end(content, end + 1, stop)
        if not front and content[begin : begin + 1] in _PLAIN:
            first, last = begin, end
        else:
            first, last = body(content, begin, end, front)
            if not who.may_be(speaker(content[begin : min(first, begin + 600)])):
                continue
        text.joint()
        text.add(first, last)
    return text


def _line_end(content: bytes, start: int, stop: int) -> int:
    end = content.find(b"\n", start, stop)
    return end if end >= 0 else stop
