"""Models out of GGUF metadata: which layers keep what, against sizes that llama.cpp printed (C1, C2).

Printed sizes are of cases/truth/kv.jsonl and of estimators.md 2.2.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.families._gguf import gguf_config_model, gguf_model
from fiche.kernel.checkpoint import Checkpoint, TensorGroup
from fiche.kernel.model import AttentionCache, LatentCache, StateCache

MIB = 2**20


def checkpoint(values, names=("token_embd.weight",)):
    groups = tuple(
        TensorGroup(name=name, dtype="F16", shape=(8, 4), count=1, num_bytes=64) for name in names
    )
    return Checkpoint(
        format="gguf", groups=groups, files=(), metadata=values, sha256="ab" * 32, file="m.gguf"
    )


def keyed(arch, **keys):
    named = {f"{arch}.{key.replace('__', '.')}": value for key, value in keys.items()}
    return {"general.architecture": arch, **named}


def exact(node):
    assert node.exact, node
    return node.low


def cells_bytes(cache, cells, each=2):
    """Bytes of keys and values for a number of cells."""
    width = exact(cache.kv_heads) * (exact(cache.key_dim) + exact(cache.value_dim))
    return exact(cache.count) * width * cells * each


def of(model, kind, **told):
    return [
        c
        for c in model.caches
        if isinstance(c, kind) and all(getattr(c, k) == v for k, v in told.items())
    ]


def state_mib(cache, columns=1, each=4):
    kept = exact(cache.channels) * (exact(cache.kernel) - columns), exact(cache.state)
    return tuple(Fraction(exact(cache.count) * value * each, MIB) for value in kept)


def test_gemma_3_slides_in_all_layers_but_each_sixth():
    values = keyed(
        "gemma3",
        block_count=34,
        embedding_length=2560,
        attention__head_count=8,
        attention__head_count_kv=4,
        attention__key_length=256,
        attention__value_length=256,
        attention__sliding_window=1024,
    )
    model = gguf_model(checkpoint(values))
    (full,) = of(model, AttentionCache, reach="full")
    (sliding,) = of(model, AttentionCache, reach="sliding")
    # ollama pull request 17037: 2560 MiB and 174 MiB at a context of 131072 (1536 cells of a window).
    assert cells_bytes(full, 131072) == 2560 * MIB
    assert cells_bytes(sliding, 1536) == 174 * MIB
    assert full.layers == (5, 11, 17, 23, 29)
    assert exact(sliding.window) == 1024


def test_a_head_is_the_embedding_where_the_file_has_no_output():
    values = keyed("llama", block_count=2, embedding_length=8, attention__head_count=2)
    assert gguf_model(checkpoint(values)).tied is True
    assert gguf_model(checkpoint(values, ("output.weight", "token_embd.weight"))).tied is False


def test_widths_that_the_file_leaves_out_are_hidden_by_heads():
    values = keyed("gptneox", block_count=32, embedding_length=2560, attention__head_count=32)
    (cache,) = gguf_model(checkpoint(values)).caches
    assert cells_bytes(cache, 2048) == 640 * MIB  # Pythia 2.8B: kv-024


def test_compressed_attention_keeps_one_vector_a_token():
    model = gguf_config_model(
        {
            "arch": "deepseek2",
            "n_layer": 61,
            "n_embd": 7168,
            "n_head": 128,
            "n_head_kv": 128,
            "n_embd_head_k": 192,
            "n_embd_head_v": 128,
            "n_swa": 0,
            "kv_lora_rank": 512,
            "qk_rope_head_dim": 64,
        }
    )
    (cache,) = model.caches
    assert isinstance(cache, LatentCache)
    held = exact(cache.count) * (exact(cache.latent) + exact(cache.rope)) * 32768 * 2
    assert held == 2196 * MIB  # kv-001
    assert (exact(cache.heads), exact(cache.key_dim), exact(cache.value_dim)) == (128, 192, 128)


def test_latent_widths_are_those_of_the_converted_tensors_where_told():
    values = keyed(
        "deepseek2",
        block_count=61,
        embedding_length=7168,
        attention__head_count=128,
        attention__head_count_kv=1,
        attention__key_length=576,
        attention__value_length=512,
        attention__key_length_mla=192,
        attention__value_length_mla=128,
        attention__kv_lora_rank=512,
        rope__dimension_count=64,
    )
    (cache,) = gguf_model(checkpoint(values)).caches
    assert (exact(cache.key_dim), exact(cache.value_dim), exact(cache.latent)) == (192, 128, 512)


def test_gpt_oss_slides_in_every_other_layer_from_the_first():
    model = gguf_config_model(
        {
            "arch": "gpt-oss",
            "n_layer": 24,
            "n_head": 64,
            "n_head_kv": 8,
            "n_embd_head_k": 64,
            "n_swa": 128,
        }
    )
    (full,) = of(model, AttentionCache, reach="full")
    (sliding,) = of(model, AttentionCache, reach="sliding")
    assert cells_bytes(full, 4096) == 96 * MIB  # kv-027
    assert sliding.layers[:3] == (0, 2, 4)


def test_gemma_4_keeps_heads_of_another_shape_where_it_slides():
    model = gguf_config_model(
        {
            "arch": "gemma4",
            "n_layer": 48,
            "n_swa": 1024,
            "full_layers": {"count": 8, "n_head_kv": 1, "head_dim": 512},
            "swa_layers": {"count": 40, "n_head_kv": 8, "head_dim": 256},
        }
    )
    (full,) = of(model, AttentionCache, reach="full")
    (sliding,) = of(model, AttentionCache, reach="sliding")
    assert cells_bytes(full, 8192, Fraction(34, 32)) == 68 * MIB  # kv-029, q8_0
    assert exact(sliding.count) == 40
    assert exact(sliding.kv_heads) * exact(sliding.key_dim) == 2048


def test_gated_delta_states_by_interval():
    model = gguf_config_model(
        {
            "arch": "qwen3next",
            "n_layer": 48,
            "full_attention_interval": 4,
            "linear": {
                "num_key_heads": 16,
                "num_value_heads": 32,
                "key_head_dim": 128,
                "value_head_dim": 128,
                "conv_kernel": 4,
            },
        }
    )
    (state,) = of(model, StateCache)
    kept, values = state_mib(state)
    assert kept == Fraction(27, 8)  # 3.375, printed 3.38: kv-032
    assert values == 72
    (full,) = of(model, AttentionCache)
    assert full.layers[:2] == (3, 7)
    assert full.kv_heads.high is None, "nothing says the heads: open, not zero"


def test_qwen_36_27b_as_lm_studio_printed_it():
    model = gguf_config_model(
        {
            "arch": "qwen35",
            "n_layer": 64,
            "full_attention_interval": 4,
            "n_head_kv": 4,
            "n_embd_head_k": 256,
            "linear": {
                "num_key_heads": 16,
                "num_value_heads": 48,
                "key_head_dim": 128,
                "value_head_dim": 128,
                "conv_kernel": 4,
            },
        }
    )
    (state,), (full,) = of(model, StateCache), of(model, AttentionCache)
    assert cells_bytes(full, 262144) == 16384 * MIB
    assert sum(state_mib(state)) * 4 == Fraction(1197, 2)  # 598.50 MiB of four sequences


def test_a_layer_without_key_heads_keeps_a_state():
    values = keyed(
        "granitehybrid",
        block_count=4,
        embedding_length=64,
        attention__head_count=4,
        attention__head_count_kv=[0, 0, 2, 0],
        ssm__conv_kernel=4,
        ssm__inner_size=128,
        ssm__state_size=16,
        ssm__group_count=1,
        ssm__time_step_rank=8,
    )
    model = gguf_model(checkpoint(values))
    (state,), (full,) = of(model, StateCache), of(model, AttentionCache)
    assert (state.layers, full.layers) == ((0, 1, 3), (2,))
    assert exact(state.channels) == 128 + 2 * 16
    assert exact(state.state) == 128 * 16


def test_nemotron_layers_with_a_feed_forward_keep_nothing():
    values = keyed(
        "nemotron_h",
        block_count=4,
        embedding_length=64,
        attention__head_count=4,
        attention__head_count_kv=[0, 0, 2, 0],
        feed_forward_length=[0, 96, 0, 0],
        ssm__conv_kernel=4,
        ssm__inner_size=128,
        ssm__state_size=16,
        ssm__group_count=2,
    )
    model = gguf_model(checkpoint(values))
    assert [cache.layers for cache in model.caches] == [(0, 3), (2,)]


def test_layers_that_share_a_cache_keep_none():
    values = keyed(
        "gemma3n",
        block_count=35,
        embedding_length=64,
        attention__head_count=8,
        attention__head_count_kv=2,
        attention__key_length=256,
        attention__value_length=256,
        attention__sliding_window=512,
    )
    model = gguf_model(checkpoint(values))
    assert sorted(layer for cache in model.caches for layer in cache.layers) == list(range(20))


def test_an_encoder_keeps_nothing():
    values = keyed("bert", block_count=12, embedding_length=384, attention__head_count=12)
    model = gguf_model(checkpoint(values))
    assert model.caches == ()
    assert model.open == ()


@pytest.mark.parametrize(
    "values",
    [
        {},
        keyed("brand-new", block_count=2, embedding_length=8, attention__head_count=2),
        keyed("llama", embedding_length=8, attention__head_count=2),
        keyed("llama", block_count=10**12, embedding_length=8, attention__head_count=2),
        keyed(
            "plamo3",
            block_count=2,
            embedding_length=8,
            attention__head_count=2,
            attention__sliding_window=4,
        ),
        keyed(
            "jamba",
            block_count=2,
            embedding_length=8,
            attention__head_count=2,
            attention__head_count_kv=2,
        ),
        keyed(
            "deci",
            block_count=3,
            embedding_length=8,
            attention__head_count=2,
            attention__head_count_kv=[1],
        ),
        keyed(
            "gemma4",
            block_count=3,
            embedding_length=8,
            attention__head_count=2,
            attention__sliding_window=4,
        ),
    ],
)
def test_what_is_not_understood_states_no_cache_and_asks(values):
    model = gguf_model(checkpoint(values))
    assert model.caches == ()
    assert model.open


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
    st.integers(1, 8),
)
def test_every_layer_is_in_one_cache_or_in_none(heads, width):
    values = keyed(
        "deci",
        block_count=len(heads),
        embedding_length=64,
        attention__head_count=8,
        attention__head_count_kv=heads,
        attention__key_length=width,
        attention__value_length=width,
    )
    model = gguf_model(checkpoint(values))
    found = sorted(layer for cache in model.caches for layer in cache.layers)
    assert found == [layer for layer, several in enumerate(heads) if several]
    values = sum(exact(cache.count) * exact(cache.kv_heads) for cache in model.caches)
    assert values == sum(heads)


@pytest.mark.parametrize(
    ("arch", "values", "words"),
    [
        ("llama", {"attention__head_count": 0}, "config.llama.attention.head_count, which is zero"),
        ("t5", {"decoder_block_count": 10**12}, "how many layers the decoder"),
    ],
)
def test_numbers_that_no_model_has_are_asked_for_again(arch, values, words):
    """A file may lie: neither an exception nor a list of a million million layers."""
    found = gguf_model(checkpoint(keyed(arch, block_count=2, embedding_length=64, **values)))
    assert found.caches == ()
    assert words in found.open[0].text
