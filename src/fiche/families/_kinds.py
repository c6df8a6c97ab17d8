"""Structures that several families start from."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder
from fiche.families._tables import ATTENTION, GATED, NORMS, OUTER
from fiche.kernel.config import Config
from fiche.kernel.record import replace

BIAS = ("qkv_bias=attention_bias", "o_bias=attention_bias")

LLAMA = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=GATED,
    words=(*BIAS, "mlp_bias=mlp_bias"),
)

UNBIASED = replace(LLAMA, words=())


def ranked(config: Config) -> Iterable[str]:
    """Queries are compressed where their rank is set."""
    if config.whole("q_lora_rank") is not None:
        yield "query_rank"
