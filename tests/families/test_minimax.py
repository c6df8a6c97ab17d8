"""MiniMax-Text-01: its published size, and a state of heads by width by width (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

KINDS = ["linear_attention" if (i + 1) % 8 else "full_attention" for i in range(80)]


def test_text_01_is_456_billion():
    found = model(
        "minimax",
        hidden_size=6144,
        intermediate_size=9216,
        num_hidden_layers=80,
        num_attention_heads=64,
        num_key_value_heads=8,
        head_dim=128,
        num_local_experts=32,
        vocab_size=200064,
        layer_types=KINDS,
    )
    assert parameters(found) // 10**9 == 456
    state = only(found, StateCache)
    assert (exact(state.count), exact(state.state)) == (70, 64 * 128 * 128)
    assert exact(state.channels) * (exact(state.kernel) - 1) == 0, "no convolution"
    assert only(found, AttentionCache).layers == tuple(range(7, 80, 8))
