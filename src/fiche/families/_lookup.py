"""From a configuration to a model, by the family that knows its model type."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.number import quoted
from fiche.kernel.record import replace
from fiche.kernel.said import tell

Find = Callable[[str], Family | None]

# Where wholes keep the configuration of their language part.
_LANGUAGE = ("text_config", "llm_config", "language_config")

# What the class of torchvision is made of.
_VISION_TRANSFORMER = frozenset(
    {"image_size", "patch_size", "num_layers", "num_heads", "hidden_dim", "mlp_dim", "num_classes"}
)


def model_of(config: Config, find: Find) -> Model:
    """The model that a configuration describes; an unknown type gives an open model, never a guess (C2).

    `find` returns the family that knows a model type, None where none does.
    """
    config = _named(config)
    family = find(config.model_type)
    if family is None:
        return _language(config, find) or _open(config)
    try:
        return family.build(config, lambda part: model_of(part, find))
    except ZeroDivisionError:
        return _divided(config, family.name)


def _named(config: Config) -> Config:
    """The same with a model type where its keys are those of a class that has no configuration file."""
    if "model_type" in config.values or not set(config.values) >= _VISION_TRANSFORMER:
        return config
    named = {"model_type": "vision_transformer", "architectures": ["VisionTransformer"]}
    return replace(config, values={**config.values, **named})


def _divided(config: Config, family: str) -> Model:
    """A model whose configuration has zero heads, patches or groups where others are shared among them."""
    text = tell(
        "give the configuration of {model_type} again: a number that divides others is zero",
        model_type=config.model_type,
    )
    return Model(
        family=family,
        model_type=config.model_type,
        architecture="",
        config=config,
        open=(_asked(text),),
    )


def _language(config: Config, find: Find) -> Model | None:
    """An unknown whole around a known language part: open, with what that part keeps and no parameters."""
    part = next((p for p in map(config.part, _LANGUAGE) if p is not None), None)
    known = None if part is None else find(part.model_type)
    if part is None or known is None:
        return None
    language = model_of(part, find)
    found = _open(config)
    return replace(
        language,
        family=known.name,
        model_type=config.model_type,
        parameters=(),
        config=config,
        open=(*found.open, *language.open),
    )


def described(config: Config | None, checkpoint: Checkpoint | None, find: Find) -> Model:
    """The model that a configuration and the tensors describe together; one of them may be None.

    A GGUF file carries its own configuration. Tensors alone give stored bytes, and leave open what the layers
    keep.

    Raises:
        ValueError: neither is given.
    """
    if config is not None:
        return replace(model_of(config, find), checkpoint=checkpoint)
    if checkpoint is None:
        raise ValueError("a model needs a configuration or tensors")
    if checkpoint.format == "gguf":
        from fiche.families._gguf import gguf_model

        return gguf_model(checkpoint)
    text = tell("give the model's config.json: tensors alone do not say what the layers keep")
    return Model(
        family="", model_type="", architecture="", checkpoint=checkpoint, open=(_asked(text),)
    )


def _asked(text: str) -> Condition:
    return Condition(
        topic="architecture",
        text=text,
        supplier=tell("author of the fiche"),
        piece_kind="config.json",
    )


def _open(config: Config) -> Model:
    named = (
        tell("model type {quoted}", quoted=quoted(config.model_type))
        if config.model_type
        else tell("a model without model_type")
    )
    text = tell(
        "{named} is not known here: give its tensors, and state what its layers keep", named=named
    )
    return Model(
        family="",
        model_type=config.model_type,
        architecture="",
        config=config,
        open=(
            Condition(
                topic="architecture",
                text=text,
                supplier=tell("author of the fiche"),
                piece_kind="tensors",
            ),
        ),
    )
