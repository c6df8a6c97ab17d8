"""DeBERTa: content and position attend apart, with relative positions in one table for all layers."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders, named_or
from fiche.kernel.config import Config
from fiche.kernel.figure import Node

_EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary embedded
?absolute embeddings.position_embeddings position positions embedded
?types embeddings.token_type_embeddings embedding types embedded
?projected embeddings.embed_proj linear hidden embedded
embeddings.LayerNorm norm+ hidden
?relative encoder.rel_embeddings position distances hidden
?norm encoder.LayerNorm norm+ hidden
?convolution encoder.conv.conv convolution+ hidden hidden kernel
?convolution encoder.conv.LayerNorm norm+ hidden
"""

_REST = """
attention.output.dense linear+ hidden hidden
attention.output.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""

_FIRST = """
attention.self.{q,v}_bias =bias hidden
attention.self.in_proj linear 3*hidden hidden
?key_position attention.self.pos_proj linear hidden hidden
?query_position attention.self.pos_q_proj linear+ hidden hidden
?talking attention.self.head_{logits,weights}_proj linear heads heads
"""

_SECOND = """
attention.self.{query,key,value}_proj linear+ hidden hidden
?key_position attention.self.pos_key_proj linear+ hidden hidden
?query_position attention.self.pos_query_proj linear+ hidden hidden
"""

_PREDICTIONS = """
?legacy cls.predictions.bias =bias vocabulary
?legacy cls.predictions.transform.dense linear+ hidden hidden
?legacy cls.predictions.transform.LayerNorm norm+ hidden
?legacy ?untied cls.predictions.decoder head+ vocabulary hidden
!legacy lm_predictions.lm_head.bias =bias vocabulary
!legacy lm_predictions.lm_head.dense linear+ hidden hidden
!legacy lm_predictions.lm_head.LayerNorm norm+ hidden
"""

_HEADS = {
    "ForMaskedLM": _PREDICTIONS,
    "ForSequenceClassification": """
pooler.dense linear+ pooled pooled
classifier linear+ labels pooled
""",
    "ForMultipleChoice": """
pooler.dense linear+ pooled pooled
classifier linear+ 1 pooled
""",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}


def _positions(config: Config) -> set[str]:
    """The kinds of positional attention: a list, or words joined by `|`."""
    told = config.value("pos_att_type")
    if isinstance(told, str):
        return {each.strip() for each in told.lower().split("|")}
    return (
        {each for each in told or [] if isinstance(each, str)} if isinstance(told, list) else set()
    )


def _words(config: Config) -> tuple[str, ...]:
    kinds, relative = _positions(config), bool(config.flag("relative_attention"))
    first, own = config.model_type == "deberta", not config.flag("share_att_key")
    found = {
        "types": bool(config.whole("type_vocab_size")),
        "absolute": config.flag("position_biased_input") is not False,
        "relative": relative,
        "norm": not first and "layer_norm" in config.text("norm_rel_ebd"),
        "convolution": not first and bool(config.whole("conv_kernel_size")),
        "key_position": relative and (first or own) and "c2p" in kinds,
        "query_position": relative and (first or own) and "p2c" in kinds,
        "talking": bool(config.flag("talking_head")),
        "projected": config.value("embedding_size") is not None
        and config.whole("embedding_size") != config.whole("hidden_size"),
        "legacy": config.flag("legacy") is not False,
    }
    return tuple(word for word, there in found.items() if there)


def _distances(config: Config) -> Node:
    """Rows of the table of relative positions: twice the buckets, or twice the furthest distance."""
    if config.model_type != "deberta" and (config.whole("position_buckets") or -1) > 0:
        return 2 * config.number("position_buckets")
    told = config.value("max_relative_positions")
    furthest = isinstance(told, int) and told >= 1
    return 2 * config.number("max_relative_positions" if furthest else "max_position_embeddings")


def _kind(layer: str) -> Encoder:
    return Encoder(
        outer=_EMBEDDINGS,
        layer=layer + _REST,
        layers="encoder.layer.*.",
        base="deberta.",
        heads=_HEADS,
        dims={
            "embedded": named_or("embedding_size", "hidden_size"),
            "pooled": named_or("pooler_hidden_size", "hidden_size"),
            "kernel": "conv_kernel_size",
            "distances": _distances,
        },
        more=_words,
        stored="embeddings.position_ids =buffer 1 positions",
    )


MEMBER = encoders(
    "deberta",
    "DeBERTa",
    "transformers 5.24 models/deberta and models/deberta_v2",
    {"deberta": _kind(_FIRST), "deberta-v2": _kind(_SECOND)},
)
