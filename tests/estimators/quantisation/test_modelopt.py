"""ModelOpt: NVFP4 with two levels of scales, FP8 with scalars."""

import pytest
from layouts import group, linear, loading, model, packed

from fiche.estimators.quantisation.modelopt import MEMBER


def modelopt(algorithm="NVFP4", **more):
    return {"quant_method": "modelopt", "quant_algo": algorithm, **more}


def test_nvfp4_takes_4_5_bits_and_two_fp32():
    """64 x 256: 8192 B, one byte for 16 inputs, weight_scale_2 and input_scale."""
    assert packed(MEMBER, model(linear(64, 256), quantization=modelopt())) == [(8192, 1024 + 8)]


def test_a_last_group_that_is_not_full_counts():
    assert packed(MEMBER, model(linear(2, 17), quantization=modelopt())) == [(2 * 9, 2 * 2 + 8)]


def test_fp8_has_two_fp32_a_module():
    assert packed(MEMBER, model(linear(64, 64), quantization=modelopt("FP8"))) == [(4096, 8)]


def test_names_are_read_as_a_shell_does():
    told = modelopt(ignore=["lm_head", "*.mlp.up*", "model.layers.0*"])
    assert packed(MEMBER, model(linear(64, 64), quantization=told)) == [(None, None)]
    held = model(linear(64, 64, name="mlp.down_proj", layers=(1,)), quantization=told)
    assert packed(MEMBER, held)[0][0] == 2048


@pytest.mark.parametrize("told", [modelopt("W4A8_AWQ"), modelopt(group_size=32)])
def test_what_is_not_known_stays_open(told):
    held = model(linear(64, 64), quantization=told)
    (part,) = MEMBER.packed(held, held.parameters[0], loading(held))
    assert part.values.high is None


def test_embedding_and_router_stay_in_16_bits():
    for role in ("embedding", "router"):
        held = model(group("model.x.weight", role, 64, 64), quantization=modelopt())
        assert packed(MEMBER, held) == [(None, None)]
