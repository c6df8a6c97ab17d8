"""A model from its own files, by the family that knows its type: all that a command without a fiche needs."""

from __future__ import annotations

from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.registry import claiming


def model_from(config: Config | None, checkpoint: Checkpoint | None) -> Model | None:
    """The model that its files describe together; None without any."""
    if config is None and checkpoint is None:
        return None
    from fiche.families import described

    return described(config, checkpoint, family_of)


def family_of(model_type: str) -> Family | None:
    """The family that knows a model type."""
    return claiming("fiche.families", Family, lambda family: family.model_types, model_type)
