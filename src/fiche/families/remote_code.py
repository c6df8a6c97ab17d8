"""Decoders whose classes come with their files, not with the library: Qwen 1, ChatGLM, Baichuan, InternLM.

Their files state every key that shapes anything; a key that is missing is asked for, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, decoder
from fiche.families._dims import Dims
from fiche.families._heads import PLAIN_HEADS, all_heads
from fiche.families._kinds import LLAMA
from fiche.families._reach import all_full
from fiche.families._tables import ATTENTION, GATED, HEAD, NORMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_USUAL = ("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads")


def _half(dims: Dims) -> Node:
    """Qwen 1 states the width of both halves together."""
    return floor(dims.config.number("intermediate_size") / 2)


_QWEN_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.ln_f norm hidden
{HEAD}
"""

_QWEN_ATTENTION = """
attn.c_attn linear+ 3*query hidden
attn.c_proj linear+bias hidden query
"""

_QWEN_FEED_FORWARD = """
mlp.{w1,w2} linear+bias ffn hidden
mlp.c_proj linear+bias hidden ffn
"""

QWEN = Decoder(
    outer=_QWEN_OUTER,
    attention=_QWEN_ATTENTION,
    layer="ln_{1,2} norm hidden",
    dense=_QWEN_FEED_FORWARD,
    prefix="transformer.h.*.",
    words=("bias=!no_bias",),
    dims={"head": "kv_channels", "kv_heads": all_heads, "ffn": _half},
    reach=all_full,
    required=(*_USUAL, "kv_channels", "no_bias", "tie_word_embeddings"),
)

_GLM_OUTER = """
transformer.embedding.word_embeddings embedding vocabulary hidden
transformer.encoder.final_layernorm norm hidden
!tied transformer.output_layer head vocabulary hidden
"""

_GLM_ATTENTION = """
self_attention.query_key_value linear+qkv_bias query+2*kv hidden
self_attention.dense linear+bias hidden query
"""

_GLM_FEED_FORWARD = """
mlp.dense_h_to_4h linear+bias 2*ffn hidden
mlp.dense_4h_to_h linear+bias hidden ffn
"""


def _groups(dims: Dims) -> Node:
    if dims.config.flag("multi_query_attention"):
        return dims.config.number("multi_query_group_num")
    return dims["heads"]


def _chatglm(config: Config) -> Iterable[str]:
    if config.flag("add_qkv_bias") or config.flag("add_bias_linear"):
        yield "qkv_bias"


def _other_norms(config: Config) -> Iterable[str]:
    if config.flag("post_layer_norm") is False or config.flag("rmsnorm") is False:
        yield tell(
            "give the tensors: norms other than after the last layer, or not RMS, are not read here"
        )


CHATGLM = Decoder(
    outer=_GLM_OUTER,
    attention=_GLM_ATTENTION,
    layer="{input,post_attention}_layernorm norm hidden",
    dense=_GLM_FEED_FORWARD,
    prefix="transformer.encoder.layers.*.",
    words=("bias=add_bias_linear",),
    dims={
        "head": "kv_channels",
        "kv_heads": _groups,
        "ffn": "ffn_hidden_size",
        "vocabulary": "padded_vocab_size vocab_size",
    },
    reach=all_full,
    more_words=_chatglm,
    doubts=_other_norms,
    required=(
        "padded_vocab_size",
        "hidden_size",
        "ffn_hidden_size",
        "kv_channels",
        "num_attention_heads",
        "multi_query_attention",
        "add_qkv_bias",
        "add_bias_linear",
        "tie_word_embeddings",
    ),
)

_FIRST_OUTER = """
transformer.word_embeddings embedding vocabulary hidden
transformer.final_layernorm norm+ hidden
lm_head head vocabulary hidden
"""

_FIRST_ATTENTION = """
attention.query_key_value linear+ 3*hidden hidden
attention.dense linear+ hidden hidden
attention.rotary_emb.inv_freq =buffer angles
"""

_FIRST_FEED_FORWARD = """
mlp.dense_h_to_4h linear+ ffn hidden
mlp.dense_4h_to_h linear+ hidden ffn
"""


def _prefixed(config: Config) -> Iterable[str]:
    if config.whole("pre_seq_len"):
        yield tell("give the tensors: the learned prefix of pre_seq_len is not read here")


# ChatGLM-6B, the first: another structure under the same model type, its positions in two dimensions.
FIRST_CHATGLM = Decoder(
    outer=_FIRST_OUTER,
    attention=_FIRST_ATTENTION,
    layer="{input,post_attention}_layernorm norm+ hidden",
    dense=_FIRST_FEED_FORWARD,
    prefix="transformer.layers.*.",
    dims={
        **PLAIN_HEADS,
        "ffn": "inner_hidden_size",
        "positions": "max_sequence_length",
        "angles": lambda dims: floor(dims["head"] / 4),
    },
    reach=all_full,
    gated=False,
    doubts=_prefixed,
    required=("vocab_size", "hidden_size", "inner_hidden_size", "num_attention_heads"),
)

_PACKED = """
self_attn.W_pack linear 3*hidden hidden
self_attn.o_proj linear hidden hidden
"""

BAICHUAN = Decoder(
    outer=OUTER,
    attention=_PACKED,
    layer=NORMS,
    dense=GATED,
    dims=PLAIN_HEADS,
    reach=all_full,
    required=(*_USUAL, "tie_word_embeddings"),
)

_INTERNLM2_OUTER = """
model.tok_embeddings embedding vocabulary hidden
model.norm norm hidden
!tied output head vocabulary hidden
"""

_INTERNLM2_ATTENTION = """
attention.wqkv linear+bias query+2*kv hidden
attention.wo linear+bias hidden query
"""

_INTERNLM2_FEED_FORWARD = """
feed_forward.{w1,w3} linear ffn hidden
feed_forward.w2 linear hidden ffn
"""

KINDS = {
    "qwen": QWEN,
    "chatglm": CHATGLM,
    "baichuan": BAICHUAN,
    "internlm": replace(
        BAICHUAN,
        attention=ATTENTION,
        words=("qkv_bias=bias", "o_bias=bias"),
        required=(*_USUAL, "bias", "tie_word_embeddings"),
    ),
    "internlm2": replace(
        BAICHUAN,
        outer=_INTERNLM2_OUTER,
        attention=_INTERNLM2_ATTENTION,
        layer="{attention,ffn}_norm norm hidden",
        dense=_INTERNLM2_FEED_FORWARD,
        words=("bias=bias",),
        dims={"head": "hidden/heads"},
        required=(*_USUAL, "num_key_value_heads", "bias", "tie_word_embeddings"),
    ),
    "minicpm": replace(
        LLAMA,
        words=("qkv_bias=attention_bias", "o_bias=attention_bias"),
        dims={"head": "hidden/heads"},
        reach=all_full,
        required=(*_USUAL, "num_key_value_heads", "tie_word_embeddings"),
    ),
}

NAME = "remote_code"


def _build(config: Config, _: object) -> Model:
    first = config.model_type == "chatglm" and config.value("inner_hidden_size") is not None
    return decoder(NAME, FIRST_CHATGLM if first else KINDS[config.model_type], config)


MEMBER = Family(
    name=NAME,
    title="Qwen 1, ChatGLM, Baichuan, InternLM and MiniCPM, by the code beside their files",
    source="configuration and model code published with Qwen-7B, ChatGLM-6B, ChatGLM3-6B, Baichuan-7B,"
    " InternLM2, MiniCPM",
    model_types=tuple(KINDS),
    build=_build,
)
