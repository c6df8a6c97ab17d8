"""DINOv2: a published count, registers, a gated feed-forward rounded to eight (A1, C1)."""

from families.decoders import model, parameters


def dinov2(**more):
    return model("dinov2", architectures=["Dinov2Model"], image_size=518, **more)


def test_base():
    assert parameters(dinov2()) == 86_580_480


def test_registers_are_tokens():
    found = model(
        "dinov2_with_registers",
        architectures=["Dinov2WithRegistersModel"],
        image_size=518,
        patch_size=14,
    )
    assert parameters(found) - 86_580_480 == 4 * 768


def test_the_gated_width_is_two_thirds_rounded_up():
    # Two thirds of 4 x 768 is 2048: a multiple of eight already.
    gated, plain = parameters(dinov2(use_swiglu_ffn=True)), parameters(dinov2())
    assert gated - plain == 12 * ((3 * 2048 - 2 * 3072) * 768 + (2 * 2048 + 768) - (3072 + 768))


def test_dinov3_has_no_table_of_positions():
    small = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 12}
    found = model("dinov3_vit", architectures=["DINOv3ViTModel"], num_register_tokens=4, **small)
    layer = 4 * 384 * 384 + 3 * 384 + 2 * 384 * 1536 + 1536 + 384 + 6 * 384
    tokens = (1 + 1 + 4) * 384
    assert parameters(found) == tokens + 384 * 3 * 16 * 16 + 384 + 12 * layer + 2 * 384
