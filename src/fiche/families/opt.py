"""OPT, XGLM and BioGPT: decoders with the layers of BART."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._heads import PLAIN_HEADS, crossed
from fiche.families._tables import HEAD
from fiche.kernel.config import Config
from fiche.kernel.record import replace

_ATTENTION = """
self_attn.{q,k,v,out}_proj linear+bias hidden hidden
"""

_LAYER = """
?norm_weights self_attn_layer_norm norm+ hidden
?norm_weights final_layer_norm norm+ hidden
"""

_FEED_FORWARD = """
fc1 linear+bias ffn hidden
fc2 linear+bias hidden ffn
"""

# Positions begin at the second row of their table.
_OPT_OUTER = """
model.decoder.embed_tokens embedding vocabulary embedded
model.decoder.embed_positions position positions+2 hidden
?projected model.decoder.project_in linear hidden embedded
?projected model.decoder.project_out linear embedded hidden
?norm_weights ?last_norm model.decoder.final_layer_norm norm+ hidden
!tied lm_head head vocabulary embedded
"""


def _opt(config: Config) -> Iterable[str]:
    if config.flag("do_layer_norm_before") and not config.flag("_remove_final_layer_norm"):
        yield "last_norm"
    inside = config.whole("word_embed_proj_dim")
    if inside is not None and inside != config.whole("hidden_size"):
        yield "projected"


OPT = Decoder(
    outer=_OPT_OUTER,
    attention=_ATTENTION,
    layer=_LAYER,
    dense=_FEED_FORWARD,
    prefix="model.decoder.layers.*.",
    words=("bias=enable_bias", "norm_weights=layer_norm_elementwise_affine"),
    dims={**PLAIN_HEADS, "ffn": "ffn_dim", "embedded": "word_embed_proj_dim ?hidden"},
    gated=False,
    more_words=_opt,
)

_XGLM_OUTER = f"""
model.embed_tokens embedding vocabulary hidden
model.layer_norm norm+ hidden
{HEAD}
"""

_BIOGPT_OUTER = """
biogpt.embed_tokens embedding vocabulary hidden
biogpt.embed_positions position positions+2 hidden
biogpt.layer_norm norm+ hidden
!tied output_projection head vocabulary hidden
"""

KINDS = {
    "opt": OPT,
    "xglm": replace(
        OPT,
        outer=_XGLM_OUTER,
        prefix="model.layers.*.",
        words=("bias", "norm_weights"),
        dims={**PLAIN_HEADS, "ffn": "ffn_dim", "heads": "attention_heads num_attention_heads"},
        more_words=None,
        doubts=crossed,
    ),
    "biogpt": replace(
        OPT,
        outer=_BIOGPT_OUTER,
        prefix="biogpt.layers.*.",
        words=("bias", "norm_weights"),
        dims=PLAIN_HEADS,
        more_words=None,
    ),
}

MEMBER = family(
    "opt",
    "OPT, XGLM and BioGPT",
    "transformers 5.24.0, modeling_opt.py, modeling_xglm.py, modeling_biogpt.py",
    KINDS,
)
