"""The layers of a decoder as a training step sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiche.families._dims import Dims, Part, grouped
from fiche.kernel.figure import Node
from fiche.kernel.model import Block


def blocks_of(
    parts: Iterable[Part], inside: Sequence[str], *, gated: bool, latent: bool
) -> tuple[Block, ...]:
    """Alike layers as one block: by attention, then by feed-forward."""
    return tuple(
        _block(part.dims, layers, kind == "sparse", gated, latent)
        for part in parts
        for kind, layers in grouped(part.layers, inside)
    )


def _block(dims: Dims, layers: tuple[int, ...], sparse: bool, gated: bool, latent: bool) -> Block:
    query, key, value = _attention(dims, latent)
    return Block(
        layers=layers,
        count=dims.count(layers, "layer_types"),
        hidden=dims["hidden"],
        heads=dims["heads"],
        query=query,
        key=key,
        value=value,
        inner=dims["expert_ffn" if sparse else "ffn"],
        gated=gated,
        experts_used=dims["experts_used"] if sparse else None,
        shared_inner=dims["shared_ffn"] if sparse and "shared_ffn" in dims.names else None,
    )


def _attention(dims: Dims, latent: bool) -> tuple[Node, Node, Node]:
    if latent:
        return dims["keys"], dims["keys"], dims["values"]
    return dims["query"], dims["kv"], dims["kv_value" if "kv_value" in dims.names else "kv"]
