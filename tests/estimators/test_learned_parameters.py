"""Adapters count beside the base model, and never instead of it (B6)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import ALL_LINEAR, LLAMA_PARAMETERS, TINY, gpt2, llama, mixture, training
from workloads import workload

from fiche.estimators._trained import trained_parameters
from fiche.estimators.learned_parameters import MEMBER
from fiche.kernel.trace import conditions

QLORA = {"operation": "adaptation", "method__kind": "qlora"}


def test_adapters_have_their_own_format():
    told = {**QLORA, "method__trainable_parameters": 1000, "formats__learned": "fp32"}
    (node,) = MEMBER.estimate(workload(**told), None)
    assert (node.id, node.low) == ("learned_parameters", 4000)


def test_their_count_and_format_are_asked():
    (node,) = MEMBER.estimate(workload(**QLORA), None)
    assert [c.topic for c in conditions(node)] == ["trained_parameters", "learned_format"]


def test_a_full_fine_tune_and_a_training_add_none():
    """There the weights themselves are learned, and are counted already."""
    assert MEMBER.applies(workload(**QLORA))
    assert not MEMBER.applies(workload(operation="adaptation", method__kind="full"))
    assert not MEMBER.applies(workload(operation="training"))
    assert not MEMBER.applies(workload(operation="generation"))


LORA = {"method__kind": "lora", "method__rank": 16, "engine__name": "transformers"}


def count(targets, of=None, saved=(), **told):
    load = training(of=of or llama(), targets=targets, saved=saved, **{**LORA, **told})
    node = trained_parameters(load)
    return node.low if node.low == node.high else (node.low, node.high)


def test_llama_3_1_8b_of_rank_16_on_all_linear_modules():
    """samples/qlora: 1 310 720 a layer, 41 943 040 in all."""
    assert count(ALL_LINEAR) == count(("all-linear",)) == 41_943_040


def test_llama_3_2_3b_as_published():
    """Published with peft: 18 350 080 for rank 64 and 9 461 760 for rank 10 (cases/truth, peft)."""
    of = llama(hidden=3072, inner=8192, layers=28, heads=24, tied=True)
    assert count(("q_proj", "v_proj"), of, method__rank=64) == 18_350_080
    assert count(("up_proj", "gate_proj", "down_proj"), of, method__rank=10) == 9_461_760


def test_dora_adds_a_magnitude_for_each_output():
    """Published: 9 289 728 for DoRA of rank 32 on q and v of Llama-3.2-3B."""
    of = llama(hidden=3072, inner=8192, layers=28, heads=24, tied=True)
    told = {"method__kind": "dora", "method__rank": 32}
    assert count(("q_proj", "v_proj"), of, **told) == 9_289_728
    plain = count(("q_proj", "v_proj"), of, method__rank=32)
    assert 9_289_728 - plain == 28 * (3072 + 1024)


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (("embed_tokens",), 16 * (128256 + 4096)),
        (("lm_head",), 16 * (128256 + 4096)),
        (("self_attn.q_proj",), 32 * 16 * 8192),
        (("c_attn",), None),
        (("proj",), None),
    ],
)
def test_a_name_matches_whole_parts_of_a_path(targets, expected):
    """peft 0.21.2, check_target_module_exists: the whole path, or its end after a dot."""
    found = count(targets)
    assert found == ((0, None) if expected is None else expected)


def test_a_fused_projection_is_one_matrix():
    of = gpt2(layers=2)
    assert count(("c_attn",), of, method__rank=8) == 2 * 8 * (64 + 192)


def test_fused_experts_are_no_modules():
    """They are bare tensors, which peft reaches through target_parameters only; the router may be a module."""
    of = mixture(experts=8)
    attention = 2 * 16 * (2 * (64 + 96) + 2 * (64 + 48))
    router = 2 * 16 * (64 + 8)
    assert count(("all-linear",), of) == (attention, attention + router)
    assert count(("q_proj", "gate_up_proj"), of) == 2 * 16 * (64 + 96)


def test_modules_to_save_are_learned_whole_beside_the_frozen_one():
    assert count(("q_proj",), saved=("lm_head",)) == 32 * 16 * 8192 + 128256 * 4096
    assert count(("q_proj",), llama(tied=True), saved=("lm_head",)) == count(
        ("q_proj",), saved=("lm_head",)
    )


def test_a_saved_module_gets_no_adapter():
    assert count(("q_proj", "lm_head"), saved=("lm_head",)) == 32 * 16 * 8192 + 128256 * 4096


def test_a_stated_count_stands_before_the_rule():
    assert count(ALL_LINEAR, method__trainable_parameters=7) == 7


@pytest.mark.parametrize(
    ("targets", "told", "text"),
    [
        ((), {}, "state method.targets"),
        ((".*_proj",), {}, "is a pattern"),
        (("nowhere",), {}, "no module called 'nowhere'"),
        (("q_proj",), {"method__settings__layers_to_transform": "0,1"}, "layers_to_transform"),
        (("q_proj",), {"method__settings__target_parameters": "experts"}, "target_parameters"),
    ],
)
def test_what_no_rule_covers_is_asked(targets, told, text):
    load = training(of=llama(), targets=targets, **{**LORA, **told})
    (node,) = MEMBER.estimate(load, None)
    assert node.high is None
    assert any(text in condition.text for condition in conditions(node))


def test_a_rank_is_asked():
    load = training(of=llama(), targets=("q_proj",), method__kind="lora", engine__name="peft")
    (node,) = MEMBER.estimate(load, None)
    assert [condition.topic for condition in conditions(node)] == ["rank"]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"engine__name": "transformers"}, (4, 4)),
        ({"engine__name": "litgpt"}, (2, 4)),
        ({"engine__name": "litgpt", "extensions__peft": "0.21.2"}, (4, 4)),
        ({"method__settings__autocast_adapter_dtype": "no"}, (2, 2)),
        ({"formats__learned": "bf16"}, (2, 2)),
    ],
)
def test_peft_keeps_adapters_in_fp32(told, expected):
    """Formula sheet 2.5: 16 bytes each with AdamW."""
    load = training(of=llama(), targets=ALL_LINEAR, **{**LORA, "formats__loaded": "bf16", **told})
    (node,) = MEMBER.estimate(load, None)
    assert (node.low, node.high) == tuple(41_943_040 * width for width in expected)


@settings(max_examples=40)
@given(
    rank=st.integers(1, 512),
    layers=st.integers(1, 64),
    part=st.sets(st.sampled_from(ALL_LINEAR), min_size=1),
)
def test_more_rank_more_targets_and_more_layers_never_learn_less(rank, layers, part):
    of = llama(TINY, layers=layers)
    targets = tuple(sorted(part))
    found = count(targets, of, method__rank=rank)
    assert found <= count(targets, of, method__rank=rank + 1)
    assert found <= count(ALL_LINEAR, of, method__rank=rank)
    assert found <= count(targets, llama(TINY, layers=layers + 1), method__rank=rank)


def test_a_full_fine_tune_learns_every_parameter_of_the_model():
    load = training(of=llama(), method__kind="full")
    assert trained_parameters(load).low == LLAMA_PARAMETERS


SIZES = {
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 24,
    "vocab_size": 64,
}


@pytest.mark.torch
@pytest.mark.parametrize(
    ("targets", "more"),
    [
        ("all-linear", {}),
        (["q_proj", "v_proj"], {}),
        (["embed_tokens", "down_proj"], {}),
        (["q_proj", "lm_head"], {}),
        (["q_proj", "down_proj"], {"use_dora": True}),
        (["embed_tokens"], {"use_dora": True}),
        (["q_proj"], {"modules_to_save": ["lm_head"]}),
        (["q_proj"], {"lora_bias": True}),
        (["q_proj"], {"use_rslora": True}),
    ],
)
def test_peft_itself_adds_as_many(targets, more):
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.device("meta"):
        base = LlamaForCausalLM(LlamaConfig(**SIZES, tie_word_embeddings=False))
    asked = LoraConfig(task_type="CAUSAL_LM", r=8, target_modules=targets, **more)
    adapted = get_peft_model(base, asked, low_cpu_mem_usage=True)
    expected = sum(each.numel() for each in adapted.parameters() if each.requires_grad)
    told = {"method__rank": 8, "method__kind": "dora" if "use_dora" in more else "lora"}
    if more.get("lora_bias"):
        told["method__settings__lora_bias"] = "yes"
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    saved = more.get("modules_to_save", ())
    assert count(names, llama(TINY), saved, **told) == expected
