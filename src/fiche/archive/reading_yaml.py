"""What a person wrote: a fiche with all that it names, a catalog, a file of offers, a policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fiche.archive.decision_rows import FACTS
from fiche.archive.entry import Row
from fiche.archive.reading import Subject
from fiche.kernel.custody import highest
from fiche.kernel.doors import Reader
from fiche.kernel.record import replace
from fiche.load.fault import Faults
from fiche.load.node import Mapping as Node
from fiche.load.schema import check
from fiche.load.source import source
from fiche.load.tree import parse

if TYPE_CHECKING:
    from fiche.kernel.decision import Fiche


def fiche(path: Path, _: bytes, importers: Reader) -> Subject:
    """A fiche, with every file that it names: pieces, catalogs, the policy, the model's files."""
    from fiche.archive.reading_reports import is_digest
    from fiche.load.fiche import load_fiche
    from fiche.render._identity import fiche_id

    loaded = load_fiche(path, importers)
    made = loaded.fiche
    facts = made.workload.facts
    words = {name: facts[key].value for name, key in FACTS.items() if key in facts}
    rows = [
        Row(
            **words,
            candidate=one.id,
            card=one.gpu,
            machine=one.machine,
        )
        for one in made.candidates
    ]
    every = (made.custody, *(piece.custody for piece in made.pieces))
    return Subject(
        kind="fiche",
        title=made.title,
        files=dict(loaded.contents),
        main=made.file,
        rows=tuple(rows),
        date=made.date,
        format="fiche/1",
        own_id=fiche_id(made),
        author=made.author,
        custody=replace(made.custody, confidentiality=highest(every)),
        replaces=tuple(filter(is_digest, (_replaced(made),))),
    )


def _replaced(made: Fiche) -> str:
    replaced = made.choice.replaces if made.choice is not None else None
    return (replaced.digest or "") if replaced is not None else ""


def policy(path: Path, content: bytes, _: Reader) -> Subject:
    """A policy."""
    from fiche.load.policy import policy as read

    found = read(path.name, content).policy
    return Subject(
        kind="policy",
        title=f"{found.name} {found.version}".strip(),
        files={path.name: content},
        main=path.name,
        format="policy/1",
    )


def catalog(path: Path, content: bytes, _: Reader) -> Subject:
    """A catalog of cards: one row a card."""
    return _listed("catalog", "cards", path, content)


def offers(path: Path, content: bytes, _: Reader) -> Subject:
    """A file of offers: one row an offer, by the card that it offers."""
    return _listed("offers", "list", path, content)


def _listed(kind: str, key: str, path: Path, content: bytes) -> Subject:
    faults = Faults()
    root = parse(source(path.name, content))
    check(root, kind, faults)
    faults.stop()
    assert isinstance(root, Node)
    return Subject(
        kind="catalog",
        title=path.name,
        files={path.name: content},
        main=path.name,
        rows=tuple(_row(kind, each, place) for place, each in enumerate(root.each(key))),
        date=root.text("gathered"),
        format=f"{kind}/1",
    )


def _row(kind: str, node: Node, place: int) -> Row:
    if kind == "catalog":
        return Row(card=node.text("id"), place=f"/cards/{place}")
    return Row(card=node.text("gpu"), candidate=node.text("id"), place=f"/list/{place}")


READERS: Mapping[str, Callable[[Path, bytes, Reader], Subject]] = {
    "fiche": fiche,
    "policy": policy,
    "catalog": catalog,
    "offers": offers,
}
