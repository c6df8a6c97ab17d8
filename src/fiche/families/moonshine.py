"""Moonshine: three convolutions over the waveform, an encoder, and a decoder that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._encoder import head_class
from fiche.families._reads import architecture_of, asked, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._seq2seq import decoder_caches, half_block
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Block, Cache, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_ENCODER = """
conv1 convolution hidden 1 127
conv2 convolution+ 2*hidden hidden 7
conv3 convolution+ hidden 2*hidden 3
groupnorm norm+ hidden
layer_norm norm hidden
"""

_LAYER = """
self_attn.q_proj linear+attention_bias query hidden
self_attn.{k,v}_proj linear+attention_bias kv hidden
self_attn.o_proj linear hidden query
{input,post_attention}_layernorm norm hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_DECODING = """
self_attn.q_proj linear+attention_bias query hidden
self_attn.{k,v}_proj linear+attention_bias kv hidden
self_attn.o_proj linear hidden query
encoder_attn.q_proj linear+attention_bias query hidden
encoder_attn.{k,v}_proj linear+attention_bias kv hidden
encoder_attn.o_proj linear hidden query
{input,post_attention,final}_layernorm norm hidden
mlp.fc1 linear+ 2*ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_HEADS = {"ForConditionalGeneration": "!tied proj_out head vocabulary hidden"}


def _half(config: Config, place: Place, half: str) -> Place:
    """The layers of one half, with its heads."""
    hidden, heads = place.dims["hidden"], config.number(f"{half}_num_attention_heads")
    key = f"{half}_num_key_value_heads"
    kv_heads = heads if config.value(key) is None else config.number(key)
    head: Node = floor(hidden / heads)
    known = {"heads": heads, "kv_heads": kv_heads, "head": head}
    known |= {"query": heads * head, "kv": kv_heads * head}
    depth = range(config.whole(f"{half}_num_hidden_layers") or 0)
    here = place.at(f"{half}.").where(**known)
    here = replace(here, part="encoder") if half == "encoder" else here
    return here.over("layers.*.", depth, config.number(f"{half}_num_hidden_layers"))


def _grouped(config: Config) -> Iterable[str]:
    """The library's halves overwrite each other's number of grouped heads: files have none."""
    for half in ("encoder", "decoder"):
        told = config.value(f"{half}_num_key_value_heads")
        if told is not None and told != config.value(f"{half}_num_attention_heads"):
            yield tell(
                "say how many heads of keys the {half} has: grouped heads are not read here",
                half=half,
            )


@needing("moonshine", "encoder_num_hidden_layers", "decoder_num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    head, doubt = head_class(config, _HEADS)
    tied = config.flag("tie_word_embeddings") is not False
    dims = {
        "hidden": config.number("hidden_size"),
        "ffn": config.number("intermediate_size"),
        "vocabulary": config.number("vocab_size"),
    }
    place = Place(dims=dims).where(*(["tied"] if tied else []))
    if config.flag("attention_bias"):
        place = place.where("attention_bias")
    body = place if head == "Model" else place.at("model.")
    encoding, decoding = (_half(config, body, half) for half in ("encoder", "decoder"))
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *_parameters(body, encoding, decoding),
            *rows(_HEADS.get(head, ""), place),
        ),
        caches=_caches(decoding),
        blocks=(_block(encoding, "encoder"), _block(decoding, "attention+cross")),
        tied=tied,
        hidden=dims["hidden"],
        vocabulary=dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
        open=(*doubt, *map(asked, _grouped(config))),
    )


def _parameters(body: Place, encoding: Place, decoding: Place) -> Iterable[Parameters]:
    outside = replace(body, part="encoder").at("encoder.")
    yield from rows(_ENCODER, outside)
    yield from rows(_LAYER, encoding)
    table = "embed_tokens embedding vocabulary hidden\nnorm norm hidden"
    yield from rows(table, body.at("decoder."))
    yield from rows(_DECODING, decoding)


def _caches(layer: Place) -> tuple[Cache, ...]:
    return decoder_caches(layer, layer.dims["kv_heads"], layer.dims["head"])


def _block(layer: Place, kind: str) -> Block:
    dims = layer.dims
    gated = kind != "encoder"
    return half_block(layer, kind, dims["heads"], dims["query"], dims["ffn"], gated=gated)


MEMBER = Family(
    name="moonshine",
    title="Moonshine",
    source="transformers 5.24 models/moonshine",
    model_types=("moonshine",),
    build=_build,
)
