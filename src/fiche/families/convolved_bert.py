"""ConvBERT and SqueezeBERT: convolutions beside attention, and in place of linear layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._bert import (
    ANSWERS,
    BERT,
    CLASSES,
    EMBEDDINGS,
    ONE,
    PREDICTIONS,
    TWO_STEPS,
    projected,
)
from fiche.families._encoder import encoders
from fiche.families._rows import fixed
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.record import replace

# No pooler in any class; a classifier of two steps.
_PLAIN_HEADS: Mapping[str, str] = {
    "ForMaskedLM": PREDICTIONS,
    "ForSequenceClassification": TWO_STEPS,
    "ForTokenClassification": CLASSES,
    "ForQuestionAnswering": ANSWERS,
}
_CONV_LAYER = """
attention.self.{query,key,value} linear+ query hidden
attention.self.key_conv_attn_layer.bias =bias query 1
attention.self.key_conv_attn_layer.depthwise convolution hidden 1 kernel
attention.self.key_conv_attn_layer.pointwise convolution query hidden 1
attention.self.conv_kernel_layer linear+ taken*kernel query
attention.self.conv_out_layer linear+ query hidden
attention.output.dense linear+ hidden 2*query
attention.output.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""


def _half_heads(config: Config) -> Node:
    """The heads that attend, the others being convolutions."""
    heads, ratio = config.whole("num_attention_heads"), config.whole("head_ratio")
    if heads is not None and ratio and heads // ratio < 1:
        return fixed(1)
    return floor(config.number("num_attention_heads") / config.number("head_ratio"))


def _conv_query(config: Config) -> Node:
    """Heads as wide as half of an equal share of the width."""
    heads = _half_heads(config)
    return heads * floor(floor(config.number("hidden_size") / heads) / 2)


def _grouped_convolutions(config: Config) -> tuple[str, ...]:
    if config.whole("num_groups") not in (None, 1):
        return ("grouped feed-forwards (num_groups) are not understood: give the tensors",)
    return ()


_CONVBERT = replace(
    BERT,
    base="convbert.",
    outer=EMBEDDINGS + "?projected embeddings_project linear+ hidden embedded\n",
    layer=_CONV_LAYER,
    dims={
        "embedded": "embedding_size",
        "kernel": "conv_kernel_size",
        "taken": _half_heads,
        "query": _conv_query,
    },
    heads={
        **_PLAIN_HEADS,
        "ForMaskedLM": """
generator_predictions.LayerNorm norm+ embedded
generator_predictions.dense linear+ embedded hidden
generator_lm_head.bias =bias vocabulary
?untied generator_lm_head head vocabulary embedded
""",
        "ForMultipleChoice": ONE,
    },
    pooled=(),
    more=projected,
    doubts=_grouped_convolutions,
    stored="",
)

_SQUEEZED_LAYER = """
attention.query convolution+ hidden query_share 1
attention.key convolution+ hidden key_share 1
attention.value convolution+ hidden value_share 1
post_attention.conv1d convolution+ hidden after_share 1
post_attention.layernorm norm+ hidden
intermediate.conv1d convolution+ ffn inner_share 1
output.conv1d convolution+ hidden outer_share 1
output.layernorm norm+ hidden
"""


def _share(width: str, groups: str) -> Callable[[Config], Node]:
    return lambda config: floor(config.number(width) / config.number(groups))


MEMBER = encoders(
    "convolved_bert",
    "ConvBERT and SqueezeBERT",
    "transformers 5.24 models/convbert and models/squeezebert",
    {
        "convbert": _CONVBERT,
        "squeezebert": replace(
            BERT,
            base="transformer.",
            outer=EMBEDDINGS + "pooler.dense linear+ hidden hidden\n",
            layer=_SQUEEZED_LAYER,
            layers="encoder.layers.*.",
            heads={
                **_PLAIN_HEADS,
                "ForSequenceClassification": CLASSES,
                "ForMultipleChoice": ONE,
            },
            dims={
                "embedded": "hidden_size",
                "query_share": _share("hidden_size", "q_groups"),
                "key_share": _share("hidden_size", "k_groups"),
                "value_share": _share("hidden_size", "v_groups"),
                "after_share": _share("hidden_size", "post_attention_groups"),
                "inner_share": _share("hidden_size", "intermediate_groups"),
                "outer_share": _share("intermediate_size", "output_groups"),
            },
            stored="",
        ),
    },
)
