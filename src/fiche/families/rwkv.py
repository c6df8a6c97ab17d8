"""RWKV-4: every layer a weighted sum over the past, kept as three vectors, beside two shifted tokens."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of
from fiche.families._rows import Place, fixed, rows
from fiche.families._state import state_block, state_cache
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model

_LAYER = """
ln1 norm+ hidden
ln2 norm+ hidden
attention.time_decay =recurrent width
attention.time_first =recurrent width
attention.time_mix_{key,value,receptance} =recurrent 1 1 hidden
attention.{key,value,receptance} linear width hidden
attention.output linear hidden width
feed_forward.time_mix_{key,receptance} =recurrent 1 1 hidden
feed_forward.key linear ffn hidden
feed_forward.receptance linear hidden hidden
feed_forward.value linear hidden ffn
"""


@needing("rwkv", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    hidden = config.number("hidden_size")
    width = config.number(
        "hidden_size" if config.value("attention_hidden_size") is None else "attention_hidden_size"
    )
    ffn = (
        4 * hidden
        if config.value("intermediate_size") is None
        else config.number("intermediate_size")
    )
    place = Place(
        dims={
            "hidden": hidden,
            "vocabulary": config.number("vocab_size"),
            "width": width,
            "ffn": ffn,
            "channels": 2 * hidden,
            "kernel": fixed(1),
            "state_values": 3 * width,
        }
    )
    depth = range(config.whole("num_hidden_layers") or 0)
    layer = place.over("rwkv.blocks.*.", depth, config.number("num_hidden_layers"))
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows("rwkv.embeddings embedding vocabulary hidden", place),
            *rows("pre_ln norm+ hidden", place.over("rwkv.blocks.*.", (0,), fixed(1))),
            *rows(_LAYER, layer),
            *rows("rwkv.ln_out norm+ hidden", place),
            *head_of(tied, place, "head"),
        ),
        caches=(state_cache(layer, "rwkv"),),
        blocks=(state_block(layer, "rwkv", ffn, gated=False),),
        tied=tied,
        hidden=hidden,
        vocabulary=place.dims["vocabulary"],
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="rwkv",
    title="RWKV-4",
    source="transformers 5.24 models/rwkv",
    model_types=("rwkv",),
    build=_build,
)
