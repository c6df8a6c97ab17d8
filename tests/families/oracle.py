"""What fiche and the library say of one small configuration, as counts of names and shapes."""

import collections
import json
import re
from fractions import Fraction

from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming


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
        parts = ("*" if part.isdigit() else part for part in name.split("."))
        starred = re.sub(r"expert_\d+", "expert_*", ".".join(parts))
        found[starred, tuple(tensor.shape)] += 1
    return found, config
