"""The cards that travel with fiche: found by scanning for ids, and only the cards named are read.

Reading one block of the text gives the same card, at the same place, as reading the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Mapping_
from functools import cache
from typing import NamedTuple

from fiche.assets import package_data
from fiche.load.node import Mapping, Sequence
from fiche.load.source import Source, source
from fiche.load.tree import parse

FOLDER = "catalog"
PREFIX = "fiche:"
_BLOCK = re.compile(r"^  - (id|key): (\S+)$", re.MULTILINE)
_SECTION = re.compile(r"^[a-z_]+:", re.MULTILINE)
_GATHERED = re.compile(r"^gathered: ([0-9]{4}-[0-9]{2}-[0-9]{2})$", re.MULTILINE)
_READ = {"cards": "id", "sources": "key"}


class Block(NamedTuple):
    """One list item of a catalog file, as a part of its text."""

    source: Source
    start: int
    end: int

    def node(self) -> Mapping:
        """The item, each value at its place in the whole file."""
        listed = parse(self.source, self.start, self.end)
        assert isinstance(listed, Sequence)
        item = listed.items[0]
        assert isinstance(item, Mapping)
        return item


@cache
def sources() -> tuple[Source, ...]:
    """The catalog files of the package, in name order."""
    folder = package_data(FOLDER)
    paths = sorted(folder.glob("*.yaml"))
    return tuple(source(f"{PREFIX}{FOLDER}/{path.name}", path.read_bytes()) for path in paths)


@cache
def blocks(section: str) -> Mapping_[str, Block]:
    """The items of `cards` or `sources` by id, over all files."""
    found: dict[str, Block] = {}
    for one in sources():
        found.update(_blocks(one, section))
    return found


def _blocks(one: Source, section: str) -> dict[str, Block]:
    bounds = [match.start() for match in _SECTION.finditer(one.text)]
    head = re.search(rf"^{section}:$", one.text, re.MULTILINE)
    if head is None:
        return {}
    end = min((bound for bound in bounds if bound > head.start()), default=len(one.text))
    marks = [m for m in _BLOCK.finditer(one.text, head.end(), end) if m[1] == _READ[section]]
    stops = [*(mark.start() for mark in marks[1:]), end]
    return {
        mark[2]: Block(one, mark.start(), stop) for mark, stop in zip(marks, stops, strict=True)
    }


@cache
def gathered(one: Source) -> str:
    """The day on which a file's facts were gathered, as it says at its head; empty where it does not."""
    found = _GATHERED.search(one.text)
    return found[1] if found is not None else ""
