"""What transformers builds from a configuration, beside what fiche says of it.

Models are built on the meta device: names, shapes and counts, and no memory. Used by
tests/families/test_oracle.py, and by hand: `python tests/oracle/compare.py MODEL_TYPE ...`.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, DynamicCache
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

import fiche.families
from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Figure
from fiche.registry import claiming

transformers.logging.set_verbosity_error()

# Text models that the library builds only inside another: their own classes.
NAMED = {
    "deepseek_ocr2_text": "DeepseekOcr2TextModel",
    "emu3_text_model": "Emu3TextModel",
    "ernie4_5_vl_moe_text": "Ernie4_5_VLMoeTextModel",
    "granite4_vision_text": "Granite4VisionTextModel",
    "minimax_m3_vl_text": "MiniMaxM3VLForCausalLM",
    "step3p5": "Step3p7TextModel",
    "paddleocr_vl_text": "PaddleOCRTextModel",
    "qwen2_5_omni_text": "Qwen2_5OmniThinkerTextModel",
    "qwen3_omni_moe_text": "Qwen3OmniMoeThinkerTextModel",
    "unlimited_ocr_text": "UnlimitedOcrTextModel",
}

NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")
CLASSES = {
    line["model_type"]: line["defaults"]
    for line in map(
        json.loads,
        (Path(fiche.families.__file__).parent / "class_defaults.json")
        .read_text(encoding="utf-8")
        .splitlines()[1:],
    )
}


def find(word):
    return claiming("fiche.families", Family, lambda member: member.model_types, word)


def pattern(name):
    """A tensor's name with `*` for each number."""
    return NUMBER.sub("*", name)


def config_of(values):
    """A configuration as if it were read from a file with these keys."""
    return Config(
        file="config.json",
        sha256="0" * 64,
        values=values,
        classes=CLASSES,
        classes_of="transformers 5.24.0",
    )


def library_config(values):
    """The library's own configuration of the same keys."""
    inside = {key: value for key, value in values.items() if key != "model_type"}
    return AutoConfig.for_model(values["model_type"], **inside)


def library_model(values, auto=None):
    """The library's model on the meta device: with its head where it has one for text."""
    config = library_config(values)
    named = NAMED.get(values["model_type"])
    with torch.device("meta"):
        if values.get("architectures"):
            return getattr(transformers, values["architectures"][0])(config)
        if named is not None:
            module = importlib.import_module(
                type(config).__module__.replace("configuration", "modeling")
            )
            return getattr(module, named)(config)
        has_head = values["model_type"] in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
        chosen = auto or (AutoModelForCausalLM if has_head else AutoModel)
        return chosen.from_config(config)


def held(model):
    """Count of each (name, shape) that a model holds and saves: tied tensors once."""
    found = Counter()
    for name, tensor in model.named_parameters():
        found[pattern(name), tuple(tensor.shape)] += 1
    saved = model.state_dict().keys()
    for name, tensor in model.named_buffers():
        if name in saved:
            found[pattern(name), tuple(tensor.shape)] += 1
    return found


def exact(node):
    assert isinstance(node, Figure), f"no number: {node!r}"
    assert node.low == node.high, f"no exact number: {node!r}"
    return node.low


def stated(model, *, head=True):
    """Count of each (name, shape) that fiche states for a model."""
    found = Counter()
    for group in model.parameters:
        if group.loaded and (head or group.role != "head"):
            shape = tuple(exact(side) for side in group.shape)
            found[group.name, shape] += exact(group.copies)
    return found


def library_caches(values):
    """Kind and window of each layer as the library's dynamic cache holds them."""
    layers = DynamicCache(config=library_config(values)).layers
    return [
        (
            # What an indexer keeps beside is told apart by its parameters.
            type(layer).__name__.replace("Indexed", ""),
            getattr(layer, "sliding_window", None),
        )
        for layer in layers
    ]


def stated_caches(model, layers):
    """The same as fiche states them; a layer that keeps nothing is a dummy."""
    found = [("DummyLayer", None)] * layers
    for cache in model.caches:
        for layer in cache.layers:
            found[layer] = _kind(cache)
    return found


def _kind(cache):
    if type(cache).__name__ == "LatentCache" or cache.reach == "full":
        return ("DynamicLayer", None)
    return ("DynamicSlidingWindowLayer", exact(cache.window))


def accepted(configurations):
    """The first configuration, and of the others those that the library itself accepts."""
    first, *others = configurations
    yield first
    for values in others:
        try:
            library_model(values)
            library_caches(values)
        except Exception:  # noqa: BLE001  whatever way the library refuses it
            continue
        yield values


def differences(values):
    """Lines that say where the two disagree, none where they agree."""
    built = library_model(values)
    model = model_of(config_of(values), find)
    lines = [f"open: {condition.text}" for condition in model.open]
    whole = (
        bool(values.get("architectures"))
        or values["model_type"] in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    )
    ours = stated(model, head=whole)
    theirs = held(built)
    if not whole and not values.get("architectures"):
        theirs = Counter({(f"model.{name}", shape): n for (name, shape), n in theirs.items()})
    for key in sorted(ours.keys() | theirs.keys()):
        if ours[key] != theirs[key]:
            lines.append(f"{key[0]} {key[1]}: library {theirs[key]}, fiche {ours[key]}")
    caches = library_caches(values)
    said = stated_caches(model, len(caches))
    lines += [
        f"layer {index}: library {theirs_of}, fiche {ours_of}"
        for index, (theirs_of, ours_of) in enumerate(zip(caches, said, strict=True))
        if theirs_of != ours_of
    ]
    return lines


def main():
    from types_decoder import configurations

    for model_type in sys.argv[1:]:
        for values in accepted(configurations(model_type, CLASSES[model_type])):
            try:
                lines = differences(values)
            except Exception as problem:  # noqa: BLE001  by hand: go on with the next type
                lines = [f"{type(problem).__name__}: {str(problem)[:300]}"]
            if lines:
                print(model_type, json.dumps(values))
                print("   ", "\n    ".join(lines[:22]))
                break
        else:
            print(model_type, "exact")


if __name__ == "__main__":
    main()
