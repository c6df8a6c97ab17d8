"""Hunyuan with experts: each layer may have its own number that see a token."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS
from fiche.families._kinds import BIAS
from fiche.families._tables import ATTENTION, EXPERTS, NORMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.said import tell

_EXPERTS = f"""
{EXPERTS.replace("mlp.gate router", "mlp.gate.wg router")}
mlp.shared_mlp.{{gate,up}}_proj linear expert_ffn hidden
mlp.shared_mlp.down_proj linear hidden expert_ffn
"""


def _by_layer(config: Config) -> Iterable[str]:
    for key in ("num_experts", "moe_intermediate_size", "num_shared_expert"):
        if isinstance(config.value(key), list) and len(set(map(str, config.listed(key) or ()))) > 1:
            yield tell("say what each layer's experts hold: {key} differs by layer", key=key)


KINDS = {
    "hunyuan_v1_moe": Decoder(
        outer=OUTER,
        attention=ATTENTION + "self_attn.{query,key}_layernorm norm head",
        layer=NORMS,
        sparse=_EXPERTS,
        words=BIAS,
        dims={
            **EXPERT_DIMS,
            "expert_ffn": "intermediate_size",
            "experts_used": "moe_topk num_experts_per_tok",
            "shared_ffn": "intermediate_size",
        },
        doubts=_by_layer,
    ),
}

MEMBER = family(
    "hunyuan",
    "Hunyuan with experts",
    "transformers 5.24.0, modeling_hunyuan_v1_moe.py",
    KINDS,
)
