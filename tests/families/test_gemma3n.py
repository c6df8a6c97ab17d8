"""Gemma 3n and 4, text: layers that share a cache, heads that differ by reach (estimators.md 2.2)."""

from families.decoders import exact, model, parameters, reaches


def test_the_last_layers_of_gemma_3n_store_nothing():
    found = model("gemma3n_text", num_hidden_layers=35, num_kv_shared_layers=15)
    full, sliding = ("full", None), ("sliding", 512)
    assert reaches(found) == [sliding, sliding, sliding, sliding, full] * 4
    assert found.open == ()


def test_layers_that_share_project_no_keys_and_values():
    found = model("gemma3n_text", num_hidden_layers=10, num_kv_shared_layers=4)
    counts = {group.name: 0 for group in found.parameters}
    for group in found.parameters:
        counts[group.name] += exact(group.copies)
    assert counts["model.layers.*.self_attn.q_proj.weight"] == 10
    assert counts["model.layers.*.self_attn.k_proj.weight"] == 6
    assert counts["model.altup_projections.*.weight"] == 3


def test_gemma_3n_by_hand():
    """Every tensor of a model of one width, added up apart from the code."""
    width, ffn, rows, layers, per = 8, 12, 20, 2, 3
    found = model(
        "gemma3n_text",
        hidden_size=width,
        intermediate_size=ffn,
        vocab_size=rows,
        vocab_size_per_layer_input=rows,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        hidden_size_per_layer_input=per,
        laurel_rank=5,
        altup_num_inputs=2,
        num_kv_shared_layers=0,
        layer_types=["full_attention"] * 2,
    )
    attention = 8 * width + 2 * 4 * width + width * 8 + 2 * 4
    laurel = 2 * 5 * width + width
    streams = width + 2 * 2 + 4 * 2 + 2 * width + width
    each = attention + 3 * ffn * width + 4 * width + laurel + streams + 2 * per * width + width
    outside = rows * width + rows * layers * per + layers * per * width + per + width
    assert parameters(found) == layers * each + outside + 2 * width * width


def test_full_layers_of_gemma_4_have_wider_heads_and_the_last_is_always_full():
    found = model(
        "gemma4_text",
        num_hidden_layers=8,
        sliding_window=64,
        attention_k_eq_v=True,
        num_global_key_value_heads=1,
    )
    full, sliding = ("full", None), ("sliding", 64)
    assert reaches(found) == [*[sliding] * 5, full, sliding, full]
    widths = {cache.reach: (exact(cache.kv_heads), exact(cache.key_dim)) for cache in found.caches}
    assert widths == {"sliding": (4, 256), "full": (1, 512)}
    assert exact(next(cache for cache in found.caches if cache.reach == "full").value_dim) == 512


def test_where_values_are_keys_no_values_are_projected():
    found = model("gemma4_text", num_hidden_layers=6, attention_k_eq_v=True)
    values = [each for each in found.parameters if each.name.endswith("v_proj.weight")]
    assert sum(exact(each.copies) for each in values) == 5


def test_settings_layer_by_layer_win_over_the_general_ones():
    own = {"1": {"head_dim": 48, "num_key_value_heads": 2}}
    found = model(
        "gemma4_text", num_hidden_layers=2, layer_types=["full_attention"] * 2, per_layer_config=own
    )
    widths = [(exact(cache.kv_heads), exact(cache.key_dim)) for cache in found.caches]
    assert widths == [(4, 256), (2, 48)]
