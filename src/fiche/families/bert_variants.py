"""Encoders that change BERT's layer: norms before it, adapters by language, Fourier mixing."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._bert import (
    ANSWERS,
    BERT,
    BERT_HEADS,
    BERT_POOLED,
    CLASSES,
    EMBEDDINGS,
    LAYER,
    NEXT,
    ONE,
    POOLER,
    PREDICTIONS,
    ROBERTA,
    ROBERTA_HEADS,
    TWO_STEPS,
    projected,
)
from fiche.families._encoder import Encoder, encoders, named_or
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import floor
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_ATTENTION = """
attention.self.{query,key,value} linear+ hidden hidden
attention.output.dense linear+ hidden hidden
"""

_FEED_FORWARD = """
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
"""

_BARE_EMBEDDINGS = EMBEDDINGS.replace("embeddings.LayerNorm norm+ embedded\n", "")

_LARGER = replace(
    ROBERTA,
    outer=_BARE_EMBEDDINGS + "encoder.LayerNorm norm+ hidden\n" + POOLER,
    layer=f"{_ATTENTION}{_FEED_FORWARD}attention.self_attn_layer_norm norm+ hidden\nLayerNorm norm+ hidden",
)

_NORMED_FIRST = replace(
    ROBERTA,
    base="roberta_prelayernorm.",
    outer=EMBEDDINGS + "LayerNorm norm+ hidden\n" + POOLER,
    layer=f"{_ATTENTION}{_FEED_FORWARD}{{attention,intermediate}}.LayerNorm norm+ hidden",
)

_MEGATRON = replace(
    BERT,
    outer=_BARE_EMBEDDINGS + "encoder.ln norm+ hidden\n" + POOLER,
    layer=f"{_ATTENTION}{_FEED_FORWARD}attention.ln norm+ hidden\nln norm+ hidden",
    heads={**BERT_HEADS, "ForCausalLM": PREDICTIONS},
)

_ADAPTER = """
{name}.dense1 linear+ narrow hidden
{name}.dense2 linear+ hidden narrow
"""


def _adapters(config: Config, body: Place) -> tuple[Parameters, ...]:
    """One narrow feed-forward a language in each layer, under the language's name."""
    narrow = floor(config.number("hidden_size") / config.number("adapter_reduction_factor"))
    depth = range(config.whole("num_hidden_layers") or 0)
    layer = body.over("encoder.layer.*.output.", depth, config.number("num_hidden_layers"))
    named = [each for each in config.listed("languages") or [] if isinstance(each, str)]
    norm = "adapter_layer_norm norm+ hidden" if config.flag("adapter_layer_norm") else ""
    found = list(rows(norm, layer))
    for name in dict.fromkeys(named):
        # A point in a name would be another module: none of the published languages has one.
        table = _ADAPTER.replace("{name}", f"adapter_modules.{name.replace(' ', '_')}")
        found += rows(table, layer.where(narrow=narrow))
    return tuple(found)


_ROFORMER_EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary embedded
embeddings.token_type_embeddings embedding types embedded
embeddings.LayerNorm norm+ embedded
?projected embeddings_project linear+ hidden embedded
encoder.embed_positions position positions head
"""


_NARROW_PREDICTIONS = (
    PREDICTIONS.replace("linear+ hidden hidden", "linear+ embedded hidden")
    .replace("LayerNorm norm+ hidden", "LayerNorm norm+ embedded")
    .replace("vocabulary hidden", "vocabulary embedded")
)

# No pooler in any class; a classifier of two steps.
_PLAIN_HEADS: Mapping[str, str] = {
    "ForMaskedLM": PREDICTIONS,
    "ForSequenceClassification": TWO_STEPS,
    "ForTokenClassification": CLASSES,
    "ForQuestionAnswering": ANSWERS,
}
_STEPPED_HEADS = {
    **_PLAIN_HEADS,
    "ForMultipleChoice": "pre_classifier linear+ hidden hidden\n" + ONE,
}


def _near(base: str, **more: object) -> Encoder:
    """Approximations of attention: BERT's layer, two positions more, and no pooler."""
    made = replace(
        BERT,
        base=base,
        outer=EMBEDDINGS.replace("position positions", "position positions+2"),
        heads=_STEPPED_HEADS,
        pooled=(),
        stored="",
    )
    return replace(made, **more)


_FOURIER_LAYER = """
fourier.output.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""

_SPANS = """
splinter_qass.{query_start,query_end,start,end}_transform.dense linear+ hidden hidden
splinter_qass.{query_start,query_end,start,end}_transform.LayerNorm norm+ hidden
splinter_qass.{start,end}_classifier linear hidden hidden
"""

MEMBER = encoders(
    "bert_variants",
    "Encoders that change BERT's layer",
    "transformers 5.24 models/xlm_roberta_xl, xmod, roberta_prelayernorm, megatron_bert, roformer,"
    " nystromformer, mra, yoso, fnet, splinter",
    {
        "xlm-roberta-xl": _LARGER,
        "roberta-prelayernorm": _NORMED_FIRST,
        "megatron-bert": _MEGATRON,
        "xmod": replace(ROBERTA, besides=_adapters, heads=ROBERTA_HEADS),
        "roformer": replace(
            BERT,
            base="roformer.",
            outer=_ROFORMER_EMBEDDINGS,
            layer=LAYER,
            dims={"embedded": named_or("embedding_size", "hidden_size")},
            heads={
                **_PLAIN_HEADS,
                "ForMaskedLM": _NARROW_PREDICTIONS,
                "ForCausalLM": _NARROW_PREDICTIONS,
                "ForMultipleChoice": ONE,
            },
            pooled=(),
            more=projected,
            stored="",
        ),
        "nystromformer": _near(
            "nystromformer.",
            layer=LAYER + "attention.self.conv convolution heads 1 kernel 1\n",
            dims={"embedded": "hidden_size", "kernel": "conv_kernel_size"},
        ),
        "mra": _near(
            "mra.",
            outer=EMBEDDINGS.replace("position positions", "position positions+2")
            + "embeddings.position_ids =buffer 1 positions\n",
        ),
        "yoso": _near("yoso."),
        # Tokens are mixed by a Fourier transform: no head attends.
        "fnet": replace(
            BERT,
            base="fnet.",
            outer=EMBEDDINGS + "embeddings.projection linear+ hidden hidden\n" + POOLER,
            layer=_FOURIER_LAYER,
            dims={"embedded": "hidden_size", "heads": lambda config: fixed(1)},
            heads={
                "ForPreTraining": PREDICTIONS + NEXT,
                "ForMaskedLM": PREDICTIONS,
                "ForNextSentencePrediction": NEXT,
                "ForSequenceClassification": CLASSES,
                "ForTokenClassification": CLASSES,
                "ForMultipleChoice": ONE,
                "ForQuestionAnswering": ANSWERS,
            },
            pooled=(*BERT_POOLED, "ForMaskedLM", "ForTokenClassification", "ForQuestionAnswering"),
        ),
        "splinter": replace(
            BERT,
            base="splinter.",
            outer=EMBEDDINGS,
            heads={"ForQuestionAnswering": _SPANS, "ForPreTraining": _SPANS},
            pooled=(),
        ),
    },
)
