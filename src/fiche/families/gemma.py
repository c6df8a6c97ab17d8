"""Gemma 1 to 3, text: wide heads, and from the second on norms before and after each block."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._kinds import BIAS
from fiche.families._reach import every
from fiche.families._tables import ATTENTION, FOUR_NORMS, GATED, HEAD_NORMS, NORMS, OUTER
from fiche.kernel.figure import Node, floor
from fiche.kernel.record import replace

GEMMA = Decoder(outer=OUTER, attention=ATTENTION, layer=NORMS, dense=GATED, words=BIAS)
GEMMA2 = replace(GEMMA, layer=FOUR_NORMS, reach=every(2))


def _window(dims: Dims) -> Node:
    """Half the window on each side where tokens see both (transformers 5.24, Gemma3TextConfig)."""
    window = dims.config.number("sliding_window")
    both = dims.config.flag("use_bidirectional_attention") is True
    return floor(window / 2) + 1 if both else window


KINDS = {
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3_text": replace(
        GEMMA2,
        attention=ATTENTION + HEAD_NORMS,
        reach=every(6, "sliding_window_pattern"),
        dims={"window": _window},
    ),
    "vaultgemma": replace(GEMMA2, layer="{input,pre_feedforward}_layernorm norm hidden"),
}

MEMBER = family(
    "gemma",
    "Gemma 1, 2 and 3, text",
    "transformers 5.24.0, modeling_gemma.py, modeling_gemma2.py, modeling_gemma3.py",
    KINDS,
)
