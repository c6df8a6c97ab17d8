"""Gemma 4 and Gemma 3n with images and sound in front of their decoders.

Towers whose tensors are not listed here (sound, and Gemma 3n's images) leave the model open; what the decoder
keeps is stated all the same.
"""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Parts, Tower, Wrapper, joined, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.record import replace

_BODY = """
patch_embedder.position_embedding_table =position 2 places hidden
patch_embedder.input_proj linear hidden 3*patch*patch
"""

_LAYER = """
self_attn.q_proj.linear linear+attention_bias query hidden
self_attn.{k,v}_proj.linear linear+attention_bias kv hidden
self_attn.o_proj.linear linear+attention_bias hidden query
self_attn.{q,k}_norm norm head
mlp.{gate,up}_proj.linear linear ffn hidden
mlp.down_proj.linear linear hidden ffn
{input,post_attention,pre_feedforward,post_feedforward}_layernorm norm hidden
"""

_NAME, _TITLE = "gemma4", "Gemma 4 and Gemma 3n with images and sound"
_SOURCE = "transformers 5.24 models/gemma4"


def _doubts(config: Config) -> tuple[str, ...]:
    if config.flag("use_clipped_linears") or config.flag("standardize"):
        return ("bounds beside the weights of the tower are not listed here: give its tensors",)
    return ()


def _widths(config: Config, parts: Parts) -> dict[str, Node]:
    vision = parts.get("vision_config")
    hidden = parts["text_config"].number("hidden_size")
    seen = hidden if vision is None else vision.number("hidden_size")
    return {"hidden": hidden, "seen": seen}


def _sees(config: Config, parts: Parts) -> tuple[str, ...]:
    return ("sees",) if "vision_config" in parts else ()


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "gemma4_vision": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "places": "position_embedding_size",
                "patch": "patch_size",
                "head": "head_dim",
                "query": lambda config: (
                    config.number("num_attention_heads") * config.number("head_dim")
                ),
                "kv": lambda config: (
                    config.number("num_key_value_heads") * config.number("head_dim")
                ),
            },
            words={"attention_bias": "attention_bias"},
            doubts=_doubts,
            part="vision",
            gated=True,
        )
    },
)

_SEEING = Tower(key="vision_config", prefix="model.vision_tower.", usual="gemma4_vision")
_HEARING = Tower(key="audio_config", prefix="model.audio_tower.", part="audio")

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "gemma4": Wrapper(
            towers=(_SEEING, _HEARING),
            projector="?sees embed_vision.embedding_projection linear hidden seen",
            dims=_widths,
            words=_sees,
        ),
        "gemma3n": Wrapper(towers=(replace(_SEEING, usual="gemma3n_vision"), _HEARING)),
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
