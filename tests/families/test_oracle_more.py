"""Names and shapes of the long tail of encoders, vision and sound, against transformers on the meta device."""

import json

import pytest
from families.oracle import groups_of, our, theirs
from oracle.types_more import TYPES

pytestmark = pytest.mark.torch


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
