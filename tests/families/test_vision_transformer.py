"""The vision transformer of torchvision: counts of its weights' metadata (num_params of torchvision 0.29)."""

import pytest
from families.decoders import classes, exact, parameters

from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming

BASE = {"num_layers": 12, "num_heads": 12, "hidden_dim": 768, "mlp_dim": 3072}
LARGE = {"num_layers": 24, "num_heads": 16, "hidden_dim": 1024, "mlp_dim": 4096}
HUGE = {"num_layers": 32, "num_heads": 16, "hidden_dim": 1280, "mlp_dim": 5120}


def of(**values):
    config = Config(file="config.json", sha256="0" * 64, values=values, classes=classes())
    return model_of(
        config, lambda w: claiming("fiche.families", Family, lambda m: m.model_types, w)
    )


@pytest.mark.parametrize(
    ("dims", "patch", "side", "published"),
    [
        (BASE, 16, 224, 86_567_656),
        (BASE, 32, 224, 88_224_232),
        (LARGE, 16, 224, 304_326_632),
        (LARGE, 32, 224, 306_535_400),
        (HUGE, 14, 518, 633_470_440),
    ],
)
def test_parameters_are_those_published(dims, patch, side, published):
    found = of(**dims, patch_size=patch, image_size=side, num_classes=1000)
    assert found.open == ()
    assert found.family == "vision_transformer"
    assert parameters(found) == published


def test_its_blocks_are_encoders():
    (block,) = of(**BASE, patch_size=16, image_size=224, num_classes=1000).blocks
    assert (exact(block.heads), exact(block.inner), block.kind) == (12, 3072, "encoder")


def test_fewer_keys_name_nothing():
    assert of(**BASE, patch_size=16).family == ""
