"""Weights: parameters x bits / 8 (B2, B4, A1)."""

import pytest
from workloads import fact, workload

from fiche.estimators.weights import MEMBER
from fiche.kernel.trace import conditions, formula
from fiche.kernel.unit import BYTE

SEVEN_BILLION = 7_000_000_000


def weights(**told):
    (node,) = MEMBER.estimate(workload(**told), None)
    return node


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ("fp64", 56_000_000_000),
        ("fp32", 28_000_000_000),
        ("bf16", 14_000_000_000),
        ("fp16", 14_000_000_000),
        ("fp8_e4m3", 7_000_000_000),
        ("fp8_e5m2", 7_000_000_000),
        ("int8", 7_000_000_000),
        ("int4", 3_500_000_000),
        ("nf4", 3_500_000_000),
        ("fp4", 3_500_000_000),
    ],
)
def test_seven_billion_parameters_in_each_format(storage, expected):
    """B2: 7e9 x 16 bit = 14 000 000 000 bytes."""
    node = weights(model__parameters=SEVEN_BILLION, formats__storage=storage)
    assert (node.id, node.low, node.high, node.unit) == ("weights", expected, expected, BYTE)
    assert type(node.low) is int


def test_the_formula_is_the_arithmetic():
    node = weights(model__parameters=SEVEN_BILLION, formats__storage_bits=16)
    assert node.low == 14_000_000_000
    assert formula(node) == "ceil(model.parameters x formats.storage_bits / bits_per_byte)"


def test_half_a_byte_is_a_whole_one():
    """Law 2: bytes are integers; nothing stores half of one."""
    assert weights(model__parameters=7, formats__storage="int4").low == 4


def test_the_format_really_loaded_counts_and_the_difference_is_said():
    """A1, B4: two fields; what runs is what was loaded."""
    node = weights(
        model__parameters=SEVEN_BILLION, formats__storage="mxfp4", formats__loaded="bf16"
    )
    assert node.low == 14_000_000_000
    assert node.label == "weights, as really loaded: bf16 (mxfp4 is declared)"


def test_a_format_loaded_as_declared_is_no_difference():
    node = weights(model__parameters=8, formats__storage="bf16", formats__loaded="bf16")
    assert (node.label, node.low) == ("weights", 16)


def test_stated_bits_and_a_named_format_give_the_hull():
    node = weights(model__parameters=8, formats__storage="int4", formats__storage_bits=5)
    assert (node.low, node.high) == (4, 5)


def test_quantised_weights_name_what_they_leave_out():
    """B4: scales and modules in another precision, named as left out."""
    left_out = weights(model__parameters=8, formats__storage="nf4").left_out
    assert left_out == (
        "quantisation metadata (scales, zero points)",
        "modules kept in another format",
    )


def test_sixteen_bits_carry_no_quantisation_metadata():
    left_out = weights(model__parameters=8, formats__storage="bf16").left_out
    assert left_out == ("modules kept in another format",)


@pytest.mark.parametrize(
    ("told", "topic", "words"),
    [
        ({"formats__storage": "bf16"}, "parameters", "state model.parameters"),
        ({"model__parameters": 8}, "storage_format", "state formats.storage"),
        (
            {"model__parameters": 8, "formats__storage": "Q4_K_M"},
            "storage_format",
            "the bits of 'Q4_K_M' are not known",
        ),
        (
            {"model__parameters": 8, "formats__loaded": "8-bit"},
            "storage_format",
            "write formats.loaded as one of",
        ),
        (
            {"model__parameters": 8, "formats__storage": "tf32"},
            "storage_format",
            "tf32 is a way to compute",
        ),
    ],
)
def test_what_is_missing_is_a_question_and_never_a_number(told, topic, words):
    """C2: never filled; format names are exact."""
    node = weights(**told)
    (condition,) = conditions(node)
    assert (node.low, node.high, condition.topic) == (0, None, topic)
    assert words in condition.text
    assert condition.supplier == "author of the fiche"


def test_a_name_in_other_letters_is_not_guessed():
    assert weights(model__parameters=8, formats__storage="BF16").high is None


def test_stated_bits_serve_where_the_name_is_unknown():
    node = weights(model__parameters=8, formats__storage="Q4_K_M", formats__storage_bits=5)
    assert (node.low, node.high) == (5, 5)


def test_the_bits_of_a_named_format_lead_back_to_the_line_that_names_it():
    """Law 1: a format's bits are a definition, at the address of the word."""
    node = weights(model__parameters=8, formats__storage="bf16")
    bits = node.origin.inputs[0].origin.inputs[0].origin.inputs[1]
    assert bits.origin.span == fact("bf16").address
    assert bits.origin.because == "bf16 holds 16 bits a value"
