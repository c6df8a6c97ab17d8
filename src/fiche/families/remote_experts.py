"""Decoders with experts whose code lies beside their files: DeepSeek's first, Ling, Arctic, Grok 1, Step 3.

Each expert is a tensor of its own in these files, save in Step 3. A key that is missing is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._experts import DENSE, SHARED_DIMS, SPARSE
from fiche.families._reach import all_full
from fiche.families._rows import fixed
from fiche.families._tables import ATTENTION, GATED, HEAD, NORMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_USUAL = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
    *("num_key_value_heads", "tie_word_embeddings"),
)

_EXPERTS = """
mlp.gate router experts hidden
mlp.experts.*.{gate,up}_proj expert+mlp_bias@experts expert_ffn hidden
mlp.experts.*.down_proj expert+mlp_bias@experts hidden expert_ffn
?shared mlp.shared_experts.{gate,up}_proj linear+mlp_bias shared_ffn hidden
?shared mlp.shared_experts.down_proj linear+mlp_bias hidden shared_ffn
"""


def _deepseek_layers(config: Config, layers: int) -> list[str]:
    """Experts from a first layer on, in each layer that a step divides."""
    step = max(config.whole("moe_layer_freq") or 1, 1)
    first = config.whole("first_k_dense_replace") or 0
    none = config.value("n_routed_experts") is None
    return [DENSE if none or index < first or index % step else SPARSE for index in range(layers)]


def _shared(config: Config) -> Iterable[str]:
    if config.whole("n_shared_experts", "num_shared_experts"):
        yield "shared"


DEEPSEEK = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=GATED,
    sparse=_EXPERTS,
    words=("qkv_bias=attention_bias", "o_bias=attention_bias"),
    dims={**SHARED_DIMS, "head": "hidden/heads"},
    reach=all_full,
    mlp=_deepseek_layers,
    more_words=_shared,
    required=(
        *_USUAL,
        *("n_routed_experts", "n_shared_experts", "num_experts_per_tok"),
        *("moe_intermediate_size", "first_k_dense_replace", "moe_layer_freq"),
    ),
)

_LING_OUTER = f"""
model.word_embeddings embedding vocabulary hidden
model.norm norm hidden
{HEAD}
"""

_LING_ATTENTION = """
attention.query_key_value linear+qkv_bias query+2*kv hidden
attention.dense linear+bias hidden query
"""


def _ling(config: Config) -> Iterable[str]:
    yield from _shared(config)
    if config.flag("use_bias") or config.flag("use_qkv_bias"):
        yield "qkv_bias"


def _later_ling(config: Config) -> Iterable[str]:
    """Ling 2 goes by another type, with norms of heads and a first dense layer."""
    for key in ("use_qk_norm", "first_k_dense_replace", "group_norm_size"):
        if config.value(key):
            yield tell("give the tensors: {key} is not read here", key=key)


# A dense feed-forward as wide as the model runs beside the experts of a layer.
_ARCTIC_DENSE = """
block_sparse_moe.mlp.w{1,3} linear ffn hidden
block_sparse_moe.mlp.w2 linear hidden ffn
"""

_ARCTIC_SPARSE = """
block_sparse_moe.gate router experts hidden
block_sparse_moe.experts.*.w{1,3} expert@experts expert_ffn hidden
block_sparse_moe.experts.*.w2 expert@experts hidden expert_ffn
?residual residual_layernorm norm hidden
?residual residual_mlp.w{1,2,3} linear hidden hidden
"""


def _arctic_layers(config: Config, layers: int) -> list[str]:
    step = max(config.whole("moe_layer_frequency") or 1, 1)
    return [DENSE if (index + 1) % step else SPARSE for index in range(layers)]


_GROK_EXPERTS = """
moe_block.gate router experts hidden
moe_block.experts.*.linear{,_v} expert@experts expert_ffn hidden
moe_block.experts.*.linear_1 expert@experts hidden expert_ffn
"""

_STEP_ATTENTION = """
self_attn.q_proj linear shared_query hidden
self_attn.{k,v}_proj linear head hidden
self_attn.inter_norm norm shared_query
self_attn.wq linear query shared_query
self_attn.o_proj linear hidden query
"""

_STEP_EXPERTS = """
moe.gate router experts hidden
moe.{gate,up}_proj.weight =expert experts expert_ffn hidden
moe.down_proj.weight =expert experts hidden expert_ffn
share_expert.{gate,up}_proj linear shared_ffn hidden
share_expert.down_proj linear hidden shared_ffn
"""


def _step_layers(config: Config, layers: int) -> list[str]:
    """As listed in a text of numbers, else in all layers but the first."""
    named = config.text("moe_layers_enum").split(",")
    chosen = {int(each) for each in named if each.strip().isdigit()} or set(range(1, layers))
    return [SPARSE if index in chosen else DENSE for index in range(layers)]


_EXPERTS_OF = {"experts": "num_local_experts num_experts", "expert_ffn": "intermediate_size"}

KINDS = {
    "deepseek": DEEPSEEK,
    "bailing_moe": replace(
        DEEPSEEK,
        outer=_LING_OUTER,
        attention=_LING_ATTENTION,
        dense="",
        words=("bias=use_bias", "mlp_bias=use_bias"),
        dims={**SHARED_DIMS, "head": "head_dim ?hidden/heads"},
        mlp=None,
        more_words=_ling,
        doubts=_later_ling,
        required=(
            *_USUAL,
            *("num_experts", "num_shared_experts", "num_experts_per_tok"),
            *("moe_intermediate_size", "use_bias", "use_qkv_bias"),
        ),
    ),
    "arctic": replace(
        DEEPSEEK,
        dense=_ARCTIC_DENSE,
        sparse=_ARCTIC_SPARSE,
        words=("residual=use_residual",),
        dims={**SHARED_DIMS, **_EXPERTS_OF, "head": "hidden/heads", "shared_ffn": "hidden_size"},
        mlp=_arctic_layers,
        more_words=None,
        required=(
            *_USUAL,
            *("num_local_experts", "num_experts_per_tok", "moe_layer_frequency", "use_residual"),
        ),
    ),
    "grok-1": replace(
        DEEPSEEK,
        attention=ATTENTION.replace("self_attn", "attn"),
        layer="{pre,post}_{attn,moe}_norm norm hidden",
        dense="",
        sparse=_GROK_EXPERTS,
        words=(),
        dims={
            **SHARED_DIMS,
            **_EXPERTS_OF,
            "experts": "num_experts",
            "head": "hidden/heads",
            "shared_ffn": lambda dims: fixed(0),
        },
        mlp=None,
        more_words=None,
        required=(*_USUAL, "num_experts", "num_experts_per_tok"),
    ),
    "step3_text": replace(
        DEEPSEEK,
        attention=_STEP_ATTENTION,
        sparse=_STEP_EXPERTS,
        words=(),
        dims={
            **SHARED_DIMS,
            "experts": "moe_num_experts",
            "experts_used": "moe_top_k",
            "kv_heads": lambda dims: fixed(1),
            "shared_query": "share_q_dim",
            "shared_ffn": "share_expert_dim",
        },
        mlp=_step_layers,
        more_words=None,
        required=(
            *("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
            *("head_dim", "share_q_dim", "share_expert_dim", "moe_num_experts", "moe_top_k"),
            *("moe_intermediate_size",),
        ),
    ),
}

MEMBER = family(
    "remote_experts",
    "DeepSeek's first experts, Ling, Arctic, Grok 1, Step 3",
    "vLLM's model files: deepseek, bailing_moe, arctic, grok1, step3_text",
    KINDS,
)
