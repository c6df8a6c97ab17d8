"""Intel's support of formats: the catalog's word, and nothing read into it."""

import pytest
from workloads import fact

from fiche.vendors.intel import MEMBER


@pytest.mark.parametrize(
    ("stated", "feature", "answer"),
    [
        ({"bf16": "yes"}, "bf16", "yes"),
        ({"bf16": "no"}, "bf16", "no"),
        ({}, "bf16", "unknown"),
        ({"fp8": "yes"}, "fp8_e5m2", "yes"),
        ({"architecture": "Xe-HPC"}, "fp16", "unknown"),
    ],
)
def test_support_is_what_is_stated(stated, feature, answer):
    assert MEMBER.supports({k: fact(v) for k, v in stated.items()}, feature) == answer
