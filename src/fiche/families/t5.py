"""T5 and its relatives (Flan-T5, ByT5, mT5, UMT5, LongT5): relative positions, heads of a width of their own.

A head's width is `d_kv`: `num_heads` x `d_kv` need not be `d_model`. `tie_word_embeddings: false` marks a head
that checkpoints store apart, and that the library then loads apart, though its class ties both.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import head_class
from fiche.families._reads import architecture_of, asked, counted, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._seq2seq import decoder_caches, half_block
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.record import replace

_LAYER = """
layer.*.{own}.{q,k,v} linear width hidden
layer.*.{own}.o linear hidden width
?cross layer.*.EncDecAttention.{q,k,v} linear width hidden
?cross layer.*.EncDecAttention.o linear hidden width
?global layer.*.{own}.global_input_layer_norm norm hidden
?every layer.*.{own}.relative_attention_bias position buckets heads
layer.*.DenseReluDense.wo linear hidden ffn
?gated layer.*.DenseReluDense.wi_{0,1} linear ffn hidden
!gated layer.*.DenseReluDense.wi linear ffn hidden
"""

_FIRST = """
!every layer.*.{own}.relative_attention_bias position buckets heads
?global layer.*.{own}.global_relative_attention_bias position buckets heads
"""

_HEADS = {
    "ForConditionalGeneration": "?apart lm_head head vocabulary hidden",
    "EncoderModel": "",
}

_ATTENTION = {"local": "LocalSelfAttention", "transient-global": "TransientGlobalSelfAttention"}


def _place(config: Config) -> Place:
    gated = config.text("feed_forward_proj").startswith("gated-")
    words = ["gated"] if gated else []
    words += ["every"] if config.model_type == "umt5" else []
    words += ["apart"] if config.flag("tie_word_embeddings") is False else []
    heads, head = config.number("num_heads"), config.number("d_kv")
    return Place(
        dims={
            "hidden": config.number("d_model"),
            "vocabulary": config.number("vocab_size"),
            "ffn": config.number("d_ff"),
            "heads": heads,
            "head": head,
            "width": heads * head,
            "buckets": config.number("relative_attention_num_buckets"),
        }
    ).where(*words)


def _own(config: Config, half: str) -> str:
    if half == "encoder" and config.model_type == "longt5":
        return _ATTENTION.get(config.text("encoder_attention_type"), "SelfAttention")
    return "SelfAttention"


def _half(config: Config, place: Place, half: str) -> tuple[str, Place, Place]:
    """One half: the name of its attention, its place and that of its layers."""
    key = "num_layers"
    if half == "decoder" and config.value("num_decoder_layers") is not None:
        key = "num_decoder_layers"
    here = place.at(f"{half}.")
    if half == "encoder":
        here = replace(here, part="encoder")
        if config.text("encoder_attention_type") == "transient-global":
            here = here.where("global")
    else:
        here = here.where("cross")
    layer = here.over("block.*.", range(config.whole(key) or 0), config.number(key))
    return _own(config, half), here, layer


def _doubts(config: Config) -> tuple[Condition, ...]:
    kind = config.text("feed_forward_proj").removeprefix("gated-")
    found = (
        []
        if kind and "-" not in kind
        else ["feed_forward_proj is not understood: give the tensors"]
    )
    if config.model_type == "longt5" and config.text("encoder_attention_type") not in _ATTENTION:
        found.append("encoder_attention_type is not understood: give the tensors")
    return tuple(map(asked, found))


@needing("t5", "num_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    if config.value("num_decoder_layers") is None:
        return _whole(config, inner)
    return needing("t5", "num_decoder_layers")(_whole)(config, inner)


def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    head, doubt = head_class(config, _HEADS)
    place = _place(config)
    halves = [_half(config, place, half) for half in ("encoder", "decoder")]
    if head == "EncoderModel":
        halves = halves[:1]
    found = [*rows("shared embedding vocabulary hidden", place)]
    for own, here, layer in halves:
        norms = 3 if "cross" in layer.words else 2
        first = (layer.layers or ())[:1]
        found += [
            *rows(_LAYER.replace("{own}", own), layer),
            *rows(
                _FIRST.replace("{own}", own),
                here.over("block.*.", first, counted(config, "num_layers", len(first))),
            ),
            *rows("layer.*.layer_norm norm hidden", layer.times(norms)),
            *rows("final_layer_norm norm hidden", here),
        ]
    dims, gated = place.dims, "gated" in place.words
    kinds = ("encoder", "attention+cross")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(*found, *rows(_HEADS.get(head, ""), place)),
        caches=decoder_caches(halves[1][2], dims["heads"], dims["head"]) if halves[1:] else (),
        blocks=tuple(
            half_block(layer, kind, dims["heads"], dims["width"], dims["ffn"], gated=gated)
            for kind, (_, _, layer) in zip(kinds, halves, strict=False)
        ),
        tied="apart" not in place.words,
        hidden=dims["hidden"],
        vocabulary=dims["vocabulary"],
        storage=storage_of(config),
        config=config,
        open=(*doubt, *_doubts(config)),
    )


MEMBER = Family(
    name="t5",
    title="T5 and its relatives",
    source="transformers 5.24 models/t5, mt5, umt5, longt5; estimators.md 2.2",
    model_types=("t5", "mt5", "umt5", "longt5"),
    build=_build,
)
