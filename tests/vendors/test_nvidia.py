"""NVIDIA's support of formats: the catalog's word first, then a rule by compute capability."""

import pytest
from workloads import fact

from fiche.vendors.nvidia import MEMBER


def card(**facts):
    return {key: fact(value) for key, value in facts.items()}


@pytest.mark.parametrize(
    ("capability", "feature", "answer"),
    [
        ("7.5", "bf16", "no"),
        ("8.0", "bf16", "yes"),
        ("8.6", "fp8", "no"),
        ("8.9", "fp8", "yes"),
        ("8.9", "fp8_e4m3", "yes"),
        ("9.0", "fp8_e5m2", "yes"),
        ("12.0", "bf16", "yes"),
        ("5.2", "fp16", "no"),
        ("5.3", "fp16", "yes"),
        ("7.5", "fp32", "yes"),
        ("9.0", "int4", "unknown"),
        ("9.0", "", "unknown"),
    ],
)
def test_support_follows_the_capability(capability, feature, answer):
    """T4 (7.5) has no bf16, A100 (8.0) no fp8: hardware facts, to confirm and never to exclude."""
    assert MEMBER.supports(card(compute_capability=capability), feature) == answer


def test_what_the_catalog_states_comes_first():
    assert MEMBER.supports(card(compute_capability="7.5", bf16="yes"), "bf16") == "yes"
    assert MEMBER.supports(card(compute_capability="9.0", fp8="no"), "fp8_e4m3") == "no"


@pytest.mark.parametrize("capability", ["", "9", "sm_90", "9.x", "９.0"])
def test_a_capability_that_is_none_answers_nothing(capability):
    assert MEMBER.supports(card(compute_capability=capability), "bf16") == "unknown"


def test_a_card_without_facts_is_unknown_for_all():
    assert {MEMBER.supports({}, name) for name in ("fp32", "fp16", "bf16", "fp8")} == {"unknown"}
