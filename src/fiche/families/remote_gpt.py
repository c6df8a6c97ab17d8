"""Decoders of GPT's kind from code beside their files: Jais, Phi 3 Small, Phi 2 and Falcon by first names.

A key that is missing is asked for, save where the code of all published files gives one answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Names
from fiche.families._heads import PLAIN_HEADS, all_heads
from fiche.families._reach import all_full
from fiche.families._rows import fixed
from fiche.families._tables import HEAD, NORMS
from fiche.families.bloom import KINDS as FALCON
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_JAIS_OUTER = f"""
transformer.wte embedding vocabulary hidden
?learned transformer.wpe position positions hidden
transformer.ln_f norm+ hidden
{HEAD}
"""

# Weights that multiply from the right: inputs first.
_JAIS_ATTENTION = """
attn.c_attn.weight =linear hidden 3*hidden
attn.c_attn.bias =bias 3*hidden
attn.c_proj.weight =linear hidden hidden
attn.c_proj.bias =bias hidden
"""

_JAIS_FEED_FORWARD = """
mlp.c_fc{,2}.weight =linear hidden ffn
mlp.c_fc{,2}.bias =bias ffn
mlp.c_proj.weight =linear ffn hidden
mlp.c_proj.bias =bias hidden
"""


def _learned(config: Config) -> Iterable[str]:
    if config.text("position_embedding_type") != "alibi":
        yield "learned"


def _ungated(config: Config) -> Iterable[str]:
    if config.text("activation_function") != "swiglu":
        yield tell("give the tensors: only the activation swiglu of Jais is read here")


# An inner width that is null is four times the hidden one.
_WIDE: Names = {"wide": "4*hidden", "ffn": lambda dims: _inner(dims)}


def _inner(dims: Dims) -> Node:
    config = dims.config
    told = config.told("n_inner") and config.value("n_inner") is not None
    return config.number("n_inner") if told else dims["wide"]


JAIS = Decoder(
    outer=_JAIS_OUTER,
    attention=_JAIS_ATTENTION,
    layer="ln_{1,2} norm+ hidden",
    dense=_JAIS_FEED_FORWARD,
    prefix="transformer.h.*.",
    dims={**PLAIN_HEADS, **_WIDE},
    reach=all_full,
    more_words=_learned,
    doubts=_ungated,
    required=(
        *("vocab_size", "n_embd|hidden_size", "n_head|num_attention_heads", "n_inner"),
        *("position_embedding_type", "activation_function", "tie_word_embeddings"),
    ),
)

_PHI_OUTER = """
transformer.embd.wte embedding vocabulary hidden
lm_head.ln norm+ hidden
lm_head.linear head+ vocabulary hidden
"""

_PHI_ATTENTION = """
mixer.Wqkv linear+ query+2*kv hidden
mixer.out_proj linear+ hidden hidden
"""


def _phi_heads(dims: Dims) -> Node:
    config = dims.config
    if config.value("n_head_kv") is None:
        return all_heads(dims)
    return config.number("n_head_kv")


def _phixtral(config: Config) -> Iterable[str]:
    if config.value("num_local_experts") is not None:
        yield tell("give the tensors: experts beside the code of Phi 2 are not read here")


_SMALL_OUTER = f"""
model.embed_tokens embedding vocabulary hidden
model.final_layernorm norm+ hidden
{HEAD}
"""

_SMALL_ATTENTION = """
self_attn.query_key_value linear+ query+2*kv hidden
self_attn.dense linear+ hidden hidden
"""

_SMALL_FEED_FORWARD = """
mlp.up_proj linear+ 2*ffn hidden
mlp.down_proj linear+ hidden ffn
"""


def _refined_heads(dims: Dims) -> Node:
    """The larger model names its heads of keys and values, the smaller has one for all."""
    config = dims.config
    if config.value("n_head_kv", "num_kv_heads") is not None:
        return config.number("n_head_kv", "num_kv_heads")
    return fixed(1) if config.flag("multi_query") else all_heads(dims)


def _refined_norms(config: Config) -> Iterable[str]:
    """Both models run attention and feed-forward side by side; the larger norms each apart."""
    larger = config.model_type == "RefinedWeb"
    if larger or config.flag("parallel_attn"):
        yield "parallel"
    if larger:
        yield "two_norms"


_REFINED = replace(
    FALCON["falcon"],
    dims={**FALCON["falcon"].dims, "kv_heads": _refined_heads, "ffn": "4*hidden"},
    more_words=_refined_norms,
    # The head is the embedding unless a file says otherwise: no published one does.
    words=("bias=bias", "tied"),
    required=("vocab_size", "hidden_size", "n_head", "bias"),
)

KINDS = {
    "jais": JAIS,
    "phi-msft": replace(
        JAIS,
        outer=_PHI_OUTER,
        attention=_PHI_ATTENTION,
        layer="ln norm+ hidden",
        dense="mlp.fc1 linear+ ffn hidden\nmlp.fc2 linear+ hidden ffn",
        dims={"head": "hidden/heads", "kv_heads": _phi_heads, **_WIDE},
        more_words=None,
        gated=False,
        doubts=_phixtral,
        required=("vocab_size", "n_embd", "n_head", "n_inner"),
    ),
    "phi3small": Decoder(
        outer=_SMALL_OUTER,
        attention=_SMALL_ATTENTION,
        layer=NORMS,
        dense=_SMALL_FEED_FORWARD,
        words=("norm_bias", "tied"),
        dims={"head": "hidden/heads", "ffn": "ff_intermediate_size intermediate_size"},
        reach=all_full,
        required=(
            *("vocab_size", "hidden_size", "ff_intermediate_size|intermediate_size"),
            *("num_attention_heads", "num_key_value_heads"),
        ),
    ),
    "RefinedWeb": replace(_REFINED, required=(*_REFINED.required, "n_head_kv|num_kv_heads")),
    "RefinedWebModel": replace(_REFINED, required=(*_REFINED.required, "multi_query")),
}

MEMBER = family(
    "remote_gpt",
    "Jais, Phi 1 and 2 at first, Phi 3 Small, Falcon at first",
    "vLLM's model files jais and phi3_small; configurations published with phi-2, falcon-7b and falcon-40b",
    KINDS,
)
