"""wav2vec 2.0 and its relatives: convolutions over the waveform, then an encoder with one wide convolution."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import listed_number
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import floor
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_BODY = """
?masked masked_spec_embed =embedding hidden
?projection_norm feature_projection.layer_norm norm+ features
feature_projection.projection linear+ hidden features
encoder.pos_conv_embed.conv.bias =bias hidden
encoder.pos_conv_embed.conv.parametrizations.weight.original0 =convolution 1 1 reach
encoder.pos_conv_embed.conv.parametrizations.weight.original1 =convolution hidden group reach
encoder.layer_norm norm+ hidden
"""

# Positions by several convolutions in turn, in place of one.
_STACKED = _BODY.replace(
    """encoder.pos_conv_embed.conv.bias =bias hidden
encoder.pos_conv_embed.conv.parametrizations.weight.original0 =convolution 1 1 reach
encoder.pos_conv_embed.conv.parametrizations.weight.original1 =convolution hidden group reach
""",
    "encoder.pos_conv_embed.layers.*.conv convolution+@reach hidden group along\n",
)

# Relative positions gated by what a head sees; the table is the first layer's.
_GATED = """
attention.gru_rel_pos_const =bias 1 heads 1 1
attention.gru_rel_pos_linear linear+ 8 head
"""

_LAYER = """
attention.{q,k,v,out}_proj linear+ hidden hidden
layer_norm norm+ hidden
feed_forward.intermediate_dense linear+ ffn hidden
feed_forward.output_dense linear+ hidden ffn
final_layer_norm norm+ hidden
"""

_PRETRAINING = """
quantizer.codevectors =embedding 1 codes code
quantizer.weight_proj linear+ codes features
project_hid linear+ joint hidden
project_q linear+ joint codebook
"""

_CLASSES = """
?weighted layer_weights =linear weighted
projector linear+ classes hidden
classifier linear+ labels classes
"""

CALLS = {
    "ForCTC": "lm_head linear+ vocabulary hidden",
    "ForSequenceClassification": _CLASSES,
}

_HEADS = {
    "ForCTC": "lm_head linear+ vocabulary hidden",
    "ForSequenceClassification": _CLASSES,
    "ForPreTraining": _PRETRAINING,
}


def _convolutions(config: Config, body: Place) -> tuple[Parameters, ...]:
    """One convolution an entry of `conv_dim`; normed all, or the first alone over the whole of time."""
    depth = len(config.listed("conv_dim") or [])
    found: list[Parameters] = []
    for index in range(depth):
        out = listed_number(config, "conv_dim", index)
        dims = {
            "out": out,
            "into": listed_number(config, "conv_dim", index - 1) if index else fixed(1),
            "kernel": listed_number(config, "conv_kernel", index),
        }
        named = config.text("feat_extract_norm") == "layer"
        layered = named or config.model_type == "data2vec-audio"
        words = ["bias"] if config.flag("conv_bias") else []
        words += ["normed"] if layered or index == 0 else []
        place = replace(body, dims=dims).at("feature_extractor.conv_layers.*.").where(*words)
        found += rows("conv convolution+bias out into kernel\n?normed layer_norm norm+ out", place)
    return tuple(found)


def _first_biases(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Convolutions, and the table of relative positions that the first layer holds for all."""
    place = body.over("encoder.layers.*.", range(1), fixed(1))
    table = "attention.rel_attn_embed position buckets heads"
    return (*_convolutions(config, body), *rows(table, place))


def _words(config: Config) -> tuple[str, ...]:
    masks = [
        value
        for value in (config.value("mask_time_prob"), config.value("mask_feature_prob"))
        if value is not None
    ]
    # 0.05 where the configuration says nothing: then the vector of masked frames is there.
    masked = not masks or any(value != 0 for value in masks)
    plain = config.flag("feat_proj_layer_norm") is not False
    weighted = config.flag("use_weighted_layer_sum")
    return (
        *(["masked"] if masked else []),
        *(["projection_norm"] if plain else []),
        *(["weighted"] if weighted else []),
    )


def _doubts(config: Config) -> tuple[str, ...]:
    found = []
    if config.flag("add_adapter") or config.value("adapter_attn_dim") is not None:
        found.append("adapters of wav2vec 2.0 are not understood here: give the tensors")
    if config.flag("conv_pos_batch_norm"):
        found.append("a batch norm of positions is not understood here: give the tensors")
    if not config.listed("conv_dim") or config.listed("conv_kernel") is None:
        found.append(tell("give conv_dim and conv_kernel"))
    return tuple(found)


def _kind(base: str) -> Encoder:
    return Encoder(
        outer=_BODY,
        layer=_LAYER,
        layers="encoder.layers.*.",
        base=base,
        heads=_HEADS,
        dims={
            "types": "",
            "positions": "",
            "features": lambda config: listed_number(
                config, "conv_dim", len(config.listed("conv_dim") or []) - 1
            ),
            "reach": "num_conv_pos_embeddings",
            "group": lambda config: floor(
                config.number("hidden_size") / config.number("num_conv_pos_embedding_groups")
            ),
            "codes": lambda config: (
                config.number("num_codevectors_per_group") * config.number("num_codevector_groups")
            ),
            "code": lambda config: floor(
                config.number("codevector_dim") / config.number("num_codevector_groups")
            ),
            "joint": "proj_codevector_dim",
            "codebook": "codevector_dim",
            "classes": "classifier_proj_size",
            "weighted": lambda config: config.number("num_hidden_layers") + 1,
        },
        more=_words,
        besides=_convolutions,
        doubts=_doubts,
        part="audio",
    )


FRONT = _kind("wav2vec2.")
_WAVLM = _kind("wavlm.")

MEMBER = encoders(
    "wav2vec2",
    "wav2vec 2.0 and its relatives",
    "transformers 5.24 models/wav2vec2, hubert, unispeech, unispeech_sat, wavlm, data2vec",
    {
        "wav2vec2": _kind("wav2vec2."),
        "hubert": _kind("hubert."),
        "unispeech": replace(_kind("unispeech."), heads=CALLS),
        "unispeech-sat": replace(_kind("unispeech_sat."), heads=CALLS),
        "wavlm": replace(
            _WAVLM,
            layer=_LAYER + _GATED,
            heads=CALLS,
            dims={**_WAVLM.dims, "buckets": "num_buckets"},
            besides=_first_biases,
        ),
        "data2vec-audio": replace(
            _kind("data2vec_audio."),
            outer=_STACKED,
            heads=CALLS,
            dims={
                **_WAVLM.dims,
                "reach": "num_conv_pos_embeddings",
                "along": "conv_pos_kernel_size",
            },
        ),
    },
)
