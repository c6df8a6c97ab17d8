"""Decoders with experts whose attention is gated, or whose heads differ by kind of layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Part
from fiche.families._experts import EXPERT_DIMS, SHARED_DIMS, after_first, first_dense
from fiche.families._kinds import BIAS
from fiche.families._reach import FULL, SLIDING, all_full, every
from fiche.families._reads import listed_number
from fiche.families._tables import (
    ATTENTION,
    CORRECTION,
    EXPERTS,
    FOUR_NORMS,
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

_GATE = """
self_attn.gate_proj linear query hidden
"""

AFMOE = Decoder(
    outer=OUTER,
    attention=ATTENTION + HEAD_NORMS + _GATE,
    layer="{input,post_attention}_layernorm norm hidden\n{pre,post}_mlp_layernorm norm hidden",
    dense=GATED,
    sparse=EXPERTS.replace("mlp.gate router", "mlp.router.gate router")
    + SHARED
    + "mlp.expert_bias =buffer experts",
    words=BIAS,
    dims=SHARED_DIMS,
    reach=every(4, "global_attn_every_n_layers"),
    mlp=after_first("num_dense_layers"),
)

# Keys, values and output by widths of their own; sliding layers have twice the heads, and sinks.
_MIMO_ATTENTION = """
self_attn.q_proj linear+qkv_bias query hidden
self_attn.k_proj linear+qkv_bias kv hidden
self_attn.v_proj linear+qkv_bias kv_value hidden
self_attn.o_proj linear hidden values
?sliding self_attn.sinks =norm heads
"""

_MIMO_DIMS = {
    **EXPERT_DIMS,
    "value": "v_head_dim",
    "values": "heads*value",
    "kv_value": "kv_heads*value",
}


def _twice(dims: Dims) -> Node:
    return 2 * dims.config.number("num_key_value_heads")


def _by_reach(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    slides = tuple(index for index, kind in enumerate(kinds) if kind == SLIDING)
    others = tuple(index for index in dims.layers if index not in slides)
    yield Part(layers=others, dims=dims)
    wider = Dims(dims.config, {**dims.names, "kv_heads": _twice})
    yield Part(layers=slides, dims=wider, words=frozenset({"sliding"}))


def _by_heads(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    """Laguna: each layer's own number of query heads."""
    listed = dims.config.listed("num_attention_heads_per_layer")
    if listed is None:
        yield Part(layers=dims.layers, dims=dims)
        return
    for heads in dict.fromkeys(map(str, listed)):
        alike = tuple(i for i in dims.layers if i < len(listed) and str(listed[i]) == heads)
        if alike:
            own = {"heads": _of_layer("num_attention_heads_per_layer", alike[0])}
            yield Part(layers=alike, dims=Dims(dims.config, {**dims.names, **own}))


def _of_layer(key: str, layer: int) -> Callable[[Dims], Node]:
    return lambda dims: listed_number(dims.config, key, layer)


_LAGUNA = """
?per_head self_attn.g_proj linear heads hidden
!per_head self_attn.g_proj linear query hidden
"""


def _laguna(config: Config) -> Iterable[str]:
    if config.value("gating") in (True, "per-head"):
        yield "per_head"


def _unequal(config: Config) -> Iterable[str]:
    listed = config.listed("num_attention_heads_per_layer")
    if listed is not None and len(listed) != config.whole("num_hidden_layers"):
        yield tell("give each layer its query heads: the list and the number of layers differ")


def _last_full(config: Config, layers: int) -> list[str]:
    """Full at each sixth layer and at the last."""
    return [*every(6)(config, layers)[:-1], FULL]


def _from_the_last(config: Config, layers: int) -> list[str]:
    """Full at the last layer and at each fourth before it."""
    return [SLIDING if (layers - 1 - index) % 4 else FULL for index in range(layers)]


def _mimo(config: Config, layers: int) -> list[str]:
    """Full at the first layer and at each sixth."""
    return [FULL, *every(6)(config, layers)[1:]]


KINDS = {
    "afmoe": AFMOE,
    "beam": replace(
        AFMOE,
        attention=ATTENTION + HEAD_NORMS + _GATE + "self_attn.gate_bias =bias heads",
        layer=FOUR_NORMS,
        sparse=EXPERTS + CORRECTION,
        dims=EXPERT_DIMS,
        reach=_last_full,
        mlp=first_dense(3),
    ),
    "muse_glimmer_text": replace(
        AFMOE,
        attention=ATTENTION + _GATE,
        layer=FOUR_NORMS,
        sparse="",
        dims={},
        reach=_from_the_last,
        mlp=None,
    ),
    "laguna": replace(
        AFMOE,
        attention=ATTENTION + HEAD_NORMS + _LAGUNA,
        layer=NORMS,
        sparse=EXPERTS + CORRECTION + SHARED,
        dims={**EXPERT_DIMS, "shared_ffn": "shared_expert_intermediate_size"},
        reach=all_full,
        mlp=first_dense(1),
        parts=_by_heads,
        more_words=_laguna,
        doubts=_unequal,
    ),
    "mimo_v2_flash": replace(
        AFMOE,
        attention=_MIMO_ATTENTION,
        layer=NORMS,
        sparse=EXPERTS + CORRECTION,
        words=("qkv_bias=attention_bias",),
        dims=_MIMO_DIMS,
        reach=_mimo,
        mlp=first_dense(1),
        parts=_by_reach,
    ),
}

MEMBER = family(
    "gated_moe",
    "AFMoE, Beam, Laguna, MiMo, Muse Glimmer",
    "transformers 5.24.0, modeling_afmoe.py, modeling_beam.py, modeling_laguna.py",
    KINDS,
)
