"""Granite with experts: IBM's names for the same parts."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS
from fiche.families._kinds import BIAS
from fiche.families._reach import first_of
from fiche.families._tables import ATTENTION, NORMS, OUTER, SINKS
from fiche.kernel.config import Config
from fiche.kernel.record import replace

_EXPERTS = """
block_sparse_moe.experts.gate_up_proj =expert experts 2*expert_ffn hidden
block_sparse_moe.experts.down_proj =expert experts hidden expert_ffn
block_sparse_moe.router router experts hidden
"""

_SHARED = """
?shared shared_mlp.input_linear linear 2*shared_ffn hidden
?shared shared_mlp.output_linear linear hidden shared_ffn
"""


def _shares(config: Config) -> Iterable[str]:
    if config.whole("shared_intermediate_size"):
        yield "shared"


GRANITE_MOE = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    sparse=_EXPERTS,
    words=BIAS,
    dims={**EXPERT_DIMS, "expert_ffn": "intermediate_size"},
)

_SHARED_KIND = replace(
    GRANITE_MOE,
    sparse=_EXPERTS + _SHARED,
    dims={**GRANITE_MOE.dims, "shared_ffn": "shared_intermediate_size"},
    more_words=_shares,
)

KINDS = {
    "granitemoe": GRANITE_MOE,
    "granitemoeshared": _SHARED_KIND,
    "granitemoe_swa": replace(
        _SHARED_KIND,
        attention=ATTENTION + SINKS,
        reach=first_of(4),
    ),
}

MEMBER = family(
    "granite_moe",
    "Granite with experts",
    "transformers 5.24.0, modeling_granitemoe.py, modeling_granitemoeshared.py",
    KINDS,
)
