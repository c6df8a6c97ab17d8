"""compressed-tensors: schemes by target and their packings."""

import pytest
from layouts import group, linear, loading, model, packed

from fiche.estimators.quantisation.compressed_tensors import MEMBER


def scheme(form, *, targets=("Linear",), active=None, **weights):
    return {
        "targets": list(targets),
        "weights": weights,
        "input_activations": active,
        "format": form,
    }


def told(*schemes, ignore=("lm_head",)):
    groups = {f"group_{place}": each for place, each in enumerate(schemes)}
    return {"quant_method": "compressed-tensors", "config_groups": groups, "ignore": list(ignore)}


W4A16 = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 128}
FP8 = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "channel"}
PACK, FLOAT = "pack-quantized", "float-quantized"


@pytest.mark.parametrize(
    ("form", "weights", "expected"),
    [
        # words of eight values; 2 scales a row; the shape as two int64
        (PACK, W4A16, (64 * 32 * 4, 64 * 2 * 2 + 16)),
        # packed zero points: 64/8 words for each of 2 groups
        (PACK, {**W4A16, "symmetric": False}, (8192, 256 + 16 + 8 * 2 * 4)),
        (PACK, {**W4A16, "actorder": "group"}, (8192, 256 + 16 + 256 * 4)),
        (PACK, {**W4A16, "strategy": "channel"}, (8192, 128 + 16)),
        (PACK, {**W4A16, "num_bits": 8}, (16384, 256 + 16)),
        (FLOAT, FP8, (16384, 128)),
        (FLOAT, {**FP8, "strategy": "tensor"}, (16384, 2)),
        ("int-quantized", {**FP8, "type": "int"}, (16384, 128)),
        ("int-quantized", {**FP8, "type": "int", "symmetric": False}, (16384, 128 + 64)),
        (FLOAT, {**FP8, "strategy": "block", "block_structure": [128, 128]}, (16384, 2 * 2)),
        ("mxfp4-pack-quantized", {"num_bits": 4}, (8192, 64 * 8)),
        ("nvfp4-pack-quantized", {"num_bits": 4}, (8192, 64 * 16 + 4)),
    ],
)
def test_a_module_of_64_by_256(form, weights, expected):
    assert packed(MEMBER, model(linear(64, 256), quantization=told(scheme(form, **weights)))) == [
        expected
    ]


def test_words_are_padded():
    """3-bit words hold ten values: 25 inputs take three of them."""
    weights = {**W4A16, "num_bits": 3, "strategy": "channel"}
    held = model(linear(2, 25), quantization=told(scheme(PACK, **weights)))
    assert packed(MEMBER, held) == [(2 * 3 * 4, 4 + 16)]


def test_static_inputs_add_a_scale():
    held = model(
        linear(64, 256), quantization=told(scheme(FLOAT, active={"dynamic": False}, **FP8))
    )
    assert packed(MEMBER, held) == [(16384, 130)]


def test_layers_by_name_by_class_and_left_alone():
    schemes = (
        scheme(PACK, **W4A16),
        scheme(FLOAT, targets=["re:.*layers\\.[01]\\..*"], **FP8),
    )
    held = model(
        linear(64, 256, layers=range(4)),
        quantization=told(*schemes, ignore=["model.layers.3.mlp.up_proj"]),
    )
    parts = MEMBER.packed(held, held.parameters[0], loading(held))
    found = {(part.copies.low, None if part.values is None else part.values.low) for part in parts}
    assert found == {(2, 16384), (1, 8192), (1, None)}


def test_the_head_is_quantised_where_it_is_not_ignored():
    head = group("lm_head.weight", "head", 64, 256)
    assert packed(MEMBER, model(head, quantization=told(scheme(FLOAT, **FP8)))) == [(None, None)]
    held = model(head, quantization=told(scheme(FLOAT, **FP8), ignore=[]))
    assert packed(MEMBER, held)[0][0] == 16384


@pytest.mark.parametrize(
    "schemes", [scheme("marlin-24", **W4A16), scheme(PACK, **{**W4A16, "strategy": "token"})]
)
def test_what_is_not_known_stays_open(schemes):
    held = model(linear(64, 64), quantization=told(schemes))
    (part,) = MEMBER.packed(held, held.parameters[0], loading(held))
    assert part.values.high is None


def test_a_pattern_that_may_run_away_is_not_tried():
    held = model(linear(64, 64), quantization=told(scheme(FLOAT, **FP8), ignore=["re:(.*)*x"]))
    (part,) = MEMBER.packed(held, held.parameters[0], loading(held))
    assert part.values.high is None
    assert "not read here" in part.values.condition.text
