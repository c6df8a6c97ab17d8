"""EETQ and BitNet: a scale a row, or one a module."""

from layouts import linear, model, packed

from fiche.estimators.quantisation.rowwise import MEMBER


def test_eetq_has_a_fp16_a_row():
    assert packed(MEMBER, model(linear(64, 128), quantization={"quant_method": "eetq"})) == [
        (8192, 128)
    ]


def test_bitnet_packs_four_outputs_a_byte():
    held = model(linear(66, 128), quantization={"quant_method": "bitnet"})
    assert packed(MEMBER, held) == [(17 * 128, 2)]


def test_bitnet_that_quantises_as_it_runs_stays_open():
    told = {"quant_method": "bitnet", "linear_class": "autobitlinear"}
    held = model(linear(64, 64), quantization=told)
    (part,) = MEMBER.packed(held, held.parameters[0], None)
    assert part.values.high is None
