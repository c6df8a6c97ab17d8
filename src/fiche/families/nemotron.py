"""Decoders with a plain feed-forward: Nemotron, StarCoder 2, Apertus, NanoChat; and others of one kind."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._kinds import BIAS
from fiche.families._reach import every
from fiche.families._tables import ATTENTION, GATED, HEAD, HEAD_NORMS, NORMS, OUTER, UP_DOWN
from fiche.kernel.config import Config
from fiche.kernel.record import replace

NEMOTRON = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=UP_DOWN,
    words=(*BIAS, "mlp_bias=mlp_bias", "norm_bias"),
    gated=False,
)

# The activation itself learns two numbers a layer, and keeps two constants beside them.
_XIELU = """
?xielu mlp.act_fn.alpha_{p,n} =norm 1
?xielu mlp.act_fn.{beta,eps} =buffer
"""


def _apertus(config: Config) -> Iterable[str]:
    if config.text("hidden_act") == "xielu":
        yield "xielu"


APERTUS = replace(
    NEMOTRON,
    attention=ATTENTION + HEAD_NORMS,
    layer="{attention,feedforward}_layernorm norm hidden",
    dense=UP_DOWN + _XIELU,
    words=BIAS,
    more_words=_apertus,
)

_BITNET = f"""
{GATED}
mlp.ffn_sub_norm norm ffn
"""

_BARE = f"""
model.embed_tokens embedding vocabulary hidden
{HEAD}
"""

KINDS = {
    "nemotron": NEMOTRON,
    "starcoder2": replace(
        NEMOTRON,
        dense=UP_DOWN.replace("up_proj", "c_fc").replace("down_proj", "c_proj"),
        words=("qkv_bias=use_bias", "o_bias=use_bias", "mlp_bias=use_bias", "norm_bias"),
    ),
    "apertus": APERTUS,
    "apertus1p5_text": APERTUS,
    "nanochat": replace(
        NEMOTRON,
        outer=_BARE,
        layer="",
        dense=UP_DOWN.replace("up_proj", "fc1").replace("down_proj", "fc2"),
        words=BIAS,
    ),
    "bitnet": replace(
        NEMOTRON,
        attention=ATTENTION + "self_attn.attn_sub_norm norm hidden",
        dense=_BITNET,
        words=BIAS,
        gated=True,
    ),
    "exaone4": replace(
        NEMOTRON,
        attention=ATTENTION + HEAD_NORMS,
        layer="post_{attention,feedforward}_layernorm norm hidden",
        dense=GATED,
        words=(),
        reach=every(4, "sliding_window_pattern"),
        gated=True,
    ),
}

MEMBER = family(
    "nemotron",
    "Nemotron, StarCoder 2, Apertus, NanoChat, BitNet, EXAONE 4",
    "transformers 5.24.0, modeling_nemotron.py, modeling_starcoder2.py, modeling_apertus.py, ...",
    KINDS,
)
