"""MiniMax M3 and Step 3.5: experts behind attention to blocks of keys, or with more heads in a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Part
from fiche.families._experts import DENSE, SHARED_DIMS, SPARSE
from fiche.families._reach import FULL, SLIDING, all_full
from fiche.families._rows import fixed
from fiche.families._tables import (
    ATTENTION,
    CORRECTION,
    EXPERTS,
    FUSED_GATED,
    GATED,
    HEAD_NORMS,
    NORMS,
    OUTER,
    SHARED,
)
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_INDEXER = """
?indexer self_attn.indexer.q_proj linear index_heads*index_head hidden
?indexer self_attn.indexer.k_proj linear index_head hidden
?indexer self_attn.indexer.{q,k}_norm norm index_head
"""

_FUSED_SHARED = """
mlp.shared_experts.gate_up_proj linear 2*shared_ffn hidden
mlp.shared_experts.down_proj linear hidden shared_ffn
"""

_INDEXED = "minimax_m3_sparse"


def _sparse_reach(config: Config, layers: int) -> list[str]:
    """As older files say in their own object, else all layers see all tokens."""
    told = config.part("sparse_attention_config")
    listed = None if told is None else told.listed("sparse_attention_freq")
    return [FULL] * layers if listed is None else [_INDEXED if each else FULL for each in listed]


def _sparse_mlp(config: Config, layers: int) -> list[str]:
    listed = config.listed("moe_layer_freq")
    if listed is None:
        return [SPARSE] * layers
    return [SPARSE if each else DENSE for each in listed]


def _indexers(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    chosen = tuple(index for index, kind in enumerate(kinds) if kind == _INDEXED)
    yield Part(layers=tuple(i for i in dims.layers if i not in chosen), dims=dims)
    yield Part(layers=chosen, dims=dims, words=frozenset({"indexer"}))


def _of_older(flat: str, older: str) -> Callable[[Dims], Node]:
    def read(dims: Dims) -> Node:
        told = dims.config.part("sparse_attention_config")
        if told is not None and told.told(older):
            return told.number(older)
        return dims.config.number(flat)

    return read


_M3 = Decoder(
    outer=OUTER,
    attention=ATTENTION + HEAD_NORMS + _INDEXER,
    layer=NORMS,
    dense=FUSED_GATED,
    sparse=EXPERTS + CORRECTION + _FUSED_SHARED,
    dims={
        **SHARED_DIMS,
        "ffn": "dense_intermediate_size",
        "expert_ffn": "intermediate_size",
        "shared_ffn": "shared_intermediate_size",
        "index_heads": _of_older("index_n_heads", "sparse_num_index_heads"),
        "index_head": _of_older("index_head_dim", "sparse_index_dim"),
    },
    reach=_sparse_reach,
    mlp=_sparse_mlp,
    parts=_indexers,
)

_GATE = """
self_attn.g_proj linear heads hidden
"""


def _step_layers(config: Config, layers: int) -> list[str]:
    """As older files list in a text of numbers, else in all layers from the fourth on."""
    told = config.value("moe_layers_enum")
    if told is None:
        return [SPARSE if index >= 3 else DENSE for index in range(layers)]
    named = told.split(",") if isinstance(told, str) else told if isinstance(told, list) else []
    chosen = {int(str(each)) for each in named if str(each).strip().isdigit()}
    return [SPARSE if index in chosen else DENSE for index in range(layers)]


def _window_heads(dims: Dims) -> Node:
    config = dims.config
    older = config.part("attention_other_setting")
    if config.value("num_sliding_attention_heads") is not None:
        return config.number("num_sliding_attention_heads")
    if older is not None and older.told("num_attention_heads"):
        return older.number("num_attention_heads")
    return config.number("num_attention_heads")


def _by_window(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    slides = tuple(index for index, kind in enumerate(kinds) if kind == SLIDING)
    yield Part(layers=tuple(i for i in dims.layers if i not in slides), dims=dims)
    yield Part(layers=slides, dims=Dims(dims.config, {**dims.names, "heads": _window_heads}))


def _predicts(config: Config) -> Iterable[str]:
    if config.whole("num_nextn_predict_layers"):
        yield tell("give the tensors: blocks that predict further tokens are not read here")


KINDS = {
    "minimax_m3_vl_text": _M3,
    "step3p5": replace(
        _M3,
        attention=ATTENTION + HEAD_NORMS + _GATE,
        dense=GATED,
        sparse=EXPERTS + CORRECTION + SHARED,
        words=("qkv_bias=attention_bias", "o_bias=attention_bias", "mlp_bias=mlp_bias"),
        dims={
            **SHARED_DIMS,
            "experts": "n_routed_experts",
            "shared": lambda dims: fixed(1),
            "shared_ffn": "share_expert_dim",
        },
        reach=all_full,
        mlp=_step_layers,
        parts=_by_window,
        doubts=_predicts,
    ),
}

MEMBER = family(
    "block_sparse",
    "MiniMax M3 and Step 3.5",
    "transformers 5.24 models/minimax_m3_vl and models/step3p7",
    KINDS,
)
