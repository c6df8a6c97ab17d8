"""Hunyuan V4 and DeepSeek V4: parallel streams between layers, and keys chosen or compressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Names, Part, grouped
from fiche.families._experts import SHARED_DIMS, first_dense
from fiche.families._indexers import indexed_parts
from fiche.families._kinds import ranked
from fiche.families._reach import SLIDING, all_indexed
from fiche.families._rows import Place, fixed, rows
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
    SINKS,
)
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.model import Parameters

# Streams are weighed before and after each block, and once more before the head.
_STREAMS_HEAD = """
model.hc_head.hc_fn =norm streams streams*hidden
model.hc_head.hc_base =norm streams
model.hc_head.hc_scale =norm 1
"""

_STREAMS = """
{attn,ffn}_hc.fn =norm weights streams*hidden
{attn,ffn}_hc.base =norm weights
"""

_HUNYUAN_INDEXERS = 4


def _hunyuan_indexers(dims: Dims) -> list[str]:
    """Layers with an indexer: the first, then the first of each four after it."""
    listed = dims.config.listed("indexer_types")
    if listed is not None:
        return [str(each) for each in listed]
    return [
        "full" if index == 0 or (index - 1) % _HUNYUAN_INDEXERS == 0 else "shared"
        for index in dims.layers
    ]


HUNYUAN_V4 = Decoder(
    outer=OUTER + _STREAMS_HEAD,
    attention=LATENT + INDEXER + SINKS + "self_attn.gate_proj linear values hidden",
    layer=NORMS + _STREAMS + "{attn,ffn}_hc.scale =norm 2",
    dense=GATED,
    sparse=EXPERTS + CORRECTION + SHARED,
    words=("qkv_bias=attention_bias", "o_bias=attention_bias"),
    dims={
        **LATENT_DIMS,
        **SHARED_DIMS,
        **INDEXER_DIMS,
        "streams": "hc_mult",
        "weights": "2*streams",
    },
    reach=all_indexed,
    mlp=first_dense(1),
    parts=indexed_parts(_hunyuan_indexers),
    more_words=ranked,
    latent=True,
)

HEAVY, CHOSEN = "heavily_compressed_attention", "compressed_sparse_attention"
_RATES = {HEAVY: ("compress_rate_hca", 128), CHOSEN: ("compress_rate_csa", 4)}

# One vector a token serves as key and value; the output projection works by groups of heads.
_V4_ATTENTION = """
self_attn.sinks =norm heads
self_attn.q_a_proj linear query_rank hidden
self_attn.q_a_norm norm query_rank
self_attn.q_b_proj linear query query_rank
self_attn.kv_proj linear head hidden
self_attn.kv_norm norm head
self_attn.o_a_proj linear groups*output_rank group_width
self_attn.o_b_proj linear hidden groups*output_rank
?heavy self_attn.compressor.position_bias =norm rate head
?heavy self_attn.compressor.{kv,gate}_proj linear head hidden
?chosen self_attn.compressor.position_bias =norm rate 2*head
?chosen self_attn.compressor.{kv,gate}_proj linear 2*head hidden
?compressed self_attn.compressor.kv_norm norm head
?chosen self_attn.compressor.indexer.position_bias =norm rate 2*index_head
?chosen self_attn.compressor.indexer.{kv,gate}_proj linear 2*index_head hidden
?chosen self_attn.compressor.indexer.kv_norm norm index_head
?chosen self_attn.compressor.indexer.q_b_proj linear index_heads*index_head query_rank
?chosen self_attn.compressor.indexer.scorer.weights_proj linear index_heads hidden
"""


def _v4_reach(config: Config, layers: int) -> list[str]:
    ratios = config.listed("compress_ratios")
    if ratios is not None:
        kinds = {0: SLIDING, 4: CHOSEN, 128: HEAVY}
        return [kinds.get(each, "") if isinstance(each, int) else "" for each in ratios[:layers]]
    return [CHOSEN if index >= 2 and index % 2 else HEAVY for index in range(layers)]


def _v4_parts(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    for kind, layers in grouped(dims.layers, kinds):
        words = {HEAVY: {"heavy", "compressed"}, CHOSEN: {"chosen", "compressed"}}.get(kind, set())
        own: Names = {"rate": _rate(kind)} if kind in _RATES else {}
        yield Part(
            layers=layers, dims=Dims(dims.config, {**dims.names, **own}), words=frozenset(words)
        )


def _rate(kind: str) -> Callable[[Dims], Node]:
    """Tokens that become one: as the file says, else as the class does."""
    older, otherwise = _RATES[kind]

    def read(dims: Dims) -> Node:
        inside = dims.config.part("compress_rates")
        if inside is not None and inside.told(kind):
            return inside.number(kind)
        return dims.config.number(older) if dims.config.told(older) else fixed(otherwise)

    return read


def _routers(place: Place) -> tuple[Parameters, ...]:
    """The first layers take experts from a fixed table by token, the others correct their scores."""
    config = place.dims.config  # type: ignore[attr-defined]
    listed, told = config.listed("mlp_layer_types"), config.whole("num_hash_layers")
    hashed = tuple(
        index
        for index in place.layers or ()
        if (
            listed[index : index + 1] == ["hash_moe"]
            if listed
            else index < (3 if told is None else told)
        )
    )
    others = tuple(index for index in place.layers or () if index not in hashed)
    dims: Dims = place.dims  # type: ignore[assignment]
    found: list[Parameters] = []
    for layers, table in (
        (hashed, "mlp.gate.tid2eid =buffer vocabulary experts_used"),
        (others, CORRECTION),
    ):
        if layers:
            here = Place(dims=dims, words=place.words)
            count = dims.count(layers, "mlp_layer_types")
            found += rows(table, here.over("model.layers.*.", layers, count))
    return tuple(found)


DEEPSEEK_V4 = Decoder(
    outer=OUTER + _STREAMS_HEAD,
    attention=_V4_ATTENTION,
    layer=NORMS + _STREAMS + "{attn,ffn}_hc.scale =norm 3" + EXPERTS + SHARED,
    dims={
        **SHARED_DIMS,
        **INDEXER_DIMS,
        # One shared feed-forward of the width of an expert, whatever their number says.
        "shared_ffn": "moe_intermediate_size",
        "streams": "hc_mult",
        "weights": "streams*more_streams",
        "more_streams": lambda dims: dims["streams"] + 2,
        "query_rank": "q_lora_rank",
        "groups": "o_groups",
        "output_rank": "o_lora_rank",
        "group_width": "query/groups",
        # Experts that see a token, side by side.
        "ffn": "experts_used*expert_ffn",
    },
    words=("mlp_bias=mlp_bias",),
    reach=_v4_reach,
    parts=_v4_parts,
    further=_routers,
)

KINDS = {"hy_v4": HUNYUAN_V4, "deepseek_v4": DEEPSEEK_V4}

MEMBER = family(
    "hyper",
    "Hunyuan V4 and DeepSeek V4",
    "transformers 5.24.0, modeling_hy_v4.py and modeling_deepseek_v4.py; caches of the latter are open",
    KINDS,
)
