"""Names and shapes of whole models, against the classes of transformers built on the meta device."""

import collections
import json
from fractions import Fraction

import pytest
from oracle.types_other import TYPES

from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming

pytestmark = pytest.mark.torch


def _find(name):
    return claiming("fiche.families", Family, lambda m: m.model_types, name)


def _classes():
    from oracle.class_defaults import classes, declared

    return {
        name: json.loads(json.dumps(declared(kind)), parse_float=Fraction)
        for name, kind in classes().items()
    }


_KEPT = {}


def our(values):
    if not _KEPT:
        _KEPT.update(_classes())
    values = json.loads(json.dumps(values), parse_float=Fraction)
    config = Config(
        file="config.json", sha256="0" * 64, values=values, classes=_KEPT, classes_of="5.24"
    )
    return model_of(config, _find)


def exact(node):
    assert node.exact, node
    return int(node.low)


def groups_of(model):
    found = collections.Counter()
    for each in model.parameters:
        if each.loaded:
            found[each.name, tuple(map(exact, each.shape))] += exact(each.copies)
    return found


def theirs(model_type, kind, keys):
    import torch
    import transformers

    config = transformers.AutoConfig.for_model(model_type, **keys)
    with torch.device("meta"):
        model = getattr(transformers, kind)(config)
    found = collections.Counter()
    saved = model.state_dict().keys()
    buffers = [(name, held) for name, held in model.named_buffers() if name in saved]
    for name, tensor in [*model.named_parameters(), *buffers]:
        starred = ".".join("*" if part.isdigit() else part for part in name.split("."))
        found[starred, tuple(tensor.shape)] += 1
    return found, config


@pytest.mark.parametrize(
    ("model_type", "kind", "keys"),
    TYPES,
    ids=[f"{i}-{name}-{kind}" for i, (name, kind, _) in enumerate(TYPES)],
)
def test_every_parameter_is_there_and_none_else(model_type, kind, keys):
    wanted, config = theirs(model_type, kind, keys)
    named = {"model_type": model_type, "architectures": [kind]}
    saved = {**json.loads(config.to_json_string(use_diff=True)), **named}
    for values in (keys | named, saved):
        model = our(values)
        assert not model.open
        assert groups_of(model) == wanted
