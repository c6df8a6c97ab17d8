"""The cards that travel with fiche: found by scanning for ids, and only the cards named are read.

Reading one block of the text gives the same card, at the same place, as reading the whole file. A report that
is compiled again brings the files that it was made of: those then stand in the place of the installed ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Mapping_
from functools import cache, cached_property
from typing import NamedTuple

from fiche.assets import package_data
from fiche.kernel.lazy import lazy
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Sequence
from fiche.load.schema import check
from fiche.load.source import Source, source
from fiche.load.tree import parse

FOLDER, POLICIES = "catalog", "policies"
PREFIX = "fiche:"
_BLOCK = lazy(r"^  - (id|key): (\S+)$", re.MULTILINE)
_SECTION = lazy(r"^[a-z_]+:", re.MULTILINE)
_GATHERED = lazy(r"^gathered: ([0-9]{4}-[0-9]{2}-[0-9]{2})$", re.MULTILINE)
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


class Shipped:
    """What travels with fiche: catalog files, and policies by name."""

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The catalog files, in name order."""
        paths = sorted(package_data(FOLDER).glob("*.yaml"))
        return tuple(source(f"{PREFIX}{FOLDER}/{path.name}", path.read_bytes()) for path in paths)

    @cached_property
    def cards(self) -> Mapping_[str, Block]:
        """The cards by id, over all files."""
        return self._found("cards")

    @cached_property
    def origins(self) -> Mapping_[str, Block]:
        """The sources that cards cite by key, over all files."""
        return self._found("sources")

    def _found(self, section: str) -> dict[str, Block]:
        found: dict[str, Block] = {}
        for one in self.sources:
            found.update(_blocks(one, section))
        return found

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policies."""
        return tuple(sorted(path.stem for path in package_data(POLICIES).glob("*.yaml")))

    def policy(self, name: str) -> tuple[bytes, bool]:
        """The bytes of a policy, and whether its schema is known to hold.

        Raises:
            FileNotFoundError: there is none of that name.
        """
        return package_data(f"{POLICIES}/{name}.yaml").read_bytes(), True


class Brought(Shipped):
    """The same from files that a report brought, and from nothing else.

    `contents` are bytes by name (`fiche:catalog/nvidia.yaml`). What is not, to the byte, what is installed here
    is held to its schema before anything of it is used.

    Raises:
        Refused: one of them is no YAML, or not what its schema says.
    """

    def __init__(self, contents: Mapping_[str, bytes]) -> None:
        own = {name: content for name, content in contents.items() if name.startswith(PREFIX)}
        self._policies = dict(_under(POLICIES, own))
        known = {one.file: one for one in installed().sources}
        found: list[Source] = []
        for name in sorted(own):
            if not name.startswith(f"{PREFIX}{FOLDER}/"):
                continue
            same = name in known and known[name].content == own[name]
            found.append(known[name] if same else _checked(name, own[name]))
        self.sources = tuple(found)

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policies that were brought."""
        return tuple(sorted(self._policies))

    def policy(self, name: str) -> tuple[bytes, bool]:
        """The bytes of a policy; nobody has applied a schema to them.

        Raises:
            FileNotFoundError: none of that name was brought.
        """
        if name not in self._policies:
            raise FileNotFoundError(f"no policy {name!r} was brought")
        return self._policies[name], False


def _under(folder: str, contents: Mapping_[str, bytes]) -> dict[str, bytes]:
    """Files of one folder by the name that a fiche gives them."""
    start = f"{PREFIX}{folder}/"
    return {
        name.removeprefix(start).removesuffix(".yaml"): content
        for name, content in contents.items()
        if name.startswith(start)
    }


def _checked(name: str, content: bytes) -> Source:
    one, faults = source(name, content), Faults()
    check(parse(one), "catalog", faults)
    faults.stop()
    return one


@cache
def installed() -> Shipped:
    """What travels with this installation."""
    return Shipped()


def sources() -> tuple[Source, ...]:
    """The catalog files of the package, in name order."""
    return installed().sources


def blocks(section: str) -> Mapping_[str, Block]:
    """The items of `cards` or `sources` of the package by id, over all files."""
    return {"cards": installed().cards, "sources": installed().origins}[section]


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
