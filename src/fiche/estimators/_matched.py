"""Tensors of a checkpoint beside the parameters of a class: which hold the same values.

Every tensor ends in exactly one place: in a pair, or among those that no parameter accounts for. So does
every parameter that the class loads: in a pair, or among those that no tensor holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiche.estimators._elements import elements
from fiche.estimators._further_layers import divided, last_layers, lies_behind
from fiche.estimators._tensor_names import (
    held_name,
    is_buffer,
    is_prediction,
    is_scale,
    plain_name,
    role_of,
)
from fiche.kernel.checkpoint import TensorGroup
from fiche.kernel.model import Parameters
from fiche.kernel.record import record, replace

_BUFFER = "buffer"
_OTHERWISE = "split, fused or named otherwise in the files, as many values"


@record
class Held:
    """Parameters under one name: `low` to `high` values where the configuration leaves copies open."""

    name: str
    role: str
    part: str
    loaded: bool
    low: int
    high: int
    layers: tuple[int, ...]


@record
class Pair:
    """Parameters and the stored tensors that hold their values.

    `values` are those of the parameters, `loaded` those among them that the class holds. `left_out`: it
    holds none; `buffer`: it holds them, and not as parameters. `extra_layers` are stored layers that are
    none of the class's. `how` says in which way they were found, empty for the same name.
    """

    groups: tuple[TensorGroup, ...]
    values: int
    loaded: int
    part: str
    left_out: bool = False
    buffer: bool = False
    packed: bool = False
    extra_layers: tuple[int, ...] = ()
    how: str = ""


@record
class Match:
    """Pairs, what is left on either side, and what the rules of the rest ask for.

    `groups` are tensors that no parameter accounts for, `behind` those of layers behind the class's last.
    """

    pairs: tuple[Pair, ...]
    groups: tuple[TensorGroup, ...]
    missing: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    loaded: int
    embeddings: frozenset[tuple[int, ...]]
    has_head: bool
    behind: tuple[TensorGroup, ...] = ()


class _Work:
    """The two sides while they are matched; names that agree leave them step by step."""

    def __init__(self, held: list[Held], groups: Sequence[TensorGroup]) -> None:
        self.held = held
        self.groups = list(groups)
        self.pairs: list[Pair] = []

    def by(self, of_held: Callable[[str], str], of_group: Callable[[str], str]) -> None:
        """Pair what has the same key; the key of a pair holds all its parameters and tensors."""
        parameters: dict[str, list[Held]] = {}
        for each in self.held:
            parameters.setdefault(of_held(each.name), []).append(each)
        tensors: dict[str, list[TensorGroup]] = {}
        for group in self.groups:
            tensors.setdefault(of_group(group.name), []).append(group)
        for key in parameters.keys() & tensors.keys():
            self.take(parameters[key], tensors[key])

    def take(self, held: Sequence[Held], groups: Sequence[TensorGroup], how: str = "") -> None:
        """Move a pair out of both sides."""
        self.pairs.append(_pair(held, groups, how))
        taken = {id(each) for each in (*held, *groups)}
        self.held = [each for each in self.held if id(each) not in taken]
        self.groups = [each for each in self.groups if id(each) not in taken]

    def by_role(self) -> None:
        """Pair what is left of one role where it is as many values on both sides."""
        for role in sorted({each.role for each in self.held}):
            held = [each for each in self.held if each.role == role]
            groups = [
                each
                for each in self.groups
                if role_of(each.name) == role and not _beside(each.name)
            ]
            if groups and _within(groups, held):
                self.take(held, groups, _OTHERWISE)

    def by_total(self) -> None:
        """Pair everything that is left where it is as many values on both sides."""
        groups = [each for each in self.groups if not _beside(each.name)]
        if self.held and groups and _within(groups, self.held):
            self.take(self.held, groups, _OTHERWISE)


def matched(parameters: Sequence[Parameters], groups: Sequence[TensorGroup]) -> Match | None:
    """Match a class's parameters with stored tensors; None where a dimension of the class is open."""
    held = [_held(each) for each in parameters]
    told = [each for each in held if each is not None]
    if not parameters or len(told) < len(held):
        return None
    inside, behind = divided(parameters, groups)
    work = _Work(told, inside)
    work.by(_itself, _itself)
    work.by(_itself, held_name)
    work.by(plain_name, lambda name: plain_name(held_name(name)))
    work.by_role()
    work.by_total()
    last = last_layers(each for each in parameters if each.loaded)
    further = tuple(each for each in work.groups if lies_behind(each, last))
    found = _match(work, told)
    kept = tuple(each for each in found.groups if each not in further)
    return replace(found, groups=kept, behind=(*behind, *further))


def _match(work: _Work, told: Sequence[Held]) -> Match:
    missing = [each for each in work.held if each.loaded and each.low]
    pairs = sorted(work.pairs, key=lambda pair: pair.groups[0].name)
    return Match(
        pairs=tuple(pairs),
        groups=tuple(work.groups),
        missing=tuple(_by_role(missing)),
        loaded=sum(pair.loaded for pair in pairs) + sum(each.low for each in missing),
        embeddings=frozenset(
            group.shape
            for pair in pairs
            for group in pair.groups
            if role_of(group.name) == "embedding"
        ),
        has_head=any(each.role == "head" and each.loaded for each in told),
    )


def _held(each: Parameters) -> Held | None:
    count = elements(each)
    low, high = count.low, count.high
    # An open copy (0 or 1) is settled by the files; an open dimension is not.
    exact = all(side.high == side.low for side in each.shape)
    if high is None or not exact or not (isinstance(low, int) and isinstance(high, int)):
        return None
    return Held(
        name=each.name,
        role=each.role,
        part=each.part,
        loaded=each.loaded and each.role != _BUFFER,
        low=low,
        high=high,
        layers=each.layers,
    )


def _pair(held: Sequence[Held], groups: Sequence[TensorGroup], how: str) -> Pair:
    stored = _stored(groups)
    low, high, left = _extent(held)
    # Blocks that the class leaves out may be stored or not.
    beyond = left if stored > high else 0
    values = min(max(stored, low), high + beyond)
    loaded = min(max(values - beyond, low), high)
    parts = {each.part for each in held}
    return Pair(
        groups=tuple(groups),
        values=values,
        loaded=loaded,
        part=parts.pop() if len(parts) == 1 else "",
        left_out=not any(each.loaded for each in held),
        buffer=all(each.role == _BUFFER for each in held),
        packed=stored != values and any(_is_packed(group) for group in groups),
        extra_layers=_beyond(held, groups) if stored > loaded else (),
        how=how,
    )


def _is_packed(group: TensorGroup) -> bool:
    """Integers hold several values each, where a parameter's own name stands on them."""
    return group.dtype in ("U8", "I8", "I32", "U32", "I64", "U16", "F4") or (
        held_name(group.name) != group.name
    )


def _beyond(held: Sequence[Held], groups: Sequence[TensorGroup]) -> tuple[int, ...]:
    known = {layer for each in held if each.loaded for layer in each.layers}
    found = {layer for group in groups for layer in group.layers}
    return tuple(sorted(found - known)) if known else ()


def _stored(groups: Sequence[TensorGroup]) -> int:
    total = 0
    for group in groups:
        product = group.count
        for side in group.shape:
            product *= side
        total += product
    return total


def _extent(held: Sequence[Held]) -> tuple[int, int, int]:
    """The least and the most values that the class loads of these, and those that it leaves out."""
    low = sum(each.low for each in held if each.loaded)
    high = sum(each.high for each in held if each.loaded)
    return low, high, sum(each.high for each in held if not each.loaded)


def _within(groups: Sequence[TensorGroup], held: Sequence[Held]) -> bool:
    """As many values on both sides, or fewer elements that hold several values each."""
    stored, (low, high, left) = _stored(groups), _extent(held)
    if low <= stored <= high or stored in (low + left, high + left):
        return True
    return stored < low and all(_is_packed(group) for group in groups)


def _beside(name: str) -> bool:
    """What stands beside values, and is none of the class's parameters."""
    return is_scale(name) or is_buffer(name) or is_prediction(name)


def _by_role(held: Sequence[Held]) -> list[tuple[str, tuple[tuple[str, int], ...]]]:
    roles: dict[str, list[tuple[str, int]]] = {}
    for each in held:
        roles.setdefault(each.role, []).append((each.name, each.low))
    return [(role, tuple(names)) for role, names in sorted(roles.items())]


def _itself(name: str) -> str:
    return name
