"""Blocks that predict further tokens: stored beside DeepSeek and GLM models, left out by the library's class.

A block holds a whole layer and its own embedding and head, under the index after the last layer (weights
published with DeepSeek-V3: 684.49 billion parameters, of which 671.03 are the model).
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._dims import Dims
from fiche.families._rows import Place, rows
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_BLOCK = """
embed_tokens embedding vocabulary hidden
{e,h}norm norm hidden
eh_proj linear hidden 2*hidden
shared_head.norm norm hidden
shared_head.head head vocabulary hidden
"""


def predictions(dims: Dims, layer: str, prefix: str, words: frozenset[str]) -> Iterable[Parameters]:
    """The blocks that the file itself says it stores; `layer` is the table of one layer."""
    config = dims.config
    key = next((k for k in ("num_nextn_predict_layers", "num_mtp_layers") if config.told(k)), "")
    blocks = config.whole(key) if key else None
    if not blocks:
        return ()
    first = len(dims.layers)
    layers = tuple(range(first, first + min(blocks, first)))
    place = Place(dims=dims, words=words | {"indexer"}, part="prediction")
    found = rows(_BLOCK + layer, place.over(prefix, layers, config.number(key)))
    return tuple(replace(each, loaded=False) for each in found)
