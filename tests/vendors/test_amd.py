"""AMD's support of formats: the catalog's word, and nothing read into it."""

import pytest
from workloads import fact

from fiche.vendors.amd import MEMBER


@pytest.mark.parametrize(
    ("stated", "feature", "answer"),
    [
        ({"bf16": "yes"}, "bf16", "yes"),
        ({"bf16": "no"}, "bf16", "no"),
        ({}, "bf16", "unknown"),
        ({"fp8": "yes"}, "fp8", "yes"),
        ({"fp8": "yes"}, "fp8_e4m3", "unknown"),
        ({"fp8": "no"}, "fp8_e4m3", "no"),
        ({"gfx": "gfx90a"}, "fp16", "unknown"),
        ({"bf16": "maybe"}, "bf16", "unknown"),
    ],
)
def test_support_is_what_is_stated(stated, feature, answer):
    """One fp8 encoding is not the other: a general yes leaves a particular one unknown."""
    assert MEMBER.supports({k: fact(v) for k, v in stated.items()}, feature) == answer
