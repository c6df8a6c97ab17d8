"""What tests of decoders share: a configuration without a file, its model, its sums."""

import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import fiche.families
from fiche.estimators._elements import elements
from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming


@lru_cache
def classes():
    """Defaults of classes by model type, as they are shipped."""
    place = Path(fiche.families.__file__).parent / "class_defaults.json"
    text = place.read_text(encoding="utf-8")
    lines = [json.loads(line, parse_float=Fraction) for line in text.splitlines()[1:]]
    return {line["model_type"]: line["defaults"] for line in lines}


def config_of(model_type, **values):
    return Config(
        file="config.json",
        sha256="0" * 64,
        values={"model_type": model_type, **values},
        classes=classes(),
        classes_of="transformers 5.24.0",
    )


def model(model_type, **values):
    """The model that a file with these keys describes."""
    return model_of(
        config_of(model_type, **values),
        lambda word: claiming("fiche.families", Family, lambda member: member.model_types, word),
    )


def exact(node):
    assert node.low == node.high, node
    return node.low


def parameters(found, *, buffers=False):
    """How many parameters a model holds: buffers apart."""
    return sum(
        exact(elements(group))
        for group in found.parameters
        if group.loaded and (buffers or group.role != "buffer")
    )


def values_per_token(found):
    """Values a token costs in layers that see all tokens, keys and values (MLA: once)."""
    return sum(
        _values(cache) for cache in found.caches if getattr(cache, "reach", "full") == "full"
    )


def _values(cache):
    if hasattr(cache, "latent"):
        return exact(cache.count) * (exact(cache.latent) + exact(cache.rope))
    return (
        exact(cache.count) * exact(cache.kv_heads) * (exact(cache.key_dim) + exact(cache.value_dim))
    )


def reaches(found):
    """Kind of each layer's cache by index, and its window where it has one."""
    by_layer = {}
    for cache in found.caches:
        window = getattr(cache, "window", None)
        for layer in cache.layers:
            by_layer[layer] = (cache.reach, None if window is None else exact(window))
    return [by_layer.get(layer) for layer in range(max(by_layer) + 1)]
