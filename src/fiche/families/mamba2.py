"""Mamba of the second generation: every layer a state space by heads, no attention."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._state import MAMBA2, mamba2_dims, state_block, state_cache, words_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model

_NAMES = {
    "heads": "num_heads",
    "width": "head_dim",
    "groups": "n_groups",
    "state": "state_size",
    "kernel": "conv_kernel",
    "expand": "expand",
}


@needing("mamba2", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    words = words_of(config, proj_bias="use_bias", out_bias="use_bias", conv_bias="use_conv_bias")
    place = Place(dims=mamba2_dims(config, _NAMES)).where(
        "gated_norm", *words, vocabulary=config.number("vocab_size")
    )
    depth = config.whole("num_hidden_layers") or 0
    layer = place.over("backbone.layers.*.", range(depth), config.number("num_hidden_layers"))
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows("backbone.embeddings embedding vocabulary hidden", place),
            *rows("norm norm hidden", layer),
            *rows(MAMBA2, layer.at("mixer.")),
            *rows("backbone.norm_f norm hidden", place),
            *head_of(tied, place),
        ),
        caches=(state_cache(layer, "mamba2"),),
        blocks=(state_block(layer, "mamba2"),),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="mamba2",
    title="Mamba 2",
    source="transformers 5.24 models/mamba2; estimators.md 2.2",
    model_types=("mamba2",),
    build=_build,
)
