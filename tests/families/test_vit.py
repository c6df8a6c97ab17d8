"""ViT and DeiT: a published count (A1, C1)."""

from families.decoders import model, parameters

LABELS = {str(i): "x" for i in range(1000)}


def test_vit_base_of_224_pixels():
    found = model("vit", architectures=["ViTForImageClassification"], id2label=LABELS)
    assert parameters(found) == 86_567_656
    assert {each.part for each in found.parameters} == {"vision"}
    assert found.caches == ()


def test_deit_has_a_second_token_and_a_second_head():
    small = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 22,
    }
    plain = parameters(model("deit", architectures=["DeiTForImageClassification"], **small))
    taught = parameters(
        model("deit", architectures=["DeiTForImageClassificationWithTeacher"], **small)
    )
    assert taught - plain == 2 * 16 + 2
