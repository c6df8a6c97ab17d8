"""Rules for widths of attention that no single key states."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._dims import Dims, Names
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.said import tell


def all_heads(dims: Dims) -> Node:
    """Keys and values for each query head."""
    return dims["heads"]


# Attention as wide as the model, and a feed-forward four times as wide where no key says otherwise.
PLAIN_HEADS: Names = {"head": "hidden/heads", "kv_heads": all_heads}
FOUR_TIMES: Names = {**PLAIN_HEADS, "ffn": "n_inner ?wide", "wide": "4*hidden"}


def crossed(config: Config) -> Iterable[str]:
    """A doubt where the decoder is made to look at an encoder."""
    if config.flag("add_cross_attention"):
        yield tell("say what its cross-attention keeps: add_cross_attention is not read here")
