"""Encoders with decoders that differ from BART: LED, NLLB with experts, Speech2Text, TrOCR's decoder."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import head_class, labels_of
from fiche.families._reads import architecture_of, counted, listed_number, needing, some, storage_of
from fiche.families._rows import Place, rows
from fiche.families._seq2seq import decoder_caches, half_block
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Block, Model, Parameters
from fiche.kernel.record import record, replace

_FEED_FORWARD = """
fc1 linear+ ffn hidden
fc2 linear+ hidden ffn
"""

_LAYER = """
self_attn.{k,v,q,out}_proj linear+ hidden hidden
self_attn_layer_norm norm+ hidden
?cross {cross}.{q,out}_proj linear+ hidden hidden
?cross {cross}.{k,v}_proj linear+ hidden read
?cross {cross}_layer_norm norm+ hidden
{last}_layer_norm norm+ hidden
"""

_WINDOWS = """
self_attn.longformer_self_attn.{query,key,value}{,_global} linear+ hidden hidden
self_attn.output linear+ hidden hidden
self_attn_layer_norm norm+ hidden
final_layer_norm norm+ hidden
"""

_EXPERTS = """
ffn.router.classifier router experts hidden
ffn.experts.expert_*.fc1 expert+@experts ffn hidden
ffn.experts.expert_*.fc2 expert+@experts hidden ffn
"""


def _named(table: str, cross: str, last: str) -> str:
    return table.replace("{cross}", cross).replace("{last}", last)


@record(eq=False)
class _Kind:
    """One model type: layers of both halves, what stands in each half outside them, and heads.

    `encoder` and `decoder` are tables of a layer, `outside` rows of a half by its name, `shared` whether both
    read one embedding. `sparse` is the ending of the key that says which layers have experts.
    """

    encoder: str
    decoder: str
    outside: dict[str, str]
    heads: dict[str, str]
    shared: bool = True
    sparse: str = ""
    base: str = "model."


_USUAL = _named(_LAYER, "encoder_attn", "final")
_SPARSE = _named(_LAYER, "cross_attention", "ff")

_LM = {
    "ForConditionalGeneration": """
!tied lm_head head vocabulary hidden
?biased final_logits_bias =buffer 1 vocabulary
""",
    "ForSequenceClassification": """
classification_head.dense linear+ hidden hidden
classification_head.out_proj linear+ labels hidden
""",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}

_HALVES = {
    "encoder": "embed_positions position encoder_positions hidden\nlayernorm_embedding norm+ hidden",
    "decoder": "embed_positions position decoder_positions hidden\nlayernorm_embedding norm+ hidden",
}

_KINDS = {
    "led": _Kind(encoder=_WINDOWS, decoder=_USUAL, outside=_HALVES, heads=_LM, base="led."),
    "nllb-moe": _Kind(
        encoder=_SPARSE,
        decoder=_SPARSE,
        outside={"encoder": "layer_norm norm+ hidden", "decoder": "layer_norm norm+ hidden"},
        heads=_LM,
        sparse="sparse_step",
    ),
    "speech_to_text": _Kind(
        encoder=_USUAL,
        decoder=_USUAL,
        outside={
            "encoder": "layer_norm norm+ hidden",
            "decoder": "embed_tokens embedding vocabulary hidden\nlayer_norm norm+ hidden",
        },
        heads=_LM,
        shared=False,
    ),
}


def _place(config: Config) -> Place:
    hidden = config.number("d_model")
    dims = {
        "hidden": hidden,
        "read": hidden,
        "vocabulary": config.number("vocab_size"),
        "labels": labels_of(config),
    }
    if config.model_type == "led":
        dims["encoder_positions"] = config.number("max_encoder_position_embeddings")
        dims["decoder_positions"] = config.number("max_decoder_position_embeddings")
    if config.model_type == "nllb-moe":
        dims["experts"] = config.number("num_experts")
    place = Place(dims=dims).where(*(["biased"] if config.model_type == "led" else []))
    return place if config.flag("tie_word_embeddings") is False else place.where("tied")


def _half(config: Config, body: Place, half: str) -> tuple[Place, Place]:
    here = body.at(f"{half}.").where(ffn=config.number(f"{half}_ffn_dim"))
    here = replace(here, part="encoder") if half == "encoder" else here.where("cross")
    depth = range(config.whole(f"{half}_layers") or 0)
    return here, here.over("layers.*.", depth, config.number(f"{half}_layers"))


def _layers(config: Config, kind: _Kind, half: str, layer: Place) -> list[Parameters]:
    """The layers of one half: a feed-forward in each, or experts in each of a step."""
    found = list(rows(kind.encoder if half == "encoder" else kind.decoder, layer))
    if not kind.sparse:
        return [*found, *rows(_FEED_FORWARD, layer)]
    key, layers = f"{half}_{kind.sparse}", layer.layers or ()
    step = config.whole(key) or 0
    chosen = [index for index in layers if step and (index + 1) % step == 0]
    others = [index for index in layers if index not in chosen]
    places = (layer.over("", each, counted(config, key, len(each))) for each in (chosen, others))
    experts, plain = places
    inside = "\n".join(f"ffn.{line}" for line in _FEED_FORWARD.split("\n") if line)
    return [*found, *rows(_EXPERTS, experts), *rows(inside, plain)]


def _convolutions(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Speech2Text: convolutions that halve time, each gated by half of its channels."""
    if config.model_type != "speech_to_text":
        return ()
    found: list[Parameters] = []
    depth = len(config.listed("conv_kernel_sizes") or [])
    for index in range(min(depth, 100)):
        last = index == depth - 1
        middle = config.number("conv_channels")
        dims = {
            "out": 2 * config.number("d_model") if last else middle,
            "into": floor(middle / 2) if index else _features(config),
            "kernel": listed_number(config, "conv_kernel_sizes", index),
        }
        place = Place(dims=dims, prefix=body.prefix, part="encoder")
        found += rows("encoder.conv.conv_layers.* convolution+ out into kernel", place)
    return tuple(found)


def _features(config: Config) -> Node:
    return config.number("input_feat_per_channel") * config.number("input_channels")


@needing("led", "encoder_layers", "decoder_layers")
def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    kind = _KINDS[config.model_type]
    head, doubt = head_class(config, kind.heads)
    place = _place(config)
    body = place if head == "Model" else place.at(kind.base)
    found = list(rows("shared embedding vocabulary hidden" if kind.shared else "", body))
    found += _convolutions(config, body)
    blocks: list[Block] = []
    decoder = body
    for half in ("encoder", "decoder"):
        here, layer = _half(config, body, half)
        found += [*rows(kind.outside[half], here), *_layers(config, kind, half, layer)]
        apart = kind.shared and "tied" not in place.words
        found += rows("embed_tokens embedding vocabulary hidden" if apart else "", here)
        heads = config.number(f"{half}_attention_heads")
        word = "encoder" if half == "encoder" else "attention+cross"
        blocks.append(half_block(layer, word, heads, place.dims["hidden"], layer.dims["ffn"]))
        decoder = layer
    heads = config.number("decoder_attention_heads")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(*found, *rows(kind.heads.get(head, ""), place)),
        caches=decoder_caches(decoder, heads, floor(place.dims["hidden"] / heads)),
        blocks=tuple(blocks),
        tied="tied" in place.words,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        storage=storage_of(config),
        config=config,
        open=doubt,
    )


_TROCR = """
embed_tokens embedding vocabulary hidden
?learned embed_positions position positions+2 hidden
?embedding_norm layernorm_embedding norm+ hidden
"""


@needing("led", "decoder_layers")
def _decoder(config: Config, inner: Callable[[Config], Model]) -> Model:
    hidden, heads = config.number("d_model"), config.number("decoder_attention_heads")
    told = config.value("cross_attention_hidden_size") is not None
    dims = {
        "hidden": hidden,
        "vocabulary": config.number("vocab_size"),
        "positions": config.number("max_position_embeddings"),
        "read": config.number("cross_attention_hidden_size") if told else hidden,
        "ffn": config.number("decoder_ffn_dim"),
    }
    words = ["cross"]
    words += ["learned"] if config.flag("use_learned_position_embeddings") else []
    words += ["embedding_norm"] if config.flag("layernorm_embedding") else []
    tied = config.flag("tie_word_embeddings") is not False
    place = Place(dims=dims).where(*words)
    depth = range(config.whole("decoder_layers") or 0)
    body = place.at("model.decoder.")
    layer = body.over("layers.*.", depth, some(config, "decoder_layers", depth, len(depth)))
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(_TROCR, body),
            *rows(_USUAL + _FEED_FORWARD, layer),
            *rows("" if tied else "output_projection head vocabulary hidden", place),
        ),
        caches=decoder_caches(layer, heads, floor(hidden / heads)),
        blocks=(half_block(layer, "attention+cross", heads, hidden, dims["ffn"]),),
        tied=tied,
        hidden=hidden,
        vocabulary=dims["vocabulary"],
        positions=dims["positions"],
        storage=storage_of(config),
        config=config,
    )


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    return (_decoder if config.model_type == "trocr" else _whole)(config, inner)


MEMBER = Family(
    name="led",
    title="LED, NLLB with experts, Speech2Text, TrOCR",
    source="transformers 5.24 models/led, nllb_moe, speech_to_text, trocr",
    model_types=(*_KINDS, "trocr"),
    build=_build,
)
