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
