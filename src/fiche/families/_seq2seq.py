"""Encoders with decoders that read them: caches and blocks of both halves.

Only the layers of the decoder keep anything: keys and values of its own tokens, and those of the encoder's
output for the whole request (estimators.md 2.2).
"""

from __future__ import annotations

from fiche.families._rows import Place
from fiche.kernel.figure import Node
from fiche.kernel.model import AttentionCache, Block, Cache, CrossCache


def decoder_caches(
    layer: Place, heads: Node, head: Node, tokens: Node | None = None
) -> tuple[Cache, ...]:
    """What the layers of a decoder keep; `tokens` is the encoder's length where it is fixed."""
    layers = layer.layers or ()
    if not layers:
        return ()
    own = AttentionCache(
        layers=layers, count=layer.count, kv_heads=heads, key_dim=head, value_dim=head
    )
    read = CrossCache(
        layers=layers,
        count=layer.count,
        kv_heads=heads,
        key_dim=head,
        value_dim=head,
        tokens=tokens,
    )
    return (own, read)


def half_block(
    layer: Place, kind: str, heads: Node, width: Node, inner: Node, *, gated: bool = False
) -> Block:
    """The layers of one half: `encoder`, or `attention+cross` for a decoder that reads it."""
    return Block(
        layers=layer.layers or (),
        count=layer.count,
        hidden=layer.dims["hidden"],
        kind=kind,
        heads=heads,
        query=width,
        key=width,
        value=width,
        inner=inner,
        gated=gated,
    )
