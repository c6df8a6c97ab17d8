"""Decoders with the layer of Llama whose code lies beside their files, some under other names.

Aquila, XVERSE, Skywork, Yi, Orion, StableLM Epoch, Solar Pro, TeleChat. A key that is missing is asked for:
no class known here has a default for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._heads import PLAIN_HEADS
from fiche.families._reach import all_full
from fiche.families._tables import ATTENTION, GATED, HEAD, NORMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_USUAL = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
    "tie_word_embeddings",
)
_GROUPED = {"head": "hidden/heads"}

LIKE_LLAMA = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=GATED,
    dims=_GROUPED,
    reach=all_full,
    required=(*_USUAL, "num_key_value_heads"),
)

_ALL_HEADS = replace(LIKE_LLAMA, dims=PLAIN_HEADS, required=_USUAL)


def _experts(config: Config) -> Iterable[str]:
    """XVERSE-MoE goes by the same type."""
    if config.value("num_experts", "num_local_experts", "moe_top_k") is not None:
        yield tell("give the tensors: experts of this model type are not read here")


_TELECHAT_OUTER = f"""
transformer.word_embeddings embedding vocabulary hidden
transformer.ln_f norm hidden
{HEAD}
"""

_TELECHAT_ATTENTION = """
self_attention.query linear query hidden
self_attention.key_value linear 2*kv hidden
self_attention.dense linear+ hidden query
"""

_TELECHAT_FEED_FORWARD = """
mlp.{gate,up}_proj linear ffn hidden
mlp.down_proj linear+ hidden ffn
"""

KINDS = {
    "aquila": LIKE_LLAMA,
    "xverse": replace(_ALL_HEADS, doubts=_experts),
    "skywork": LIKE_LLAMA,
    "Yi": replace(LIKE_LLAMA, layer="ln{1,2} norm hidden"),
    # Norms that subtract the mean, with biases.
    "orion": replace(LIKE_LLAMA, words=("norm_bias",)),
    "stablelm_epoch": replace(LIKE_LLAMA, words=("norm_bias", "qkv_bias=use_qkv_bias")),
    "telechat": replace(
        _ALL_HEADS,
        outer=_TELECHAT_OUTER,
        attention=_TELECHAT_ATTENTION,
        dense=_TELECHAT_FEED_FORWARD,
        prefix="transformer.h.*.",
        dims={**PLAIN_HEADS, "ffn": "ffn_hidden_size"},
        required=("vocab_size", "hidden_size", "ffn_hidden_size", "n_head", "tie_word_embeddings"),
    ),
}

MEMBER = family(
    "renamed_llama",
    "Decoders with the layer of Llama under other types",
    "vLLM's registry and model files (aquila, xverse, orion, telechat2); TensorRT-LLM's list for Skywork;"
    " Yi and StableLM Epoch by the counts published with them",
    KINDS,
)
