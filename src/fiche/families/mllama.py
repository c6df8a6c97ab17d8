"""Llama 3.2 Vision: a decoder with layers of cross-attention that read the tiles of an image.

An image takes no place among the tokens: the layers of cross-attention keep its keys and values for the whole
request, those of all tiles, each padded to the most (transformers 5.24).
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoder_model
from fiche.families._reads import (
    MOST_LAYERS,
    architecture_of,
    counted,
    head_of,
    needing,
    some,
    storage_of,
    unread,
)
from fiche.families._rows import Place, fixed, rows
from fiche.families._state import attention_block, attention_cache, attention_dims, kept, trained
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, part_of, patches, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import CrossCache, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_ATTENTION = """
self_attn.q_proj linear query hidden
self_attn.{k,v}_proj linear kv hidden
self_attn.o_proj linear hidden query
"""

_CROSS = """
cross_attn_attn_gate =norm 1
cross_attn_mlp_gate =norm 1
cross_attn.q_proj linear query hidden
cross_attn.{k,v}_proj linear kv hidden
cross_attn.o_proj linear hidden query
cross_attn.{q,k}_norm norm head
"""

_LAYER = """
mlp.{gate,up}_proj linear ffn hidden
mlp.down_proj linear hidden ffn
input_layernorm norm hidden
post_attention_layernorm norm hidden
"""

_SEEN = """
class_embedding =embedding hidden
patch_embedding convolution hidden colours patch patch
gated_positional_embedding.gate =norm 1
gated_positional_embedding.embedding =position places+1 hidden
gated_positional_embedding.tile_embedding position ratios+1 tiles*places*hidden+tiles*hidden
{pre,post}_tile_positional_embedding.gate =norm 1
{pre,post}_tile_positional_embedding.embedding position ratios+1 tiles*hidden
layernorm_pre norm+ hidden
layernorm_post norm+ hidden
"""

_SEEN_LAYER = """
self_attn.{q,k,v,o}_proj linear hidden hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
input_layernorm norm+ hidden
post_attention_layernorm norm+ hidden
"""


def _ratios(config: Config) -> Node:
    listed = config.listed("supported_aspect_ratios") or []
    told = config.told("supported_aspect_ratios")
    # The class's own list has the eight shapes that up to four tiles make.
    return counted(config, "supported_aspect_ratios", len(listed)) if told else fixed(8)


def _global(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Layers over all tiles together, each with two gates."""
    depth = range(min(config.whole("num_global_layers") or 0, MOST_LAYERS))
    layer = body.over("global_transformer.layers.*.", depth, config.number("num_global_layers"))
    return (*rows(_SEEN_LAYER, layer), *rows("gate_attn =norm 1\ngate_ffn =norm 1", layer))


_TOWER = Encoder(
    outer=_SEEN,
    layer=_SEEN_LAYER,
    layers="transformer.layers.*.",
    base="",
    heads={},
    dims={
        **NO_WORDS,
        "heads": lambda config: config.number("attention_heads", "num_attention_heads"),
        "colours": "num_channels",
        "patch": "patch_size",
        "places": patches,
        "tiles": "max_num_tiles",
        "ratios": _ratios,
    },
    besides=_global,
    part="vision",
)


def _text(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth, name = config.whole("num_hidden_layers") or 0, "cross_attention_layers"
    listed = config.listed(name)
    if listed is None:
        return unread(
            config, MEMBER.name, tell("give {name}: which layers read the image", name=name)
        )
    crossing = [i for i in range(depth) if i in listed]
    plain = [i for i in range(depth) if i not in crossing]
    place = Place(dims=attention_dims(config)).where(ffn=config.number("intermediate_size"))
    prefix = "model.layers.*."
    at_plain = place.over(prefix, plain, some(config, name, plain, depth))
    at_crossing = place.over(prefix, crossing, counted(config, name, len(crossing)))
    everywhere = place.over(prefix, range(depth), config.number("num_hidden_layers"))
    tied = config.flag("tie_word_embeddings")
    dims = place.dims
    crossed = CrossCache(
        layers=at_crossing.layers or (),
        count=at_crossing.count,
        kv_heads=dims["kv_heads"],
        key_dim=dims["head"],
        value_dim=dims["head"],
    )
    crossing_block = replace(attention_block(at_crossing, dims["ffn"]), kind="cross")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            # Eight rows more than the head: tokens for images and for tools.
            *rows("model.embed_tokens embedding vocabulary+8 hidden", place),
            *rows(_ATTENTION, at_plain),
            *rows(_CROSS, at_crossing),
            *rows(_LAYER, everywhere),
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(at_plain), crossed),
        blocks=trained(attention_block(at_plain, dims["ffn"]), crossing_block),
        tied=tied,
        hidden=dims["hidden"],
        vocabulary=dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


def _tiled(language: Model, config: Config) -> Model:
    """The language part with the length of what its layers of cross-attention read."""
    vision = part_of(config, "vision_config")
    if vision is None:
        return language
    tokens = vision.number("max_num_tiles") * (patches(vision) + 1)
    caches = tuple(
        replace(cache, tokens=tokens) if isinstance(cache, CrossCache) else cache
        for cache in language.caches
    )
    return replace(language, caches=caches)


_WHOLE = wrappers(
    "mllama",
    "Llama 3.2 Vision",
    "",
    {
        "mllama": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_model."),),
            projector="multi_modal_projector linear+ hidden features",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "features": parts["vision_config"].number("vision_output_dim"),
            },
            changed=_tiled,
        )
    },
)


@needing("mllama", "num_hidden_layers")
def _part(config: Config, inner: Callable[[Config], Model]) -> Model:
    if config.model_type == "mllama_text_model":
        return _text(config, inner)
    return encoder_model(MEMBER.name, config, _TOWER)


_PARTS = Family(
    name="mllama",
    title="",
    source="",
    model_types=("mllama_text_model", "mllama_vision_model"),
    build=_part,
)

MEMBER = Family(
    name="mllama",
    title="Llama 3.2 Vision",
    source="transformers 5.24 models/mllama",
    model_types=(*_WHOLE.model_types, *_PARTS.model_types),
    build=joined(_WHOLE, _PARTS),
)
