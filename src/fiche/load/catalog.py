"""All cards and offers of one fiche: built-in cards when they are named, its own files in full."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fiche.kernel.catalog import Card, Catalog, Offer
from fiche.kernel.decision import Input
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace
from fiche.load import builtin
from fiche.load.builtin import PREFIX, Shipped
from fiche.load.cards import card, source_names
from fiche.load.fault import Faults
from fiche.load.folder import PIECE_LIMIT, YAML_LIMIT, Folder, UnreadableError
from fiche.load.inputs import media_type, yaml_input
from fiche.load.node import Mapping, Scalar
from fiche.load.offer_rows import is_rows, rows_tree
from fiche.load.offers import offer
from fiche.load.schema import check
from fiche.load.source import Source, source
from fiche.load.tree import parse
from fiche.load.values import unique


class Catalogs:
    """Cards by id, read when first asked for, and offers by id; `read` holds the files by name.

    `partial` once a file could not be read: names may then be missing that an author did write.
    """

    def __init__(self, faults: Faults, shipped: Shipped | None = None) -> None:
        self.faults = faults
        self.shipped = shipped or builtin.installed()
        self.own_cards: dict[str, Card] = {}
        self.offers: dict[str, Offer] = {}
        self.read: dict[str, bytes] = {}
        self.partial = False
        self._roles: dict[str, str] = {}
        self._built_in: dict[str, Card] = {}
        self._sources: dict[str, str] = {}

    def card_names(self) -> tuple[str, ...]:
        """Every id that `card` knows."""
        return (*self.own_cards, *self.shipped.cards)

    def card(self, name: str) -> Card | None:
        """The card of this id, or None."""
        if name in self.own_cards:
            return self.own_cards[name]
        block = self.shipped.cards.get(name)
        if name not in self._built_in and block is not None:
            node = self._node(block)
            self._built_in[name] = card(
                node, self.source_names(node), self.faults, builtin.gathered(block.source)
            )
        return self._built_in.get(name)

    def _node(self, block: builtin.Block) -> Mapping:
        self.enter(block.source, "catalog")
        return block.node()

    def enter(self, one: Source, role: str) -> None:
        """Note that a file went in."""
        self.read[one.file] = one.content
        self._roles[one.file] = role

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Every file read so far, the fiche's own first, then those of the package by name."""
        names = sorted(self.read, key=lambda name: name if name.startswith(PREFIX) else "")
        told = (yaml_input(name, self._roles[name], self.read[name]) for name in names)
        return tuple(
            replace(one, media_type=media_type(one.file)) if is_rows(one.file) else one
            for one in told
        )

    def source_names(self, node: Mapping) -> dict[str, str]:
        """What the built-in source keys that a card names stand for."""
        known = self.shipped.origins
        keys = [key for key in _keys(node) if key in known]
        for key in keys:
            if key not in self._sources:
                self._sources.update(source_names([self._node(known[key])]))
        return {key: self._sources[key] for key in keys}


def _keys(node: Mapping) -> list[str]:
    """The source keys of a card, each once, in the order written."""
    found: dict[str, None] = {}
    for entry in node.entries.values():
        if isinstance(entry.value, Mapping) and "source" in entry.value:
            told = entry.value.get("source")
            keys = [told] if isinstance(told, Scalar) else entry.value.scalars("source")
            found.update({key.text: None for key in keys})
    return list(found)


def catalogs(
    names: Iterable[Scalar],
    folder: Folder,
    faults: Faults,
    offers: Collection[str] = (),
    shipped: Shipped | None = None,
) -> Catalogs:
    """Read the catalog and offer files that a fiche names, noting what is wrong in any of them.

    Of a file with one offer a row (CSV, JSON lines) only the `offers` that the fiche names are read.
    """
    found = Catalogs(faults, shipped)
    for name in names:
        try:
            if is_rows(name.text):
                _enter_rows(name, folder.read(name.text, PIECE_LIMIT), found, offers)
                continue
            enter(name, folder.read(name.text, YAML_LIMIT), found)
        except UnreadableError as problem:
            found.partial = True
            faults.add(problem.code, problem.message, name.span, problem.hint)
        except Refused as refused:
            found.partial = True
            faults.found.extend(refused.diagnostics)
    return found


def enter(name: Scalar, content: bytes, into: Catalogs) -> None:
    """Read one file of cards or offers, named at a place, into those read before.

    Raises:
        Refused: it is no YAML, or not what its schema says; the rest is noted in `into`.
    """
    if is_rows(name.text):
        _enter_rows(name, content, into, None)
        return
    one = source(name.text, content)
    root = parse(one)
    kind = _kind(root)
    if kind is None:
        hint = "start it with 'catalog: 1' (cards) or 'offers: 1'"
        into.partial = True
        into.faults.add("F501", f"'{name.text}' is no catalog", name.span, hint)
        return
    own = Faults()
    check(root, kind, own)
    own.stop()
    assert isinstance(root, Mapping)
    into.enter(one, kind)
    if kind == "catalog":
        _enter_cards(root, into)
    else:
        _enter_offers(root, into)


def _kind(root: object) -> str | None:
    """`catalog` or `offers`: the schema of a file, by its first words."""
    if isinstance(root, Mapping):
        return next((kind for kind in ("catalog", "offers") if kind in root), None)
    return None


def _enter_cards(root: Mapping, into: Catalogs) -> None:
    own = source_names(root.each("sources"))
    built_in = into.shipped.cards
    for node in unique(root.each("cards"), "card", into.faults):
        name = node.scalar("id")
        if name.text in built_in or name.text in into.own_cards:
            hint = "give it an id of its own: a card never replaces another one unseen"
            into.faults.add("F502", f"card '{name.text}' exists already", name.span, hint)
            continue
        sources = {**into.source_names(node), **own}
        into.own_cards[name.text] = card(node, sources, into.faults, root.text("gathered"))


def _enter_rows(
    name: Scalar, content: bytes, into: Catalogs, names: Collection[str] | None
) -> None:
    one = source(name.text, content)
    into.enter(one, "offers")
    _enter_offers(rows_tree(one, names), into)


def _enter_offers(root: Mapping, into: Catalogs) -> None:
    for node in unique(root.each("list"), "offer", into.faults):
        name = node.scalar("id")
        if name.text in into.offers:
            hint = "an id stands for one offer over all files"
            into.faults.add("F503", f"offer '{name.text}' exists already", name.span, hint)
            continue
        into.offers[name.text] = offer(node, into.faults)


def builtin_catalog() -> Catalog:
    """Every card that travels with fiche, in the order of its files: for listings and the sizer."""
    found = Catalogs(Faults())
    cards = {name: found.card(name) for name in found.shipped.cards}
    return Catalog(cards={name: one for name, one in cards.items() if one}, offers={})
