"""Gemma 3n and 4, text: embeddings for each layer, last layers that share the cache of earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Names, Part
from fiche.families._kinds import BIAS
from fiche.families._reach import FULL, SLIDING, every
from fiche.families._reads import listed_number
from fiche.families._rows import Place, fixed, rows
from fiche.families._tables import FOUR_NORMS, GATED, HEAD
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_OUTER = f"""
model.embed_tokens embedding vocabulary hidden
?per_layer model.embed_tokens_per_layer embedding layer_vocabulary depth*layer_width
?per_layer model.per_layer_model_projection linear depth*layer_width hidden
?per_layer model.per_layer_projection_norm norm layer_width
model.norm norm hidden
{HEAD}
"""

# Layers that share a cache project no keys and values of their own; where values are keys, no values.
_ATTENTION = f"""
self_attn.q_proj linear+qkv_bias query hidden
self_attn.q_norm norm head
!shared_cache self_attn.k_proj linear+qkv_bias kv hidden
!shared_cache self_attn.k_norm norm head
!shared_cache !value_is_key self_attn.v_proj linear+qkv_bias kv hidden
self_attn.o_proj linear+o_bias hidden query
{GATED}
"""

_PER_LAYER = """
?per_layer per_layer_input_gate linear layer_width hidden
?per_layer per_layer_projection linear hidden layer_width
?per_layer post_per_layer_input_norm norm hidden
"""

_ALTERNATING = f"""
{FOUR_NORMS}
altup.correct_output_scale =norm hidden
altup.correction_coefs linear streams streams
altup.prediction_coefs linear streams*streams streams
altup.modality_router linear streams hidden
altup.router_norm norm hidden
laurel.linear_left linear laurel hidden
laurel.linear_right linear hidden laurel
laurel.post_laurel_norm norm hidden
{_PER_LAYER}
"""

_GEMMA4_LAYER = f"""
{FOUR_NORMS}
{_PER_LAYER}
layer_scalar =buffer 1
?experts router.proj router experts hidden
?experts router.scale =norm hidden
?experts router.per_expert_scale =norm experts
?experts experts.gate_up_proj =expert experts 2*expert_ffn hidden
?experts experts.down_proj =expert experts hidden expert_ffn
?experts post_feedforward_layernorm_{{1,2}} norm hidden
?experts pre_feedforward_layernorm_2 norm hidden
"""


def _streams(place: Place) -> tuple[Parameters, ...]:
    """Projections between the parallel streams of a token: one for each stream but the first."""
    others = Place(dims=place.dims, count=larger(place.dims["streams"], 1) - 1)
    return rows("model.altup_{,unembed_}projections.* linear hidden hidden", others)


def _first_shared(dims: Dims) -> int:
    return len(dims.layers) - (dims.config.whole("num_kv_shared_layers") or 0)


def _gemma3n_parts(dims: Dims, _: list[str]) -> Iterable[Part]:
    """By sharing, then by the width of the feed-forward, which may differ by layer."""
    listed = dims.config.listed("intermediate_size")
    found: dict[tuple[bool, str], list[int]] = {}
    for index in dims.layers:
        width = "" if listed is None else str(listed[index : index + 1])
        found.setdefault((index >= _first_shared(dims), width), []).append(index)
    for (shared, _width), layers in found.items():
        own: Names = {} if listed is None else {"ffn": _width_of(layers[0])}
        words = frozenset({"shared_cache"} if shared else ())
        yield Part(layers=tuple(layers), dims=Dims(dims.config, {**dims.names, **own}), words=words)


def _width_of(layer: int) -> Callable[[Dims], Node]:
    return lambda dims: listed_number(dims.config, "intermediate_size", layer)


def _gemma4_parts(dims: Dims, kinds: list[str]) -> Iterable[Part]:
    """By sharing and by reach: layers that see all tokens have wider heads."""
    found: dict[tuple[bool, str, str], list[int]] = {}
    for index in dims.layers:
        kind = kinds[index] if index < len(kinds) else ""
        over = _override(dims.config, index)
        key = (index >= _first_shared(dims), kind, "" if over is None else str(over.values))
        found.setdefault(key, []).append(index)
    for (shared, kind, _), layers in found.items():
        yield _gemma4_part(dims, tuple(layers), shared, kind)


def _gemma4_part(dims: Dims, layers: tuple[int, ...], shared: bool, kind: str) -> Part:
    config = dims.config
    words = {"shared_cache"} if shared else set()
    if config.flag("attention_k_eq_v") and kind != SLIDING:
        words.add("value_is_key")
    own: Names = {}
    if kind == FULL and not config.value("per_layer_config"):
        own = {"head": _global_head}
        if config.flag("attention_k_eq_v") and config.whole("num_global_key_value_heads"):
            own = {**own, "kv_heads": "num_global_key_value_heads"}
    if shared and config.flag("use_double_wide_mlp"):
        own = {**own, "ffn": _doubled}
    over = _override(config, layers[0])
    return Part(
        layers=layers, dims=Dims(config, {**dims.names, **own}, over), words=frozenset(words)
    )


def _override(config: Config, layer: int) -> Config | None:
    listed = config.part("per_layer_config")
    return None if listed is None else listed.part(str(layer))


def _global_head(dims: Dims) -> Node:
    """512 where the file does not say (transformers 5.24, Gemma4TextConfig)."""
    told = dims.config.told("global_head_dim")
    return dims.config.number("global_head_dim") if told else fixed(512)


def _doubled(dims: Dims) -> Node:
    return 2 * dims.config.number("intermediate_size")


def _window(dims: Dims) -> Node:
    window = dims.config.number("sliding_window")
    both = dims.config.value("use_bidirectional_attention") == "all"
    return floor(window / 2) + 1 if both else window


def _gemma4_words(config: Config) -> Iterable[str]:
    if config.whole("hidden_size_per_layer_input"):
        yield "per_layer"


def _last_full(kinds: list[str]) -> list[str]:
    """The last layer always sees all tokens."""
    return [*kinds[:-1], FULL] if kinds else kinds


_LAYER_DIMS: Names = {
    "layer_vocabulary": "vocab_size_per_layer_input",
    "layer_width": "hidden_size_per_layer_input",
}

GEMMA4 = Decoder(
    outer=_OUTER,
    attention=_ATTENTION,
    layer=_GEMMA4_LAYER,
    words=(*BIAS, "experts=enable_moe_block"),
    dims={
        **_LAYER_DIMS,
        "experts": "num_experts",
        "expert_ffn": "moe_intermediate_size",
        "window": _window,
    },
    reach=every(6),
    settled=_last_full,
    parts=_gemma4_parts,
    more_words=_gemma4_words,
)

KINDS = {
    "gemma3n_text": Decoder(
        outer=_OUTER,
        attention=_ATTENTION,
        layer=_ALTERNATING,
        words=(*BIAS, "per_layer"),
        dims={**_LAYER_DIMS, "streams": "altup_num_inputs", "laurel": "laurel_rank"},
        reach=every(5),
        parts=_gemma3n_parts,
        further=_streams,
    ),
    "gemma4_text": GEMMA4,
    "gemma4_unified_text": replace(GEMMA4, words=BIAS),
}

MEMBER = family(
    "gemma3n",
    "Gemma 3n and 4, text",
    "transformers 5.24.0, modeling_gemma3n.py and modeling_gemma4.py; reference/estimators.md 2.2",
    KINDS,
)
