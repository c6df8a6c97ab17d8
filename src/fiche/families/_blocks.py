"""The layers of a decoder as a training step sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiche.families._dims import Dims, Part, grouped
from fiche.kernel.figure import Node
from fiche.kernel.model import Block
from fiche.kernel.record import replace


def blocks_of(
    parts: Iterable[Part],
    kinds: Sequence[str],
    inside: Sequence[str],
    *,
    gated: bool,
    latent: bool,
) -> tuple[Block, ...]:
    """Alike layers as one block: by attention, then by feed-forward.

    A part may have no attention (its kind keeps nothing), or the word `no_feed_forward`.
    """
    bare = ["bare" if kind in ("mlp", "moe") else "" for kind in kinds]
    return tuple(
        _block(part, layers, kind == "sparse", gated, latent)
        if reach != "bare"
        else _without_attention(_block(part, layers, kind == "sparse", gated, latent))
        for part in parts
        for reach, alike in grouped(part.layers, bare)
        for kind, layers in grouped(alike, inside)
    )


def _without_attention(block: Block) -> Block:
    return replace(block, heads=None, query=None, key=None, value=None)


def _block(part: Part, layers: tuple[int, ...], sparse: bool, gated: bool, latent: bool) -> Block:
    dims = part.dims
    query, key, value = _attention(dims, latent)
    inner = dims["expert_ffn" if sparse else "ffn"]
    return Block(
        layers=layers,
        count=dims.count(layers, "layer_types"),
        hidden=dims["hidden"],
        heads=dims["heads"],
        query=query,
        key=key,
        value=value,
        inner=None if "no_feed_forward" in part.words else inner,
        gated=gated,
        experts_used=dims["experts_used"] if sparse else None,
        shared_inner=dims["shared_ffn"] if sparse and "shared_ffn" in dims.names else None,
    )


def _attention(dims: Dims, latent: bool) -> tuple[Node, Node, Node]:
    if latent:
        return dims["keys"], dims["keys"], dims["values"]
    return dims["query"], dims["kv"], dims["kv_value" if "kv_value" in dims.names else "kv"]
