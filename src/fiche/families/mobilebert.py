"""MobileBERT: layers inside a bottleneck, with several small feed-forwards each."""

from __future__ import annotations

from fiche.families._bert import ANSWERS, BERT_POOLED, CLASSES, IDS, NEXT, ONE, PREDICTIONS
from fiche.families._encoder import Encoder, encoders
from fiche.families._rows import Place, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, larger
from fiche.kernel.model import Parameters

_EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary embedded
embeddings.position_embeddings position positions hidden
embeddings.token_type_embeddings embedding types hidden
embeddings.embedding_transformation linear+ hidden 3*embedded
embeddings.LayerNorm norm+ hidden
?pooler pooler.dense linear+ hidden hidden
"""

_LAYER = """
attention.self.{query,key} linear+ inside inside
attention.self.value linear+ inside hidden
attention.output.dense linear+ inside inside
attention.output.LayerNorm norm+ inside
intermediate.dense linear+ ffn inside
output.dense linear+ inside ffn
output.LayerNorm norm+ inside
output.bottleneck.dense linear+ hidden inside
output.bottleneck.LayerNorm norm+ hidden
bottleneck.{input,attention}.dense linear+ inside hidden
bottleneck.{input,attention}.LayerNorm norm+ inside
"""

_FEED_FORWARD = """
intermediate.dense linear+ ffn inside
output.dense linear+ inside ffn
output.LayerNorm norm+ inside
"""

# The part of the width that the embedding lacks; the head is the embedding and this.
_PREDICTIONS = PREDICTIONS + "cls.predictions.dense linear beyond vocabulary\n"


def _more_forwards(config: Config, body: Place) -> tuple[Parameters, ...]:
    """The feed-forwards of a layer beside its last one."""
    layers = range(config.whole("num_hidden_layers") or 0)
    several = (config.whole("num_feedforward_networks") or 1) > 1
    if not several:
        return ()
    layer = body.over("encoder.layer.*.ffn.*.", layers, config.number("num_hidden_layers"))
    return rows(_FEED_FORWARD, layer.times(config.number("num_feedforward_networks") - 1))


def _beyond(config: Config) -> Node:
    return larger(0, config.number("hidden_size") - config.number("embedding_size"))


def _doubts(config: Config) -> tuple[str, ...]:
    usual = {
        "use_bottleneck": True,
        "use_bottleneck_attention": False,
        "key_query_shared_bottleneck": True,
        "trigram_input": True,
        "classifier_activation": True,
    }
    return tuple(
        f"{key} of another value is not understood: give the tensors"
        for key, value in usual.items()
        if config.flag(key) is (not value)
    )


MEMBER = encoders(
    "mobilebert",
    "MobileBERT",
    "transformers 5.24 models/mobilebert",
    {
        "mobilebert": Encoder(
            outer=_EMBEDDINGS,
            layer=_LAYER,
            layers="encoder.layer.*.",
            base="mobilebert.",
            dims={
                "embedded": "embedding_size",
                "inside": "intra_bottleneck_size",
                "beyond": _beyond,
            },
            besides=_more_forwards,
            heads={
                "ForPreTraining": _PREDICTIONS + NEXT,
                "ForMaskedLM": _PREDICTIONS,
                "ForNextSentencePrediction": NEXT,
                "ForSequenceClassification": CLASSES,
                "ForTokenClassification": CLASSES,
                "ForMultipleChoice": ONE,
                "ForQuestionAnswering": ANSWERS,
            },
            pooled=BERT_POOLED,
            stored=IDS,
            doubts=_doubts,
        )
    },
)
