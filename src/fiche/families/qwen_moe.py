"""Qwen 2 and 3 with experts, and what is built like them."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS, by_step, first_dense
from fiche.families._kinds import BIAS
from fiche.families._reach import (
    all_full,
    alternating_below,
    by_window,
    every,
    global_also_at,
    switched,
    unswitched,
)
from fiche.families._tables import (
    ATTENTION,
    CORRECTION,
    EXPERTS,
    GATED,
    HEAD_NORMS,
    NORMS,
    OUTER,
    SHARED,
    SINKS,
)
from fiche.kernel.config import Config
from fiche.kernel.record import replace

QWEN3_MOE = Decoder(
    outer=OUTER,
    attention=ATTENTION + HEAD_NORMS,
    layer=NORMS,
    dense=GATED,
    sparse=EXPERTS,
    words=BIAS,
    dims=EXPERT_DIMS,
    mlp=by_step,
    reach=switched,
    doubts=unswitched,
)

_SHARED = """
mlp.shared_expert.{gate,up}_proj linear shared_ffn hidden
mlp.shared_expert.down_proj linear hidden shared_ffn
?shared_gate mlp.shared_expert_gate linear 1 hidden
"""

_SHARED_DIMS = {**EXPERT_DIMS, "shared_ffn": "shared_expert_intermediate_size"}


def _flint(config: Config, layers: int) -> list[str]:
    """Dense in the first two layers where no list says which."""
    if config.value("mlp_only_layers") is None:
        return first_dense(2)(config, layers)
    return by_step(config, layers)


KINDS = {
    "qwen2_moe": replace(
        QWEN3_MOE,
        attention=ATTENTION,
        sparse=EXPERTS + _SHARED,
        words=("qkv_bias=qkv_bias", "shared_gate"),
        dims=_SHARED_DIMS,
        reach=alternating_below,
    ),
    "qwen3_moe": QWEN3_MOE,
    "qwen3_vl_moe_text": replace(QWEN3_MOE, reach=all_full, doubts=None),
    "qwen3_omni_moe_text": replace(QWEN3_MOE, reach=by_window, doubts=None),
    "flint": replace(
        QWEN3_MOE,
        attention=ATTENTION + HEAD_NORMS + SINKS,
        sparse=EXPERTS + _SHARED,
        dims=_SHARED_DIMS,
        reach=global_also_at(0, 1, period=4, offset=1, last=True),
        mlp=_flint,
        doubts=None,
    ),
    "kolibri1": replace(
        QWEN3_MOE,
        layer=NORMS + "post_{self_attn,mlp}_layernorm norm hidden",
        sparse=EXPERTS + CORRECTION + SHARED,
        words=(),
        dims=_SHARED_DIMS,
        reach=every(5),
        mlp=None,
        doubts=None,
    ),
    "mellum": replace(QWEN3_MOE, reach=all_full, mlp=None, doubts=None),
}

MEMBER = family(
    "qwen_moe",
    "Qwen 2 and 3 with experts",
    "transformers 5.24.0, modeling_qwen2_moe.py and modeling_qwen3_moe.py",
    KINDS,
)
