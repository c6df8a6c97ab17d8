"""Qwen2-Audio and Voxtral: Whisper's encoder in front of a decoder."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, wrappers
from fiche.families.whisper import ENCODER, LAYER
from fiche.kernel.doors import Family

_NAME, _TITLE = "audio_language", "Qwen2-Audio and Voxtral"
_SOURCE = "transformers 5.24 models/qwen2_audio and models/voxtral"

_HEARD = {**NO_WORDS, "mels": "num_mel_bins", "frames": "max_source_positions"}

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen2_audio_encoder": Encoder(
            outer=ENCODER,
            layer=LAYER,
            layers="layers.*.",
            base="",
            heads={},
            dims={
                **_HEARD,
                "hidden": "d_model",
                "ffn": "encoder_ffn_dim",
                "heads": "encoder_attention_heads",
            },
            depth="encoder_layers",
            part="audio",
        ),
        "voxtral_encoder": Encoder(
            outer=ENCODER,
            layer=LAYER,
            layers="layers.*.",
            base="",
            heads={},
            dims=_HEARD,
            part="audio",
        ),
    },
)

_TOWER = Tower(key="audio_config", prefix="model.audio_tower.", part="audio")

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen2_audio": Wrapper(
            towers=(_TOWER,),
            projector="multi_modal_projector.linear linear+ hidden features",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "features": parts["audio_config"].number("d_model"),
            },
        ),
        "voxtral": Wrapper(
            towers=(_TOWER,),
            projector="""
multi_modal_projector.linear_1 linear hidden features
multi_modal_projector.linear_2 linear hidden hidden
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                # Four frames side by side become one token: the encoder's inner width.
                "features": parts["audio_config"].number("intermediate_size"),
            },
        ),
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
