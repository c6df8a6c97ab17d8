"""BART and its relatives: mBART, Pegasus, Marian, M2M-100 (NLLB), Blenderbot, PLBart, MVP."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import head_class, labels_of
from fiche.families._reads import architecture_of, asked, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._seq2seq import decoder_caches, half_block
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import floor
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import replace

_LAYER = """
self_attn.{k,v,q,out}_proj linear+ hidden hidden
self_attn_layer_norm norm+ hidden
?cross encoder_attn.{k,v,q,out}_proj linear+ hidden hidden
?cross encoder_attn_layer_norm norm+ hidden
fc1 linear+ ffn hidden
fc2 linear+ hidden ffn
final_layer_norm norm+ hidden
"""

_HALF = """
?apart embed_tokens embedding vocabulary hidden
?positions embed_positions position positions hidden
?embedding_norm layernorm_embedding norm+ hidden
?last_norm layer_norm norm+ hidden
"""

_HEADS = {
    "ForConditionalGeneration": """
!tied lm_head head vocabulary hidden
?logits_bias final_logits_bias =buffer 1 vocabulary
""",
    "MTModel": """
!tied lm_head head vocabulary hidden
?logits_bias final_logits_bias =buffer 1 vocabulary
""",
    "ForSequenceClassification": """
classification_head.dense linear+ hidden hidden
classification_head.out_proj linear+ labels hidden
""",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}

_POSITIONS, _EMBEDDING_NORM = "positions", "embedding_norm"
_LAST_NORM, _LOGITS_BIAS = "last_norm", "logits_bias"

# What each type has, and how many rows its table of positions has beside the longest input.
_KINDS = {
    "bart": ((_POSITIONS, _EMBEDDING_NORM, _LOGITS_BIAS), 2),
    "plbart": ((_POSITIONS, _EMBEDDING_NORM, _LOGITS_BIAS), 2),
    "mvp": ((_POSITIONS, _EMBEDDING_NORM, _LOGITS_BIAS), 2),
    "mbart": ((_POSITIONS, _EMBEDDING_NORM, _LAST_NORM, _LOGITS_BIAS), 2),
    "blenderbot": ((_POSITIONS, _LAST_NORM, _LOGITS_BIAS), 0),
    "blenderbot-small": ((_POSITIONS, _EMBEDDING_NORM, _LOGITS_BIAS), 0),
    "pegasus": ((_POSITIONS, _LAST_NORM, _LOGITS_BIAS), 0),
    "marian": ((_POSITIONS, _LOGITS_BIAS), 0),
    "m2m_100": ((_LAST_NORM,), 0),
}


def _place(config: Config) -> Place:
    words, extra = _KINDS[config.model_type]
    positions = config.number("max_position_embeddings")
    sorts = config.model_type == "bart" and not architecture_of(config).endswith("Answering")
    place = Place(
        dims={
            "hidden": config.number("d_model"),
            "vocabulary": config.number("vocab_size"),
            "positions": positions + extra if extra else positions,
            "labels": labels_of(config, 3 if sorts else 2),
        }
    ).where(*words)
    return place if config.flag("tie_word_embeddings") is False else place.where("tied")


def _half(config: Config, place: Place, half: str) -> tuple[Place, Place]:
    """One half, and its layers."""
    count = config.number(f"{half}_layers")
    here = place.at(f"{half}.").where(ffn=config.number(f"{half}_ffn_dim"))
    here = replace(here, part="encoder") if half == "encoder" else here.where("cross")
    layers = range(config.whole(f"{half}_layers") or 0)
    return here, here.over("layers.*.", layers, count)


def _doubts(config: Config) -> tuple[str, ...]:
    found = []
    if config.flag("share_encoder_decoder_embeddings") is False:
        found.append("a decoder with a vocabulary of its own is not understood: give the tensors")
    if config.flag("use_prompt"):
        found.append("prompts inside the layers (use_prompt) are not understood: give the tensors")
    return tuple(found)


def _parameters(
    place: Place, body: Place, halves: list[tuple[Place, Place]], head: str
) -> list[Parameters]:
    found = [*rows("shared embedding vocabulary hidden", body)]
    for here, layer in halves:
        # Where nothing is shared, each half has a table of its own.
        here = here if "tied" in place.words else here.where("apart")
        found += [*rows(_HALF, here), *rows(_LAYER, layer)]
    return [*found, *rows(_HEADS.get(head, ""), place)]


@needing("bart", "encoder_layers", "decoder_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    head, doubt = head_class(config, _HEADS)
    place = _place(config)
    body = place if head == "Model" else place.at("model.")
    halves = [_half(config, body, half) for half in ("encoder", "decoder")]
    hidden, heads = place.dims["hidden"], config.number("decoder_attention_heads")
    decoder = halves[1][1]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=tuple(_parameters(place, body, halves, head)),
        caches=decoder_caches(decoder, heads, floor(hidden / heads)),
        blocks=(
            half_block(
                halves[0][1],
                "encoder",
                config.number("encoder_attention_heads"),
                hidden,
                halves[0][1].dims["ffn"],
            ),
            half_block(decoder, "attention+cross", heads, hidden, decoder.dims["ffn"]),
        ),
        tied="tied" in place.words,
        hidden=hidden,
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
        open=(*doubt, *map(asked, _doubts(config))),
    )


MEMBER = Family(
    name="bart",
    title="BART and its relatives",
    source="transformers 5.24 models/bart, mbart, pegasus, marian, m2m_100, blenderbot, plbart, mvp",
    model_types=tuple(_KINDS),
    build=_build,
)
