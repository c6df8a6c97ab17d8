"""The capacity of one device of one machine: what it printed, what bounds it from above (DESIGN 4).

Capacity is of a machine, not of a name: low is the framework-visible total this machine printed,
less other users; high is that print, a system tool's or provider's total, or the label x 2^30.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _named
from fiche.criteria._others import Others, others_of
from fiche.criteria._spread import Elsewhere, elsewhere
from fiche.criteria._totals import Print, contradictions, smallest
from fiche.criteria._used import only_device
from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Attested, Capacity, Piece
from fiche.kernel.readings import capacities, quantity
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell

FRAMEWORK_VISIBLE = frozenset({"torch_total_memory", "cuda_total_other", "oom_total_capacity"})


@record(kw_only=False)
class Backing:
    """The pieces under a bound, and the people whose word they take."""

    pieces: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


_NOTHING = Backing()


@record
class DeviceCapacity:
    """Bounds of one device: None is an open end. `seen` is True once this machine printed its total.

    `visible` is that total, before other users (or, under a policy that states a spread, what another
    machine of the card showed, less it); `others_told` says whether other users of the device
    are observed or guaranteed absent. `all` backs every total that was told.
    """

    low: Figure | None
    high: Figure | None
    visible: Figure | None
    seen: bool
    others_told: bool
    conflicts: tuple[str, ...]
    under_low: Backing
    under_high: Backing
    all: Backing

    def behind(self, *, excluded: bool) -> Backing:
        """What decides: the bound that was compared, and where totals contradict each other all of them."""
        if self.conflicts:
            return self.all
        return self.under_high if excluded or self.low is None else self.under_low


def device_capacity(candidate: Candidate, index: int, ground: Inquiry) -> DeviceCapacity:
    """What this candidate's machine offers on device `index`, from its own prints and the label."""
    prints = sorted(_prints(candidate, index, ground), key=_first)
    own = max((p for p in prints if p.visible), key=lambda p: p.figure.low, default=None)
    spread = elsewhere(candidate, FRAMEWORK_VISIBLE, ground)
    other = spread if own is None else Elsewhere(conflicts=_outside(own.figure, spread))
    total = own.figure if own is not None else spread.least
    others = others_of(candidate, prints, ground)
    label = _label(candidate)
    high = smallest([*(p.figure for p in prints), *label])
    beside = Backing((*others.pieces, *other.pieces), (*other.word, *others.by))
    return DeviceCapacity(
        low=_usable(total, others, f"{candidate.id}/capacity.cuda:{index}"),
        high=high,
        visible=total,
        seen=own is not None,
        others_told=others.told,
        conflicts=tuple(
            dict.fromkeys(
                (
                    *_misnamed(candidate, ground),
                    *contradictions(prints, label),
                    *others.conflicts,
                    *other.conflicts,
                )
            )
        ),
        under_low=_backing([own] if own is not None else [], beside),
        under_high=_backing([p for p in prints if p.figure is high]),
        all=_backing(prints, beside),
    )


def _first(seen: Print) -> tuple[bool, int, str, Number]:
    """Of prints that say the same: one that a run of the whole loop prints, then on the fewest words."""
    return not seen.loop, len(seen.by), seen.source, seen.figure.low


def _backing(prints: list[Print], beside: Backing = _NOTHING) -> Backing:
    """The row of an offer is no piece."""
    pieces = (*(seen.piece for seen in prints if seen.piece), *beside.pieces)
    people = (*(name for seen in prints for name in seen.by), *beside.by)
    return Backing(tuple(dict.fromkeys(pieces)), tuple(dict.fromkeys(people)))


def _usable(total: Figure | None, others: Others, name: str) -> Figure | None:
    if total is None or not others.told:
        return None
    if others.held is None:
        return total
    return (total - others.held).named(name, tell("total less other users"))


def _prints(candidate: Candidate, index: int, ground: Inquiry) -> Iterator[Print]:
    for piece in ground.pieces:
        by = machine_of(piece, candidate, ground)
        if by is not None and not of_another_card(piece, candidate):
            place = _place(piece, candidate, index)
            for name, capacity in capacities(piece):
                if not _named.other_card(candidate.card, capacity.device_name):
                    yield from _capacity_print(piece, name, capacity, candidate, place, by)
    for piece, item in _claims.attested("capacity", candidate, ground):
        if _claims.vouched(item, ground) and _same_device(item.words.get("device"), index):
            yield _attested_print(piece, item, candidate, ground)
    yield from _row(candidate)


def _place(piece: Piece, candidate: Candidate, index: int) -> int:
    """The device to read: of one card, the one on which the piece's own runs were."""
    told = {capacity.device_index for capacity in piece.reading.capacities}
    if candidate.cards.low > 1 or told <= {index, None}:
        return index
    only = only_device(piece)
    return index if only is None or only not in told else only


def _row(candidate: Candidate) -> Iterator[Print]:
    """What the row of the offer says that a seller declares: it bounds from above, as a label does."""
    offer = candidate.offer
    if offer is not None and "declared_memory" in offer.figures:
        yield Print(
            source=tell("the row of {offer}", offer=offer.id),
            counter=offer.facts["declared_memory.counter"].value,
            figure=offer.figures["declared_memory"],
        )


def of_another_card(piece: Piece, candidate: Candidate) -> bool:
    """A machine may hold cards of several names: what was read of one says nothing of another."""
    told = [f for r in piece.reading.runs if (f := r.facts.get("gpu")) is not None]
    told += [facts["gpu"] for facts in (piece.reading.facts, piece.typed) if "gpu" in facts]
    return any(fact.value.casefold() != candidate.gpu.casefold() for fact in told)


def machine_of(piece: Piece, candidate: Candidate, ground: Inquiry) -> tuple[str, ...] | None:
    """On whose word a piece is of the candidate's machine; None when it is not, or nobody says."""
    fact = _printed_machine(piece) or piece.typed.get("machine")
    if not candidate.machine or fact is None or fact.value != candidate.machine:
        return None
    if fact.printed:
        return ()
    return (fact.by,) if fact.by and ground.policy.typed_scope == "counts" else None


def _printed_machine(piece: Piece) -> Fact | None:
    """The machine that the file prints: once for all, or the same in each of its runs."""
    runs = {f.value: f for run in piece.reading.runs if (f := run.facts.get("machine")) is not None}
    only = next(iter(runs.values())) if len(runs) == 1 else None
    return piece.reading.facts.get("machine") or only


def _misnamed(candidate: Candidate, ground: Inquiry) -> Iterator[str]:
    """A machine that the author typed and the file prints otherwise: whose capacity is it?"""
    for piece in ground.pieces:
        typed, printed = piece.typed.get("machine"), _printed_machine(piece)
        names = {fact.value for fact in (typed, printed) if fact is not None}
        if piece.reading.capacities and len(names) == 2 and candidate.machine in names:
            yield tell(
                "{piece}: the file prints another machine than the scope typed", piece=piece.id
            )


def _same_device(told: Fact | None, index: int) -> bool:
    return told is None or told.value in (str(index), f"cuda:{index}")


def _attested_print(piece: Piece, item: Attested, candidate: Candidate, ground: Inquiry) -> Print:
    """A total that a document states.

    It bounds from below only where the text is the print of this very machine for this very device:
    its own words, not a person's or a seller's (DESIGN 3: what is declared never admits on memory).
    """
    counter, value = item.words["counter"].value, item.terms["value"]
    machine = machine_of(piece, candidate, ground)
    one = candidate.cards.low == 1 or "device" in item.words
    own = counter in FRAMEWORK_VISIBLE and item.pointer is not None and machine is not None and one
    if own and item.pointer is not None:
        origin = Observed(pointer=item.pointer, counter=counter, scope="device", stat="total")
        value = replace(value, origin=origin)
    return Print(
        source=piece.id,
        piece=piece.id,
        counter=counter,
        figure=value,
        visible=own,
        by=tuple(dict.fromkeys((*_claims.people(item), *(machine or ())))),
    )


def _capacity_print(
    piece: Piece,
    name: str,
    capacity: Capacity,
    candidate: Candidate,
    index: int,
    by: tuple[str, ...],
) -> Iterator[Print]:
    """One device's reading describes no other device (C9); an unnamed one only where there is one."""
    alone = capacity.device_index is None and candidate.cards.low == 1
    total = quantity(capacity.value, capacity.pointer, capacity.counter, name)
    if total is not None and (alone or capacity.device_index == index):
        held, place = capacity.others, capacity.others_pointer or capacity.pointer
        others = (
            None
            if held is None
            else quantity(held, place, "other_processes_used", f"{name}.others")
        )
        yield Print(
            source=piece.id,
            piece=piece.id,
            counter=capacity.counter,
            figure=total,
            visible=capacity.counter in FRAMEWORK_VISIBLE,
            others=others,
            loop=any(run.whole_loop and run.outcome == "success" for run in piece.reading.runs),
            by=by,
        )


def _label(candidate: Candidate) -> list[Figure]:
    """Label x 2^30 is a ceiling: no visible capacity was ever seen above it (catalog.md 1.3)."""
    card = candidate.card
    return [card.figures["nominal_binary"]] if card and "nominal_binary" in card.figures else []


def _outside(own: Figure, spread: Elsewhere) -> tuple[str, ...]:
    """This machine shows less than the policy says any machine of the card does: one is wrong."""
    if spread.least is None or spread.least.low <= own.low:
        return ()
    return (
        tell(
            "this machine shows {own} B, less than the {least} B that {word} "
            "allows beside {pieces}",
            own=own.low,
            least=spread.least.low,
            word=spread.word[0],
            pieces=spread.pieces[0],
        ),
    )
