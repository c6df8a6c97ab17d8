"""LongCat Flash: two attentions and two dense feed-forwards a layer, and experts beside them."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._decoder import Decoder, decoder
from fiche.families._experts import EXPERT_DIMS
from fiche.families._kinds import ranked
from fiche.families._reach import all_full
from fiche.families._rows import Place, rows
from fiche.families._tables import LATENT, LATENT_DIMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Block, LatentCache, Model, Parameters
from fiche.kernel.record import replace

# Everything in a layer but its experts stands there twice.
_TWICE = f"""
{LATENT.replace("self_attn.", "self_attn.*.")}
{{input,post_attention}}_layernorm.* norm hidden
mlps.*.{{gate,up}}_proj linear ffn hidden
mlps.*.down_proj linear hidden ffn
"""

# Experts that only pass a token on have a place in the router, and no weights in a checkpoint (the
# library's own tensor keeps room for them).
_EXPERTS = """
mlp.experts.gate_up_proj =expert experts 2*expert_ffn hidden
mlp.experts.down_proj =expert experts hidden expert_ffn
mlp.router.classifier router+router_bias experts+idle hidden
mlp.router.e_score_correction_bias =buffer experts+idle
"""


def _twice(place: Place) -> tuple[Parameters, ...]:
    return rows(_TWICE, place.times(2))


LONGCAT = Decoder(
    outer=OUTER,
    attention="",
    layer="",
    sparse=_EXPERTS,
    words=("qkv_bias=attention_bias", "o_bias=attention_bias", "router_bias=router_bias"),
    dims={
        **LATENT_DIMS,
        **EXPERT_DIMS,
        "experts": "n_routed_experts",
        "experts_used": "moe_topk num_experts_per_tok",
        "expert_ffn": "expert_ffn_hidden_size",
        "ffn": "ffn_hidden_size",
        "idle": "zero_expert_num",
    },
    reach=all_full,
    more_words=ranked,
    further=_twice,
    latent=True,
)


def _build(config: Config, _: Callable[[Config], Model]) -> Model:
    """Two caches a layer: their indices are 2 x layer and 2 x layer + 1."""
    model = decoder("longcat", LONGCAT, config)
    return replace(
        model,
        caches=tuple(
            replace(cache, layers=tuple(range(2 * len(cache.layers))), count=2 * cache.count)
            for cache in model.caches
            if isinstance(cache, LatentCache)
        ),
        blocks=tuple(_with_dense(block, model) for block in model.blocks),
    )


def _with_dense(block: Block, model: Model) -> Block:
    config = model.config
    assert config is not None
    return replace(block, shared_inner=2 * config.number("ffn_hidden_size"))


MEMBER = Family(
    name="longcat",
    title="LongCat Flash",
    source="transformers 5.24.0, modeling_longcat_flash.py",
    model_types=("longcat_flash",),
    build=_build,
)
