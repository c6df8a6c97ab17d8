"""A fiche from its bytes: the question in full, before anything is judged."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from pathlib import Path
from typing import NamedTuple

from fiche.kernel.address import Span
from fiche.kernel.choice import Choice
from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Reader
from fiche.kernel.ownership import Plan
from fiche.kernel.piece import Piece
from fiche.kernel.procedure import SimilarOrder
from fiche.kernel.purchase import Purchase
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.settling import Effort
from fiche.kernel.workload import Workload
from fiche.load.builtin import Shipped
from fiche.load.candidates import candidates, known_cards, known_offers
from fiche.load.catalog import Catalogs, catalogs
from fiche.load.choice import choice, similar_orders
from fiche.load.custody import custody
from fiche.load.extent import check_extent
from fiche.load.fault import Faults
from fiche.load.folder import YAML_LIMIT, DiskFolder, Folder, UnreadableError, followed, read_file
from fiche.load.inputs import piece_input, yaml_input
from fiche.load.model import ModelFiles, model_files
from fiche.load.node import Mapping, Node, Scalar
from fiche.load.offer_rows import offers_named
from fiche.load.pieces import Desk, pieces
from fiche.load.policy import Chosen, chosen
from fiche.load.purchase import purchase
from fiche.load.references import Known
from fiche.load.requirements import check_baselines, requirements
from fiche.load.schema import check
from fiche.load.source import source
from fiche.load.tree import parse
from fiche.load.values import Signature, fact
from fiche.load.work import check_work
from fiche.load.workload import workload


class Loaded(NamedTuple):
    """A fiche, and the bytes of every file that went in, by the name that its `inputs` give."""

    fiche: Fiche
    contents: Mapping_[str, bytes]


def load_fiche(path: Path, importers: Reader) -> Loaded:
    """Read a fiche of the disk and every file that it names; a link is the fiche that it leads to.

    Raises:
        Refused: with everything that is wrong, as far as one look can tell.
    """
    path = followed(path)
    try:
        content = read_file(path, str(path), YAML_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None
    try:
        return load_bytes(path.name, content, DiskFolder(path.parent), importers)
    except Refused as refused:
        raise Refused(refused.diagnostics, folder=str(path.parent)) from None


def load_bytes(
    name: str, content: bytes, folder: Folder, importers: Reader, shipped: Shipped | None = None
) -> Loaded:
    """Read a fiche from its bytes, and what it names from a folder; `shipped` in place of what is installed.

    Three stages, each of which stops the next: YAML, its shape, its meaning.

    Raises:
        Refused: with everything that is wrong in the first stage that fails.
    """
    faults = Faults()
    root = parse(source(name, content))
    _check_kind(root, faults)
    faults.stop()
    check(root, "fiche", faults)
    faults.stop()
    assert isinstance(root, Mapping)
    parts = _parts(root, folder, importers, shipped)
    return Loaded(
        fiche=_fiche(root, name, content, parts),
        contents={
            name: content,
            parts.policy.input.file: parts.policy.content,
            **parts.catalogs.read,
            **parts.model.contents,
            **parts.contents,
        },
    )


def _check_kind(root: Node, faults: Faults) -> None:
    """A file of another kind is told as such, not key by key."""
    if isinstance(root, Mapping) and "fiche" not in root:
        for kind in ("policy", "catalog", "offers"):
            if kind in root:
                message = f"this file says '{kind}: …': it is no fiche"
                hint = "name the fiche that uses it"
                faults.add("F315", message, root.entries[kind].key.span, hint)


class _Parts(NamedTuple):
    """What a fiche is made of, once nothing is wrong with it."""

    load: Workload
    policy: Chosen
    catalogs: Catalogs
    candidates: tuple[Candidate, ...]
    pieces: tuple[Piece, ...]
    requirements: tuple[Requirement, ...]
    choice: Choice | None
    similar_orders: tuple[SimilarOrder, ...]
    purchase: Purchase
    plans: tuple[Plan, ...]
    efforts: tuple[Effort, ...]
    model: ModelFiles
    contents: Mapping_[str, bytes]


def _parts(
    root: Mapping, folder: Folder, importers: Reader, shipped: Shipped | None = None
) -> _Parts:
    faults = Faults()
    sign = Signature(root.text("author"), faults)
    files = model_files(root, folder, faults)
    load = replace(workload(root, sign), model=files.model)
    policy = chosen(root.scalar("policy") if "policy" in root else None, folder, faults, shipped)
    found = catalogs(root.scalars("catalogs"), folder, faults, offers_named(root), shipped)
    bought = candidates(root, load, found, sign)
    desk = Desk(folder, importers, sign, _scope(load, found), {})
    evidence = pieces(root, desk)
    required = requirements(root, load, faults)
    picked = choice(root, evidence, known_offers(found), faults)
    orders = similar_orders(root, evidence, sign)
    buying = purchase(root, evidence, desk)
    check_work(root, load, evidence, faults)
    check_baselines(root, faults)
    compared = _plans(root, bought, evidence, buying, sign)
    spent = _efforts(root, bought, faults)
    _check_documents(root, bought, faults)
    check_extent(bought, required, len(evidence), faults)
    faults.stop()
    assert policy is not None
    return _Parts(
        load,
        policy,
        found,
        bought,
        evidence,
        required,
        picked,
        orders,
        buying,
        compared,
        spent,
        files,
        desk.contents,
    )


def _plans(
    root: Mapping,
    bought: tuple[Candidate, ...],
    evidence: tuple[Piece, ...],
    buying: Purchase,
    sign: Signature,
) -> tuple[Plan, ...]:
    """Plans of buying against renting; their code is loaded where a fiche asks for one."""
    if "ownership" not in root:
        return ()
    from fiche.load.ownership import plans

    return plans(root, bought, evidence, buying, sign)


def _efforts(root: Mapping, bought: tuple[Candidate, ...], faults: Faults) -> tuple[Effort, ...]:
    """What obtaining a piece costs; its code is loaded where a fiche tells of it."""
    if "efforts" not in root:
        return ()
    from fiche.load.efforts import efforts

    return efforts(root, bought, faults)


def _scope(load: Workload, found: Catalogs) -> dict[str, Known]:
    """What the scope of a piece may refer to."""
    return {
        "case": Known("case", tuple(case.id for case in load.cases), "F307"),
        "gpu": known_cards(found),
        "offer": known_offers(found),
    }


_DOCUMENTS = ("quote", "commitment.quote", "delivery.document", "declared_memory.document")


def _check_documents(root: Mapping, bought: tuple[Candidate, ...], faults: Faults) -> None:
    """The pieces that the offers of candidates name must be pieces of this fiche."""
    known = Known("piece", tuple(node.text("id") for node in root.each("pieces")), "F307")
    for offer in (one.offer for one in bought if one.offer is not None):
        for told in (offer.facts[key] for key in _DOCUMENTS if key in offer.facts):
            if isinstance(told.address, Span):
                known.check(Scalar(told.address, plain=True), faults)


def _fiche(root: Mapping, name: str, content: bytes, parts: _Parts) -> Fiche:
    evidence = {piece.file: piece_input(piece) for piece in parts.pieces}
    own = yaml_input(name, "fiche", content)
    return Fiche(
        title=root.text("title"),
        date=root.text("date"),
        author=root.text("author"),
        file=name,
        workload=parts.load,
        requirements=parts.requirements,
        candidates=parts.candidates,
        pieces=parts.pieces,
        policy=parts.policy.policy,
        inputs=(
            own,
            parts.policy.input,
            *parts.catalogs.inputs,
            *parts.model.inputs,
            *evidence.values(),
        ),
        invalidated_by=tuple(fact(one) for one in root.scalars("invalidated_by")),
        choice=parts.choice,
        similar_orders=parts.similar_orders,
        illustrative=root.text("illustrative"),
        language=root.text("language") or "en",
        purchase=parts.purchase,
        plans=parts.plans,
        efforts=parts.efforts,
        custody=custody(root),
    )
