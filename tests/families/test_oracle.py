"""Parameters and caches against the library's own models, built without memory on the meta device."""

import sys
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[1] / "oracle"

pytestmark = pytest.mark.torch

if str(ORACLE) not in sys.path:
    sys.path.insert(0, str(ORACLE))

from types_decoder import TYPES  # noqa: E402  beside the tests, like a script


@pytest.mark.parametrize("model_type", TYPES)
def test_names_shapes_counts_and_caches_are_those_of_the_library(model_type):
    from compare import CLASSES, accepted, differences
    from types_decoder import OPEN_CACHES, configurations

    tried = list(accepted(configurations(model_type, CLASSES[model_type])))
    left_open = ("open:", "layer ") if model_type in OPEN_CACHES else ()
    lines = [line for values in tried for line in differences(values)]
    assert [line for line in lines if not line.startswith(left_open)] == []
    assert tried
