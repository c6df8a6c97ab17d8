"""LongCat Flash: everything but its experts twice a layer."""

from families.decoders import exact, model, parameters


def test_two_caches_a_layer():
    cache = model("longcat_flash").caches[0]
    assert exact(cache.count) == 56
    assert cache.layers == tuple(range(56))
    assert (exact(cache.latent), exact(cache.rope)) == (512, 64)


def test_experts_that_pass_a_token_on_have_no_weights():
    """560.66 billion; the published 561.86 hold a block that predicts a further token."""
    few, many = (model("longcat_flash", zero_expert_num=number) for number in (0, 256))
    assert parameters(many) - parameters(few) == 28 * 256 * 6144
    assert parameters(many) == 560_664_958_976
