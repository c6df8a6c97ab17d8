"""Candidates: a card, how many, from whom; or one change of another candidate (D9, D10)."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from typing import NamedTuple

from fiche.kernel.catalog import Card, Offer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.workload import Workload
from fiche.load.catalog import Catalogs
from fiche.load.change import changed
from fiche.load.node import Entry, Mapping, Scalar
from fiche.load.placement import check_ways, placed
from fiche.load.references import Known
from fiche.load.values import Signature, count_parser, fact, figure, unique

_HARDWARE = ("gpu", "cards")
# What may go with another card, or more of them, without being a second change.
_FOLLOWING = ("offer", "machine", "other_users", "placement")


class Bench(NamedTuple):
    """What building candidates takes; `built` holds those done, None for a faulty one."""

    nodes: Mapping_[str, Mapping]
    load: Workload
    catalogs: Catalogs
    sign: Signature
    built: dict[str, Candidate | None]

    @property
    def known_cards(self) -> Known:
        """The cards that a candidate may name."""
        return known_cards(self.catalogs)


def known_cards(found: Catalogs) -> Known:
    """The ids of cards, and what to do about one that is in no catalog."""
    other = "a card of your own goes into a file with 'catalog: 1', named under 'catalogs'"
    return Known("card", found.card_names(), "F308", other, found.partial)


def known_offers(found: Catalogs) -> Known:
    """The ids of offers."""
    other = "offers go into a file with 'offers: 1', named under 'catalogs'"
    return Known("offer", tuple(found.offers), "F307", other, found.partial)


def candidates(
    fiche: Mapping, load: Workload, found: Catalogs, sign: Signature
) -> tuple[Candidate, ...]:
    """Build every candidate that can be built, noting what is wrong with the others."""
    nodes = unique(fiche.each("candidates"), "candidate", sign.faults)
    bench = Bench({node.text("id"): node for node in nodes}, load, found, sign, {})
    for node in nodes:
        for name in reversed(_chain(node.text("id"), bench)):
            bench.built[name] = _build(bench.nodes[name], bench)
    done = tuple(one for node in nodes if (one := bench.built[node.text("id")]) is not None)
    for one in {id(one.workload): one for one in reversed(done)}.values():
        check_ways(one.workload, one.span, sign.faults)
    return done


def _chain(name: str, bench: Bench) -> list[str]:
    """A candidate and its baselines, up to one that is built: no recursion, however long it is."""
    chain: dict[str, None] = {}
    while name in bench.nodes and name not in bench.built:
        if name in chain:
            told = bench.nodes[name].scalar("baseline")
            hint = "start from a candidate that names a gpu"
            bench.sign.faults.add("F322", "this baseline leads in a circle", told.span, hint)
            bench.built.update(dict.fromkeys(chain))
            return []
        chain[name] = None
        name = bench.nodes[name].text("baseline")
    return list(chain)


def _build(node: Mapping, bench: Bench) -> Candidate | None:
    return _derived(node, bench) if "baseline" in node else _plain(node, bench)


def _plain(node: Mapping, bench: Bench) -> Candidate | None:
    card = _card(node.scalar("gpu"), bench)
    if card is None:
        return None
    offer = _offer(node, card, bench)
    return Candidate(
        id=node.text("id"),
        gpu=card.id,
        card=card,
        cards=_cards(node.scalar("cards"), node.text("id"), bench),
        offer=offer,
        machine=_machine(node, offer, bench),
        workload=placed(bench.load, node, bench.sign.faults),
        span=node.scalar("id").span,
        other_users=_other_users(node, bench),
    )


def _card(name: Scalar, bench: Bench) -> Card | None:
    """The card of this id: one that software shows as a device (D4)."""
    if not bench.known_cards.check(name, bench.sign.faults):
        return None
    card = bench.catalogs.card(name.text)
    if card is not None and card.enumerated_as == "module":
        device = card.facts["devices.card"].value
        count = card.figures["devices"].low
        message = f"'{card.id}' is a module: software shows {count} devices of it"
        hint = f"name the device: gpu: {device}, and count cards in devices"
        bench.sign.faults.add("F320", message, name.span, hint)
        return None
    return card


def _cards(node: Scalar, owner: str, bench: Bench) -> Figure:
    return figure(node, count_parser("cards"), f"{owner}/cards", "cards", bench.sign.faults)


def _offer(node: Mapping, card: Card, bench: Bench) -> Offer | None:
    """The offer that a candidate names, which must be one of its card."""
    if "offer" not in node:
        return None
    name = node.scalar("offer")
    if not known_offers(bench.catalogs).check(name, bench.sign.faults):
        return None
    offer = bench.catalogs.offers[name.text]
    if offer.gpu != card.id:
        message = f"offer '{offer.id}' is for '{offer.gpu}', not for '{card.id}'"
        hint = f"it stands at {offer.span}; {_named_otherwise(offer, bench)}"
        bench.sign.faults.add("F321", message, name.span, hint)
    return offer


def _named_otherwise(offer: Offer, bench: Bench) -> str:
    """What to do about an offer of another card, or of a name that is no card: a listing's own."""
    if bench.catalogs.card(offer.gpu) is not None:
        return "write offers in the devices that software shows"
    return (
        "its seller's name is no card of a catalog: ask which card it is, and write the offer with that card "
        "in a file of your own"
    )


def _machine(node: Mapping, offer: Offer | None, bench: Bench) -> str:
    """The machine that a candidate names, or that its offer is for; two different ones are refused."""
    offered = offer.facts["machine"].value if offer and "machine" in offer.facts else ""
    told = node.text("machine") or offered
    if offer and offered and told != offered:
        message = f"offer '{offer.id}' is for machine '{offered}', not for '{told}'"
        hint = f"it stands at {offer.span}"
        bench.sign.faults.add("F321", message, node.scalar("machine").span, hint)
    return told


def _other_users(node: Mapping, bench: Bench) -> Fact | None:
    if "other_users" not in node:
        return None
    told = node.scalar("other_users")
    return fact(told, bench.sign.of(None, told, "the absence of other users"))


def _derived(node: Mapping, bench: Bench) -> Candidate | None:
    """A baseline with its one change; offer and machine may follow a change of the hardware."""
    name = node.scalar("baseline")
    baseline = _baseline(name, bench)
    path, entry = next(iter(node.mapping("change").entries.items()))
    _check_only(node, path, bench)
    if baseline is None:
        return None
    own = replace(
        baseline,
        id=node.text("id"),
        span=node.scalar("id").span,
        baseline=name.text,
        other_users=_other_users(node, bench) or baseline.other_users,
        workload=placed(baseline.workload, node, bench.sign.faults),
    )
    return _hardware(node, own, entry, bench) if path in _HARDWARE else _software(own, entry, bench)


def _baseline(name: Scalar, bench: Bench) -> Candidate | None:
    known = Known("candidate", tuple(bench.nodes), "F307")
    if not known.check(name, bench.sign.faults):
        return None
    return bench.built.get(name.text)


def _check_only(node: Mapping, path: str, bench: Bench) -> None:
    """Refuse what a candidate changes beside its change (D10)."""
    allowed = _FOLLOWING if path in _HARDWARE else ()
    for key in ("gpu", "cards", *_FOLLOWING):
        if key in node and key not in allowed:
            message = f"'{key}' would be a second change"
            hint = (
                "a candidate changes one thing of its baseline; offer, machine and placement may "
                "follow the card"
            )
            bench.sign.faults.add("F309", message, node.entries[key].key.span, hint)


def _hardware(node: Mapping, own: Candidate, entry: Entry, bench: Bench) -> Candidate | None:
    value = entry.value
    assert isinstance(value, Scalar)
    if entry.key.text == "cards":
        return _more_cards(node, own, value, bench)
    card = _card(value, bench)
    if card is None or own.card is None:
        return None
    _check_differs(own.gpu, card.id, value, bench)
    offer = _offer(node, card, bench)
    return replace(
        own,
        gpu=card.id,
        card=card,
        offer=offer,
        machine=_machine(node, offer, bench),
        other_users=_other_users(node, bench),
        change=("gpu", own.gpu, card.id),
    )


def _more_cards(node: Mapping, own: Candidate, value: Scalar, bench: Bench) -> Candidate | None:
    cards = _cards(value, own.id, bench)
    _check_differs(str(own.cards.low), str(cards.low), value, bench)
    if own.card is None:
        return None
    offer = _offer(node, own.card, bench)
    return replace(
        own,
        cards=cards,
        offer=offer or own.offer,
        machine=_machine(node, offer, bench) or own.machine,
        change=("cards", str(own.cards.low), str(cards.low)),
    )


def _check_differs(old: str, new: str, value: Scalar, bench: Bench) -> None:
    if old == new:
        bench.sign.faults.add(
            "F323", "this changes nothing", value.span, f"the baseline has {old} too"
        )


def _software(own: Candidate, entry: Entry, bench: Bench) -> Candidate:
    load, old, new = changed(own.workload, entry, bench.sign.faults)
    return replace(own, workload=load, change=(entry.key.text, old, new))
