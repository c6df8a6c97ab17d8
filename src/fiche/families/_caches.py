"""What the layers of a decoder keep, by the kind of each layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiche.families._dims import Dims, Part, grouped
from fiche.families._reach import CHUNKED, FULL, INDEXED, SLIDING
from fiche.kernel.model import AttentionCache, Cache, LatentCache

_REACH = {FULL: "full", INDEXED: "full", SLIDING: "sliding", CHUNKED: "chunked"}
_WINDOW = {SLIDING: "window", CHUNKED: "chunk"}

# Kinds of layers that these families know; the last two keep nothing.
KNOWN = frozenset({*_REACH, "moe", "mlp"})
KNOWN_LATENT = frozenset({FULL, INDEXED})


def caches_of(parts: Iterable[Part], kinds: Sequence[str], *, latent: bool) -> tuple[Cache, ...]:
    """Alike layers as one entry: by part, then by reach, in the order of their first layer.

    Layers of a kind that is not known keep nothing here: the model is open then.
    """
    return tuple(
        _latent(part, layers) if latent else _attention(part.dims, layers, kind)
        for part in parts
        if "shared_cache" not in part.words
        for kind, layers in grouped(part.layers, kinds)
        if kind in (KNOWN_LATENT if latent else _REACH)
    )


def _attention(dims: Dims, layers: tuple[int, ...], kind: str) -> AttentionCache:
    return AttentionCache(
        layers=layers,
        count=dims.count(layers, "layer_types"),
        kv_heads=dims["kv_heads"],
        key_dim=dims["head"],
        value_dim=dims["value" if "value" in dims.names else "head"],
        reach=_REACH[kind],
        window=dims[_WINDOW[kind]] if kind in _WINDOW else None,
    )


def _latent(part: Part, layers: tuple[int, ...]) -> LatentCache:
    dims = part.dims
    return LatentCache(
        layers=layers,
        count=dims.count(layers, "layer_types"),
        latent=dims["latent"],
        rope=dims["rope"],
        heads=dims["heads"],
        key_dim=dims["key"],
        value_dim=dims["value"],
        index_dim=dims["index_head"] if "indexer" in part.words else None,
    )
