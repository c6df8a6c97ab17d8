"""Cohere Command: attention and feed-forward side by side after one norm."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import SHARED_DIMS, after_first, shares
from fiche.families._kinds import BIAS
from fiche.families._reach import by_window, every
from fiche.families._tables import ATTENTION, EXPERTS, GATED, OUTER, SHARED
from fiche.kernel.config import Config
from fiche.kernel.record import replace

COHERE2 = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer="input_layernorm norm hidden",
    dense=GATED,
    words=BIAS,
    dims={"head": "hidden/heads"},
    reach=every(4, "sliding_window_pattern"),
)

_NORMS_BY_HEAD = """
?qk_norm self_attn.q_norm norm heads head
?qk_norm self_attn.k_norm norm kv_heads head
"""


def _after_prefix(config: Config, layers: int) -> list[str]:
    """The dense layers first have a period of their own, the others count anew."""
    dense = config.whole("first_k_dense_replace") or 0
    first = every(1, "prefix_dense_sliding_window_pattern")(config, dense)
    return [*first, *every(4, "sliding_window_pattern")(config, layers - dense)]


KINDS = {
    "cohere": replace(
        COHERE2,
        attention=ATTENTION + _NORMS_BY_HEAD,
        words=(*BIAS, "qk_norm=use_qk_norm"),
        dims={},
        reach=by_window,
    ),
    "cohere2": COHERE2,
    "cohere2_moe": replace(
        COHERE2,
        sparse=EXPERTS + SHARED.replace("mlp.shared", "?shared mlp.shared"),
        dims={
            **SHARED_DIMS,
            "expert_ffn": "intermediate_size",
            "ffn": "prefix_dense_intermediate_size ?expert_ffn",
        },
        reach=_after_prefix,
        mlp=after_first("first_k_dense_replace"),
        more_words=shares,
    ),
}

MEMBER = family(
    "cohere",
    "Cohere Command",
    "transformers 5.24.0, modeling_cohere.py and modeling_cohere2.py",
    KINDS,
)
