"""Kimi Linear: its published size, compressed vectors every fourth layer, states between (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import LatentCache, StateCache


def test_48b_a3b():
    # 49.1 B as its page says; 27 layers, of which 20 keep a state of 32 heads of 128 x 128.
    nested = {
        "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
        "kda_layers": [i for i in range(1, 28) if i not in (4, 8, 12, 16, 20, 24, 27)],
        "head_dim": 128,
        "num_heads": 32,
        "short_conv_kernel_size": 4,
    }
    found = model("kimi_linear", linear_attn_config=nested)
    assert parameters(found) // 10**8 == 491
    latent, state = only(found, LatentCache), only(found, StateCache)
    assert latent.layers == (3, 7, 11, 15, 19, 23, 26)
    assert (exact(latent.latent), exact(latent.rope)) == (512, 64)
    assert (exact(state.count), exact(state.state)) == (20, 32 * 128 * 128)
    assert exact(state.channels) == 3 * 4096


def test_layers_that_no_list_names_are_asked_for():
    nested = {"full_attn_layers": [4], "kda_layers": [1, 2]}
    assert model("kimi_linear", num_hidden_layers=4, linear_attn_config=nested).open
