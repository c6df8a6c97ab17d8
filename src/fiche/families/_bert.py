"""Tables of BERT's layer and of the heads that encoders like it share, under the names of transformers 5.24."""

from __future__ import annotations

from fiche.families._encoder import Encoder
from fiche.kernel.config import Config
from fiche.kernel.record import replace

EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary embedded
embeddings.position_embeddings position positions embedded
embeddings.token_type_embeddings embedding types embedded
embeddings.LayerNorm norm+ embedded
"""

POOLER = "?pooler pooler.dense linear+ hidden hidden\n"

LAYER = """
attention.self.{query,key,value} linear+ hidden hidden
?global attention.self.{query,key,value}_global linear+ hidden hidden
attention.output.dense linear+ hidden hidden
attention.output.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""

IDS = "embeddings.position_ids =buffer 1 positions"

PREDICTIONS = """
cls.predictions.bias =bias vocabulary
cls.predictions.transform.dense linear+ hidden hidden
cls.predictions.transform.LayerNorm norm+ hidden
?untied cls.predictions.decoder head+ vocabulary hidden
"""

LM_HEAD = """
lm_head.bias =bias vocabulary
lm_head.dense linear+ hidden hidden
lm_head.layer_norm norm+ hidden
?untied lm_head.decoder head+ vocabulary hidden
"""

NEXT = "cls.seq_relationship linear+ 2 hidden\n"
CLASSES = "classifier linear+ labels hidden"
ONE = "classifier linear+ 1 hidden"
ANSWERS = "qa_outputs linear+ labels hidden"

TWO_STEPS = """
classifier.dense linear+ hidden hidden
classifier.out_proj linear+ labels hidden
"""

BERT_HEADS = {
    "ForPreTraining": PREDICTIONS + NEXT,
    "ForMaskedLM": PREDICTIONS,
    "LMHeadModel": PREDICTIONS,
    "ForNextSentencePrediction": NEXT,
    "ForSequenceClassification": CLASSES,
    "ForTokenClassification": CLASSES,
    "ForMultipleChoice": ONE,
    "ForQuestionAnswering": ANSWERS,
}
BERT_POOLED = (
    "Model",
    "ForPreTraining",
    "ForNextSentencePrediction",
    "ForSequenceClassification",
    "ForMultipleChoice",
)

ROBERTA_HEADS = {
    "ForMaskedLM": LM_HEAD,
    "ForCausalLM": LM_HEAD,
    "ForSequenceClassification": TWO_STEPS,
    "ForTokenClassification": CLASSES,
    "ForMultipleChoice": ONE,
    "ForQuestionAnswering": ANSWERS,
}


def crossed(config: Config) -> tuple[str, ...]:
    """What would add tensors that the tables do not list."""
    if config.flag("add_cross_attention"):
        return ("add_cross_attention is not understood here: give the model's tensors",)
    return ()


BERT = Encoder(
    outer=EMBEDDINGS + POOLER,
    layer=LAYER,
    layers="encoder.layer.*.",
    base="bert.",
    heads=BERT_HEADS,
    pooled=BERT_POOLED,
    dims={"embedded": "hidden_size"},
    stored=IDS,
    doubts=crossed,
)

ROBERTA = replace(BERT, base="roberta.", heads=ROBERTA_HEADS, pooled=("Model", "ForMultipleChoice"))


def projected(config: Config) -> tuple[str, ...]:
    """A word where the embeddings have a width of their own."""
    width = config.whole("embedding_size")
    return () if width is None or width == config.whole("hidden_size") else ("projected",)
