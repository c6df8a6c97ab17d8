"""What `fiche model` shows, for the screen and for programs: counts, tables and sentences, once for both."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._elements import elements
from fiche.estimators._stored import Line, stored_values, values_of
from fiche.estimators._tensor_names import role_of
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, total
from fiche.kernel.model import (
    AttentionCache,
    Cache,
    CrossCache,
    LatentCache,
    Model,
    StateCache,
)
from fiche.kernel.record import record, replace
from fiche.kernel.trace import conditions
from fiche.kernel.unit import count_of
from fiche.report.numbers import TERMINAL, bare

VALUES = count_of("values")


@record
class FormatShare:
    """Tensors of one storage format, by the format's own word; storages of none have no `values`."""

    format: str
    tensors: int
    values: int | None
    num_bytes: int


@record(eq=False)
class PartShare:
    """Values of one role in one part of a model."""

    part: str
    role: str
    values: Node
    loaded: bool


def format_shares(checkpoint: Checkpoint) -> tuple[FormatShare, ...]:
    """One row a storage format, the one with most bytes first."""
    shares: dict[str, FormatShare] = {}
    for group in checkpoint.groups:
        before = shares.get(group.dtype) or FormatShare(
            format=group.dtype, tensors=0, values=0 if group.dtype else None, num_bytes=0
        )
        shares[group.dtype] = replace(
            before,
            tensors=before.tensors + group.count,
            values=None if before.values is None else before.values + values_of(group),
            num_bytes=before.num_bytes + group.count * group.num_bytes,
        )
    return tuple(sorted(shares.values(), key=lambda each: (-each.num_bytes, each.format)))


def part_shares(model: Model) -> tuple[PartShare, ...]:
    """One row a part and role: of the class's parameters, or of the tensors' names where it has none."""
    if model.parameters:
        return _of_class(model)
    if model.checkpoint is not None and stored_values(model.checkpoint) is None:
        return ()
    counts: dict[str, int] = {}
    for group in model.checkpoint.groups if model.checkpoint else ():
        role = role_of(group.name)
        counts[role] = counts.get(role, 0) + values_of(group)
    return tuple(
        PartShare(part="", role=role, values=_counted(values, model), loaded=True)
        for role, values in sorted(counts.items())
    )


def _of_class(model: Model) -> tuple[PartShare, ...]:
    parts: dict[tuple[str, str, bool], list[Node]] = {}
    for each in model.parameters:
        parts.setdefault((each.part, each.role, each.loaded), []).append(elements(each))
    return tuple(
        PartShare(part=part, role=role, values=total(nodes), loaded=loaded)
        for (part, role, loaded), nodes in parts.items()
    )


def _counted(values: int, model: Model) -> Figure:
    from fiche.kernel.origin import Stated

    because = "counted in the headers of the tensors"
    return Figure(low=values, high=values, unit=VALUES, origin=Stated(span=None, because=because))


def held_by_class(model: Model) -> Node | None:
    """Parameters that the class holds by its configuration; None where no family knows it."""
    held = [elements(each) for each in model.parameters if each.loaded and each.role != "buffer"]
    return total(held) if held else None


def cache_sentence(cache: Cache) -> str:
    """`10 full layers x 16 KV heads x 128`, and so on for each kind of cache."""
    match cache:
        case AttentionCache():
            return f"{_layers(cache.count, _reach(cache))} x {_heads(cache)}"
        case CrossCache():
            fixed = "" if cache.tokens is None else f", {bare(cache.tokens)} tokens a request"
            return f"{_layers(cache.count, 'cross-attention')} x {_heads(cache)}{fixed}"
        case LatentCache():
            return _latent(cache)
        case StateCache():
            kind = cache.kind.replace("_", " ")
            return (
                f"{_layers(cache.count, kind)} x ({bare(cache.channels)} channels x "
                f"{bare(cache.kernel)} of convolution + {bare(cache.state)} values of state): "
                "does not grow with the context"
            )


def _reach(cache: AttentionCache) -> str:
    if cache.window is None:
        return cache.reach
    return f"{cache.reach} ({bare(cache.window)})"


def _layers(count: Node, kind: str) -> str:
    return f"{bare(count, TERMINAL)} {kind} {'layer' if count.low == count.high == 1 else 'layers'}"


def _heads(cache: AttentionCache | CrossCache) -> str:
    keys, values = bare(cache.key_dim), bare(cache.value_dim)
    width = keys if keys == values else f"(keys {keys} + values {values})"
    return f"{bare(cache.kv_heads)} KV heads x {width}"


def _latent(cache: LatentCache) -> str:
    text = (
        f"{_layers(cache.count, 'latent')} x ({bare(cache.latent)} + {bare(cache.rope)}) values a token, "
        f"or {bare(cache.heads)} heads x (keys {bare(cache.key_dim)} + values {bare(cache.value_dim)}) "
        "where an engine expands them"
    )
    if cache.index_dim is None:
        return text
    return f"{text}; {bare(cache.index_dim)} more a token for the indexer"


def asked(model: Model) -> tuple[Condition, ...]:
    """What is still open: what the family did not understand, and what its numbers lack."""
    nodes: list[Node] = [elements(each) for each in model.parameters]
    nodes += [node for cache in model.caches for node in _nodes(cache)]
    found = [*model.open, *(each for node in nodes for each in conditions(node))]
    return tuple(dict.fromkeys(found))


def _nodes(cache: Cache) -> Iterable[Node]:
    from fiche.kernel.record import field_names

    values = (getattr(cache, name) for name in field_names(cache))
    return (value for value in values if hasattr(value, "low"))


def merged(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines of one kind with one reason as one, the largest difference first."""
    alike: dict[tuple[str, str], Line] = {}
    for line in lines:
        before = alike.get((line.kind, line.text))
        alike[line.kind, line.text] = line if before is None else _both(before, line)
    return tuple(sorted(alike.values(), key=lambda each: (-abs(each.values), each.kind)))


def _both(first: Line, second: Line) -> Line:
    return replace(
        first,
        values=first.values + second.values,
        num_bytes=first.num_bytes + second.num_bytes,
        names=(*first.names, *second.names),
    )
