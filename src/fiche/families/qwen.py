"""Qwen 2, 2.5 and 3, dense: biased queries, keys and values, or normalised heads."""

from __future__ import annotations

from fiche.families._decoder import family
from fiche.families._kinds import BIAS, LLAMA, UNBIASED
from fiche.families._reach import after_window_layers, unswitched
from fiche.families._tables import ATTENTION, HEAD_NORMS
from fiche.kernel.record import replace

QWEN2 = replace(UNBIASED, words=("qkv_bias",), reach=after_window_layers, doubts=unswitched)
QWEN3 = replace(
    LLAMA,
    attention=ATTENTION + HEAD_NORMS,
    words=BIAS,
    reach=after_window_layers,
    doubts=unswitched,
)

KINDS = {
    "qwen2": QWEN2,
    "qwen2_vl_text": QWEN2,
    "qwen2_5_vl_text": QWEN2,
    "qwen2_5_omni_text": QWEN2,
    "qwen3": QWEN3,
    "qwen3_vl_text": QWEN3,
}

MEMBER = family(
    "qwen",
    "Qwen 2, 2.5 and 3, dense",
    "transformers 5.24.0, modeling_qwen2.py and modeling_qwen3.py",
    KINDS,
)
