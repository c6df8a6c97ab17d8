"""OLMo 1 to 3: norms without weights at first, then norms after each block."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._kinds import BIAS
from fiche.families._reach import every
from fiche.families._tables import ATTENTION, GATED, HEAD, OUTER, WIDE_NORMS
from fiche.kernel.record import replace

OLMO2 = Decoder(
    outer=OUTER,
    attention=ATTENTION + WIDE_NORMS,
    layer="post_{attention,feedforward}_layernorm norm hidden",
    dense=GATED,
    words=BIAS,
)

KINDS = {
    "olmo": replace(
        OLMO2,
        outer=f"model.embed_tokens embedding vocabulary hidden\n{HEAD}",
        attention=ATTENTION,
        layer="",
    ),
    "olmo2": OLMO2,
    "olmo3": replace(OLMO2, reach=every(4)),
}

MEMBER = family(
    "olmo",
    "OLMo 1, 2 and 3",
    "transformers 5.24.0, modeling_olmo.py, modeling_olmo2.py, modeling_olmo3.py",
    KINDS,
)
