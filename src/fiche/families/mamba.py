"""Mamba of the first generation: every layer a selective state space, no attention."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._state import MAMBA, mamba_dims, state_block, state_cache, words_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model

_NAMES = {
    "expand": "expand",
    "state": "state_size",
    "kernel": "conv_kernel",
    "rank": "time_step_rank",
}


@needing("mamba", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    dims = mamba_dims(config, _NAMES)
    words = words_of(config, proj_bias="use_bias", conv_bias="use_conv_bias")
    place = Place(dims=dims).where(
        *words,
        vocabulary=config.number("vocab_size"),
        channels=dims["inner"],
        state_values=dims["inner"] * dims["state"],
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
            *rows(MAMBA, layer.at("mixer.")),
            *rows("backbone.norm_f norm hidden", place),
            *head_of(tied, place),
        ),
        caches=(state_cache(layer, "mamba"),),
        blocks=(state_block(layer, "mamba"),),
        tied=tied,
        hidden=dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="mamba",
    title="Mamba",
    source="transformers 5.24 models/mamba and models/falcon_mamba; estimators.md 2.2",
    model_types=("mamba", "falcon_mamba"),
    build=_build,
)
