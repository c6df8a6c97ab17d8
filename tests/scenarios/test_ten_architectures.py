"""Ten public configurations through the command line: caches at two contexts, and parameters (B5).

Ground truth of peers_run.md section 3 (GiB in bf16), where no other planner passes all ten. The configurations
hold what their published files hold of dimensions; what those leave out is left out here.
"""

import json
from fractions import Fraction

import pytest

from fiche.cli.models import described
from fiche.cli.options import Options, asked_workload
from fiche.estimators import load_items
from fiche.kernel.doors import Estimator
from fiche.registry import members

GIB = 2**30
QWEN = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "vocab_size": 152064}
NEMOTRON = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"
CONFIGS = {
    "Llama-3.1-8B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
    },
    "Qwen2.5-7B": {
        **QWEN,
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "use_sliding_window": False,
        "sliding_window": 131072,
        "max_window_layers": 28,
    },
    "Qwen3-4B": {
        "model_type": "qwen3",
        "hidden_size": 2560,
        "intermediate_size": 9728,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 151936,
        "tie_word_embeddings": True,
    },
    "Mistral-7B-v0.1": {
        "model_type": "mistral",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "sliding_window": 4096,
        "vocab_size": 32000,
    },
    "Mixtral-8x7B": {
        "model_type": "mixtral",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_local_experts": 8,
        "sliding_window": None,
        "vocab_size": 32000,
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3",
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "moe_intermediate_size": 2048,
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "num_key_value_heads": 128,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "first_k_dense_replace": 3,
        "q_lora_rank": 1536,
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "vocab_size": 129280,
    },
    "gemma-3-27b-it": {
        "architectures": ["Gemma3ForConditionalGeneration"],
        "model_type": "gemma3",
        "mm_tokens_per_image": 256,
        "text_config": {
            "model_type": "gemma3_text",
            "hidden_size": 5376,
            "intermediate_size": 21504,
            "num_hidden_layers": 62,
            "num_attention_heads": 32,
            "num_key_value_heads": 16,
            "head_dim": 128,
            "sliding_window": 1024,
        },
        "vision_config": {
            "model_type": "siglip_vision_model",
            "hidden_size": 1152,
            "intermediate_size": 4304,
            "num_hidden_layers": 27,
            "num_attention_heads": 16,
            "image_size": 896,
            "patch_size": 14,
            "vision_use_head": False,
        },
    },
    "gpt-oss-120b": {
        "model_type": "gpt_oss",
        "hidden_size": 2880,
        "intermediate_size": 2880,
        "num_hidden_layers": 36,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "num_local_experts": 128,
        "sliding_window": 128,
        "layer_types": ["sliding_attention", "full_attention"] * 18,
        "vocab_size": 201088,
    },
    "Qwen3-Next-80B-A3B": {
        "model_type": "qwen3_next",
        "hidden_size": 2048,
        "intermediate_size": 5120,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
        "num_hidden_layers": 48,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "num_experts": 512,
        "full_attention_interval": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
        "vocab_size": 151936,
    },
    "Nemotron-H-8B": {
        "model_type": "nemotron_h",
        "hidden_size": 4096,
        "intermediate_size": 21504,
        "num_hidden_layers": 52,
        "hybrid_override_pattern": NEMOTRON,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "attention_head_dim": 128,
        "head_dim": 128,
        "mamba_num_heads": 128,
        "mamba_head_dim": 64,
        "n_groups": 8,
        "ssm_state_size": 128,
        "conv_kernel": 4,
        "vocab_size": 131072,
    },
}
TRUTH = {
    "Llama-3.1-8B": ("1.000", "16.0"),
    "Qwen2.5-7B": ("0.438", "7.0"),
    "Qwen3-4B": ("1.125", "18.0"),
    "Mistral-7B-v0.1": ("0.500", "0.5"),
    "Mixtral-8x7B": ("1.000", "16.0"),
    "DeepSeek-V3": ("0.536", "8.58"),
    "gemma-3-27b-it": ("1.031", "10.41"),
    "gpt-oss-120b": ("0.286", "4.50"),
    "Qwen3-Next-80B-A3B": ("0.188", "3.0"),
    "Nemotron-H-8B": ("0.125", "2.0"),
}
STATE = {"Qwen3-Next-80B-A3B": "37.7", "Nemotron-H-8B": "49.4"}
PARAMETERS = {
    "Llama-3.1-8B": 8_030_261_248,
    "Qwen2.5-7B": 7_615_616_512,
    "Mistral-7B-v0.1": 7_241_732_096,
    "Mixtral-8x7B": 46_702_792_704,
}


@pytest.fixture
def folder(tmp_path):
    def write(name):
        (tmp_path / "config.json").write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
        return tmp_path

    return write


def kept(folder, tokens, engine, version):
    """Items of the load of one sequence, by id."""
    options = Options(
        model=str(folder),
        tokens=str(tokens),
        sequences="1",
        cache="bf16",
        engine=engine,
        engine_version=version,
        set=("formats.compute=bf16", "formats.loaded=bf16"),
    )
    load = asked_workload(None, None, options)
    items = load_items(load, load.cases[0], members("fiche.estimators", Estimator))
    return {item.node.id: item.node for item in items}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_cache_at_two_contexts(folder, name):
    """The least that any program must keep, as one that keeps just that."""
    for tokens, printed in zip((8192, 131_072), TRUTH[name], strict=True):
        cache = kept(folder(name), tokens, "ideal", "1")["kv_cache"]
        half = Fraction(1, 2 * 10 ** len(printed.split(".")[1]))
        assert abs(Fraction(cache.low, GIB) - Fraction(printed)) <= half
        assert cache.low == cache.high


@pytest.mark.parametrize("name", STATE)
def test_the_state_does_not_grow(folder, name):
    here, there = (kept(folder(name), n, "ideal", "1")["recurrent_state"] for n in (8192, 131_072))
    assert (here.low, here.high) == (there.low, there.high)
    # vLLM keeps a column of convolution less than transformers, in the model's format.
    printed = Fraction(STATE[name])
    assert here.low <= (printed + Fraction(1, 20)) * 2**20
    assert here.low >= (printed - Fraction(1, 20)) * 2**20


@pytest.mark.parametrize("name", PARAMETERS)
def test_published_counts(folder, name):
    model = described(str(folder(name))).model
    counted = sum(
        int(group.copies.low) * _product(group) for group in model.parameters if group.loaded
    )
    assert counted == PARAMETERS[name]


def _product(group):
    found = 1
    for side in group.shape:
        found *= int(side.low)
    return found


@pytest.mark.parametrize("name", CONFIGS)
def test_no_engine_told_is_a_hull_above_the_least(folder, name):
    """Each engine lies inside what is said where none is told."""
    told = kept(folder(name), 8192, None, None)["kv_cache"]
    least = kept(folder(name), 8192, "ideal", "1")["kv_cache"]
    assert told.low <= least.low
    for engine, version in (("transformers", "5.24.0"), ("vllm", "0.28.0"), ("llama.cpp", "b7000")):
        one = kept(folder(name), 8192, engine, version)["kv_cache"]
        assert least.low <= one.low
        assert told.high is None or (one.high is not None and one.high <= told.high)
