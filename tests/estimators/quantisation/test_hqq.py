"""HQQ: packed values, a 16-bit scale and zero point a group."""

import pytest
from layouts import linear, loading, model, packed

from fiche.estimators.quantisation.hqq import MEMBER


def hqq(**weights):
    params = {"nbits": 4, "group_size": 64, "axis": 1, **weights}
    inner = {"weight_quant_params": params, "scale_quant_params": None, "zero_quant_params": None}
    return {"quant_method": "hqq", "quant_config": inner, "skip_modules": ["lm_head"]}


def test_four_bits_in_groups_of_64():
    assert packed(MEMBER, model(linear(64, 128), quantization=hqq())) == [(4096, 128 * 4)]


@pytest.mark.parametrize(("bits", "values"), [(8, 8192), (2, 2048), (1, 1024)])
def test_other_bits(bits, values):
    assert packed(MEMBER, model(linear(64, 128), quantization=hqq(nbits=bits)))[0][0] == values


def test_three_bits_and_quantised_scales_stay_open():
    nested = hqq()
    nested["quant_config"]["zero_quant_params"] = {"nbits": 8}
    for told in (hqq(nbits=3), nested, {"quant_method": "hqq"}):
        held = model(linear(64, 64), quantization=told)
        (part,) = MEMBER.packed(held, held.parameters[0], loading(held))
        assert part.values.high is None
