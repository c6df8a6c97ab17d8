"""How a YAML text is laid out: where each value starts and where its last character stands.

The tree of `load.tree` says what a text means; this one says where lines can be put between.
"""

from __future__ import annotations

from typing import Any

_BLOCK_SCALARS = ("|", ">")


class Placed:
    """A value in the text: `end` is the index behind its last character, comments left out.

    `flow` is True inside brackets. `items` are those of a list; `entries` the keys of a mapping.
    """

    __slots__ = ("end", "entries", "flow", "is_list", "items", "key", "start")

    def __init__(self, start: int, end: int, *, flow: bool = False, is_list: bool = False) -> None:
        self.start, self.end, self.flow, self.is_list = start, end, flow, is_list
        self.items: list[Placed] = []
        self.entries: dict[str, tuple[Placed, Placed]] = {}
        self.key: tuple[str, Placed] | None = None

    def take(self, value: Placed, text: str) -> None:
        """Take the next value inside: an item, a key, or what belongs to the key before."""
        if not self.flow:
            self.end = max(self.end, value.end)
        if self.is_list:
            self.items.append(value)
        elif self.key is None:
            self.key = (text, value)
        else:
            name, place = self.key
            self.entries[name], self.key = (place, value), None


def layout(text: str) -> Placed:
    """The places of a text that was found to be one YAML document."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    open_: list[Placed] = [Placed(0, 0, is_list=True)]
    for event in yaml.parse(text, Loader=loader):
        _take(event, open_, text)
    return open_[0].items[0]


def _take(event: Any, open_: list[Placed], text: str) -> None:  # noqa: ANN401 - no public type
    """Take one event by its name; collections wait on the stack until their end has come."""
    name, at = type(event).__name__, event.start_mark.index
    if name == "ScalarEvent":
        open_[-1].take(Placed(at, _scalar_end(event, text)), event.value)
    elif name in ("SequenceStartEvent", "MappingStartEvent"):
        is_list = name == "SequenceStartEvent"
        open_.append(Placed(at, at, flow=bool(event.flow_style), is_list=is_list))
    elif name in ("SequenceEndEvent", "MappingEndEvent"):
        done = open_.pop()
        if done.flow:
            done.end = event.end_mark.index
        open_[-1].take(done, "")


def _scalar_end(event: Any, text: str) -> int:  # noqa: ANN401 - an event has no public type
    """Where a scalar ends; blank lines behind a block scalar are its own only if it keeps them (`|+`)."""
    end: int = event.end_mark.index
    if event.style not in _BLOCK_SCALARS:
        return end
    head = text[event.start_mark.index : end].partition("\n")[0].partition("#")[0]
    if "+" in head:
        return end if end == len(text) else text.rfind("\n", 0, end) + 1
    return len(text[:end].rstrip())
