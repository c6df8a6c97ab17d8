"""Whisper: audio frames through an encoder of fixed length, text out of a decoder that reads it.

The cross cache is always that of `max_source_positions` frames, however short the audio (estimators.md 2.2).
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import head_class, labels_of
from fiche.families._reads import architecture_of, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._seq2seq import decoder_caches, half_block
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import floor
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import replace

LAYER = """
self_attn.k_proj linear hidden hidden
self_attn.{v,q,out}_proj linear+ hidden hidden
self_attn_layer_norm norm+ hidden
?cross encoder_attn.k_proj linear hidden hidden
?cross encoder_attn.{v,q,out}_proj linear+ hidden hidden
?cross encoder_attn_layer_norm norm+ hidden
fc1 linear+ ffn hidden
fc2 linear+ hidden ffn
final_layer_norm norm+ hidden
"""

ENCODER = """
conv1 convolution+ hidden mels 3
conv2 convolution+ hidden hidden 3
embed_positions position frames hidden
layer_norm norm+ hidden
"""

_DECODER = """
embed_tokens embedding vocabulary hidden
embed_positions position positions hidden
layer_norm norm+ hidden
"""

_HEADS = {
    "ForConditionalGeneration": "!tied proj_out head vocabulary hidden",
    "ForAudioClassification": """
?weighted layer_weights =linear layers
projector linear+ classes hidden
classifier linear+ labels classes
""",
}


def _place(config: Config) -> Place:
    place = Place(
        dims={
            "hidden": config.number("d_model"),
            "vocabulary": config.number("vocab_size"),
            "mels": config.number("num_mel_bins"),
            "frames": config.number("max_source_positions"),
            "positions": config.number("max_target_positions"),
            "classes": config.number("classifier_proj_size"),
            "labels": labels_of(config),
            "layers": config.number("num_hidden_layers", "encoder_layers") + 1,
        }
    )
    if config.flag("use_weighted_layer_sum"):
        place = place.where("weighted")
    return place if config.flag("tie_word_embeddings") is False else place.where("tied")


def encoder_of(config: Config, place: Place) -> tuple[Place, tuple[Parameters, ...]]:
    """The layers of the encoder, and its parameters, at a place."""
    here = replace(place, part="encoder").where(ffn=config.number("encoder_ffn_dim"))
    layers = range(config.whole("encoder_layers") or 0)
    layer = here.over("layers.*.", layers, config.number("encoder_layers"))
    return layer, (*rows(ENCODER, here), *rows(LAYER, layer))


@needing("whisper", "encoder_layers", "decoder_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    head, doubt = head_class(config, _HEADS)
    place = _place(config)
    audio_only = head == "ForAudioClassification"
    body = place if head == "Model" or audio_only else place.at("model.")
    encoding, parameters = encoder_of(config, body.at("encoder."))
    decoder = body.at("decoder.").where("cross", ffn=config.number("decoder_ffn_dim"))
    depth = range(0 if audio_only else config.whole("decoder_layers") or 0)
    decoding = decoder.over("layers.*.", depth, config.number("decoder_layers"))
    if not audio_only:
        parameters += (*rows(_DECODER, decoder), *rows(LAYER, decoding))
    hidden, heads = place.dims["hidden"], config.number("decoder_attention_heads")
    blocks = [
        half_block(
            encoding,
            "encoder",
            config.number("encoder_attention_heads"),
            hidden,
            encoding.dims["ffn"],
        ),
        half_block(decoding, "attention+cross", heads, hidden, decoding.dims["ffn"]),
    ]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(*parameters, *rows(_HEADS.get(head, ""), place)),
        caches=decoder_caches(decoding, heads, floor(hidden / heads), place.dims["frames"]),
        blocks=tuple(block for block in blocks if block.layers),
        tied="tied" in place.words,
        hidden=hidden,
        vocabulary=place.dims["vocabulary"],
        positions=place.dims["positions"],
        storage=storage_of(config),
        config=config,
        open=doubt,
    )


MEMBER = Family(
    name="whisper",
    title="Whisper",
    source="transformers 5.24 models/whisper; estimators.md 2.2",
    model_types=("whisper",),
    build=_build,
)
