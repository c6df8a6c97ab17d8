"""DeepSeek V2 and V3 and decoders with the same compressed attention (MLA), Kimi K2 among them."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Part
from fiche.families._experts import SHARED_DIMS, after_first, first_dense, unread_frequency
from fiche.families._kinds import ranked
from fiche.families._reach import all_full, all_indexed
from fiche.families._tables import (
    CORRECTION,
    EXPERTS,
    GATED,
    INDEXER,
    INDEXER_DIMS,
    LATENT,
    LATENT_DIMS,
    NORMS,
    OUTER,
    SHARED,
)
from fiche.kernel.record import replace

DENSE_MLA = Decoder(
    outer=OUTER,
    attention=LATENT,
    layer=NORMS,
    dense=GATED,
    words=("qkv_bias=attention_bias", "o_bias=attention_bias"),
    dims=LATENT_DIMS,
    reach=all_full,
    more_words=ranked,
    latent=True,
)

V3 = replace(
    DENSE_MLA,
    sparse=EXPERTS + CORRECTION + SHARED,
    dims={**LATENT_DIMS, **SHARED_DIMS},
    mlp=after_first("first_k_dense_replace"),
    doubts=unread_frequency,
    predicts=True,
)


def _by_indexer(dims: Dims, _: list[str]) -> Iterable[Part]:
    """Layers with an indexer of their own, then those that take the choice of the one before."""
    shared = tuple(i for i, kind in enumerate(_indexers(dims)) if kind != "full")
    own = tuple(index for index in dims.layers if index not in shared)
    yield Part(layers=own, dims=dims, words=frozenset({"indexer"}))
    yield Part(layers=shared, dims=dims)


def _indexers(dims: Dims) -> list[str]:
    config, layers = dims.config, len(dims.layers)
    listed = config.listed("indexer_types")
    pattern = config.value("index_topk_pattern")
    if listed is not None:
        return [str(each) for each in listed]
    if isinstance(pattern, str):
        return ["full" if each == "F" else "shared" for each in pattern]
    if isinstance(pattern, list):
        return [str(each) for each in pattern]
    every = max(config.whole("index_topk_freq") or 1, 1)
    told = config.whole("index_skip_topk_offset")
    first = 2 if told is None else told
    return [
        "full" if max(index - first + 1, 0) % every == 0 else "shared" for index in range(layers)
    ]


V32 = replace(
    V3,
    attention=LATENT + INDEXER,
    dims={**LATENT_DIMS, **SHARED_DIMS, **INDEXER_DIMS},
    reach=all_indexed,
    parts=_by_indexer,
)

KINDS = {
    "deepseek_v2": replace(V3, sparse=EXPERTS + SHARED, words=(*V3.words, "mlp_bias=mlp_bias")),
    "deepseek_v3": V3,
    "deepseek_v32": V32,
    "glm_moe_dsa": V32,
    "glm4_moe_lite": replace(V3, mlp=first_dense(1)),
    "mistral4": replace(V3, sparse=EXPERTS + SHARED),
    "minicpm3": replace(
        DENSE_MLA,
        words=(*DENSE_MLA.words, "mlp_bias=mlp_bias"),
        dims={**LATENT_DIMS, "value": "v_head_dim ?hidden/heads"},
    ),
    "sarvam_mla": V3,
    "youtu": DENSE_MLA,
    "axk1": replace(
        V3,
        sparse=EXPERTS + CORRECTION + SHARED + "mlp.post_mlp_layernorm norm hidden",
        mlp=after_first("first_k_dense_replace", 1),
    ),
}

MEMBER = family(
    "deepseek",
    "DeepSeek V2, V3, V3.2 and decoders with the same attention",
    "transformers 5.24.0, modeling_deepseek_v2.py, modeling_deepseek_v3.py, modeling_deepseek_v32.py",
    KINDS,
)
