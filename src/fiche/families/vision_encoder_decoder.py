"""Any encoder of images in front of a decoder that reads it: TrOCR and the like."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, asked, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import CrossCache, Model, Parameters
from fiche.kernel.said import tell

_WIDTHS = ("hidden_size", "d_model", "embed_dim")


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    encoder, decoder = config.part("encoder"), config.part("decoder")
    if encoder is None or decoder is None:
        return unread(config, MEMBER.name, tell("give encoder and decoder"))
    seen, told = inner(encoder), inner(decoder)
    crossing = any(isinstance(cache, CrossCache) for cache in told.caches)
    open_points = [*seen.open, *told.open]
    if not crossing:
        text = tell(
            "say what the cross-attention of {model_type} keeps: it is not read here",
            model_type=decoder.model_type,
        )
        open_points.append(asked(text))
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *renamed(seen.parameters, "", "encoder.", "vision"),
            *renamed(told.parameters, "", "decoder."),
            *_between(encoder, decoder),
        ),
        caches=told.caches,
        blocks=(*seen.blocks, *told.blocks),
        tied=told.tied,
        hidden=told.hidden,
        vocabulary=told.vocabulary,
        positions=told.positions,
        storage=storage_of(config, decoder, encoder),
        config=config,
        open=tuple(dict.fromkeys(open_points)),
    )


def _width(part: Config) -> int | None:
    return next((part.whole(key) for key in _WIDTHS if part.whole(key)), None)


def _between(encoder: Config, decoder: Config) -> tuple[Parameters, ...]:
    """A projection where the widths differ and the decoder does not read the encoder's own."""
    widths = [_width(part) for part in (encoder, decoder)]
    same = widths[0] == widths[1] or None in widths
    if same or decoder.value("cross_attention_hidden_size") is not None:
        return ()
    dims = {"seen": encoder.number(*_WIDTHS), "hidden": decoder.number(*_WIDTHS)}
    return rows("enc_to_dec_proj linear+ hidden seen", Place(dims=dims, part="projector"))


MEMBER = Family(
    name="vision_encoder_decoder",
    title="Encoders of images with decoders",
    source="transformers 5.24 models/vision_encoder_decoder",
    model_types=("vision-encoder-decoder",),
    build=_build,
)
