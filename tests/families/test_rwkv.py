"""RWKV-4: a published count, and five vectors a layer (A1, C1)."""

from families.decoders import exact, model, parameters


def test_169m():
    found = model("rwkv", hidden_size=768, num_hidden_layers=12, vocab_size=50277)
    assert parameters(found) == 169_342_464


def test_five_vectors_a_layer():
    (cache,) = model("rwkv", hidden_size=768, num_hidden_layers=12).caches
    held = exact(cache.channels) * exact(cache.kernel) + exact(cache.state)
    assert (cache.kind, held) == ("rwkv", 5 * 768)
