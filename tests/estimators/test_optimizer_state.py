"""Optimizer states: what is stated, else the rule of the named optimizer; no other name is a constant (B6)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import ALL_LINEAR, LLAMA_PARAMETERS, TINY, llama, mixture, training
from workloads import workload

from fiche.estimators.optimizer_state import MEMBER
from fiche.kernel.trace import conditions, formula

ADAMW = {
    "operation": "training",
    "optimizer__name": "adamw",
    "optimizer__states_per_parameter": 2,
    "formats__optimizer_state": "fp32",
    "method__trainable_parameters": 1000,
}


def states(**told):
    (node,) = MEMBER.estimate(workload(**told), None)
    return node


def test_two_states_of_four_bytes_for_each_learned_parameter():
    node = states(**ADAMW)
    assert (node.id, node.low, node.high) == ("optimizer_state", 8000, 8000)
    assert "optimizer.states_per_parameter" in formula(node)


@pytest.mark.parametrize(
    ("missing", "topic"),
    [
        ("optimizer__states_per_parameter", "optimizer_states"),
        ("formats__optimizer_state", "optimizer_format"),
        ("method__trainable_parameters", "trained_parameters"),
    ],
)
def test_each_missing_part_is_asked(missing, topic):
    told = {**ADAMW, "optimizer__name": "my-own-optimizer"}
    node = states(**{key: value for key, value in told.items() if key != missing})
    assert node.high is None
    assert [condition.topic for condition in conditions(node)] == [topic]


def test_a_master_copy_is_named_as_left_out():
    assert "a master copy of the weights" in states(**ADAMW).left_out


def test_only_where_something_is_learned():
    assert not MEMBER.applies(workload(operation="generation"))
    assert MEMBER.applies(workload(operation="adaptation"))


def of_model(of, name, kind="full", **told):
    told = {"method__kind": kind, "formats__loaded": "bf16", "optimizer__name": name, **told}
    (node,) = MEMBER.estimate(training(of=of, **told), None)
    return node.low, node.high


def test_a_named_optimizer_needs_no_count():
    told = {**ADAMW}
    del told["optimizer__states_per_parameter"]
    node = states(**told)
    assert (node.low, node.high) == (8000, 8000)
    assert node.label == "optimizer states: adamw, as in torch 2.13"


def test_a_stated_count_stands_before_the_rule():
    node = states(**{**ADAMW, "optimizer__states_per_parameter": 3})
    assert (node.low, node.label) == (12000, "optimizer states")


@pytest.mark.parametrize(
    ("loaded", "name", "bytes_a_parameter"),
    [
        ("fp32", "adamw_torch", 8),  # 2.5: 16 bytes with weights and gradients in fp32
        ("bf16", "adamw_torch", 4),  # 2.5: 8 bytes a parameter in pure bf16: moments follow
        ("bf16", "adamw_apex_fused", 8),
        ("bf16", "adagrad", 2),
        ("fp32", "rmsprop", 4),
        ("bf16", "lion_32bit", 4),
        ("bf16", "adamw_bnb", 8),
    ],
)
def test_bytes_a_parameter_of_llama_3_1_8b(loaded, name, bytes_a_parameter):
    expected = bytes_a_parameter * LLAMA_PARAMETERS
    assert of_model(llama(), name, formats__loaded=loaded) == (expected, expected)


def test_a_state_beside_fp32_masters_is_fp32():
    """Megatron: 18 bytes a parameter, 8 of them states."""
    told = {"engine__name": "megatron", "formats__loaded": "bf16"}
    assert of_model(llama(), "adam", **told)[0] == 8 * LLAMA_PARAMETERS


def test_momentum_of_sgd_is_asked_by_an_interval():
    whole = 2 * LLAMA_PARAMETERS
    assert of_model(llama(), "sgd") == (0, whole)
    assert of_model(llama(), "sgd", optimizer__settings__momentum="0.9") == (whole, whole)
    assert of_model(llama(), "sgd", optimizer__settings__momentum="0.0") == (0, 0)


def test_amsgrad_keeps_a_third_state():
    told = {"optimizer__settings__amsgrad": "true"}
    assert of_model(llama(), "adamw", **told)[0] == 3 * 2 * LLAMA_PARAMETERS


def blocks(values, states=2, block=256):
    return states * (values + 4 * -(-values // block))


def test_eight_bits_by_blocks_and_small_tensors_whole():
    """bitsandbytes 0.50: 64 x 64 = 4096 values are packed; norms, embeddings under the Trainer are not."""
    of = llama(TINY, layers=1, tied=True, heads=2, kv_heads=1, head_dim=32, inner=64)
    packed = 5 * blocks(4096)  # q, o, gate, up, down
    small = 2 * 8 * 64 * 32 + 3 * 8 * 64  # k, v; norms
    embedding = 8 * 64 * 64
    told = {"engine__name": "transformers", "extensions__bitsandbytes": "0.50.0"}
    found = of_model(of, "adamw_8bit", **told)
    assert found == (packed + small + embedding, packed + small + embedding)


def test_blocks_were_larger_before_bitsandbytes_0_44():
    of = llama(TINY)
    before, now, untold = (
        of_model(of, "adamw_8bit", engine__name="transformers", **told)
        for told in (
            {"extensions__bitsandbytes": "0.43.3"},
            {"extensions__bitsandbytes": "0.44.0"},
            {},
        )
    )
    assert before[0] < now[0]
    assert untold == (before[0], now[1])


def test_paged_states_may_leave_the_device():
    low, high = of_model(llama(), "paged_adamw_8bit", engine__name="transformers")
    assert high == of_model(llama(), "adamw_8bit", engine__name="transformers")[1]
    assert low == 65 * blocks(4096, block=2048)  # norms: packed, and too small to be moved


def test_torchao_keeps_broken_blocks_in_the_format_of_the_parameter():
    """torchao.optim: 4096 values and whole blocks of 256, or as the parameter; a table a state."""
    of = llama(TINY, layers=1, tied=True, heads=2, kv_heads=1, head_dim=32, inner=65)
    one = 2 * (4096 + 4 * 16 + 4 * 256)
    broken = 2 * 2 * 64 * 65  # 4160 values: a block of 256 is left broken
    small = 2 * 2 * 2 * 64 * 32 + 3 * 2 * 2 * 64
    expected = 3 * one + 3 * broken + small  # embedding, q, o; gate, up, down
    assert of_model(of, "ao_adamw_8bit") == (expected, expected)


def test_adafactor_keeps_a_row_and_a_column():
    """transformers 5.24: factors in fp32; a vector keeps one value each."""
    of = llama(TINY, layers=1, tied=True)
    sides = 64 + 64 + 2 * (96 + 64) + 2 * (48 + 64) + 3 * (160 + 64) + 3 * 64
    assert of_model(of, "adafactor") == (4 * sides, 4 * sides)


def test_muon_keeps_one_state_for_matrices_of_layers():
    of = llama(TINY, layers=1, tied=True)
    matrices = 2 * 64 * 96 + 2 * 64 * 48 + 3 * 64 * 160
    rest = 64 * 64 + 3 * 64
    assert of_model(of, "muon") == (2 * (matrices + 2 * rest), 2 * (matrices + 2 * rest))
    low, high = of_model(mixture(), "muon")
    assert low < high  # fused experts are no matrices


def test_states_in_the_host_hold_nothing_on_the_device():
    assert of_model(llama(), "adamw", placement__offload="optimizer") == (0, 0)


@settings(max_examples=25)
@given(rank=st.integers(1, 256), name=st.sampled_from(["adamw", "adamw_8bit", "lion_8bit", "sgd"]))
def test_adapters_keep_less_than_a_full_fine_tune(rank, name):
    of = llama(TINY, hidden=4096, inner=8192)
    told = {"method__rank": rank, "targets": ALL_LINEAR, "engine__name": "transformers"}
    told["optimizer__settings__momentum"] = "0.9"
    low, high = of_model(of, name, "lora", **told)
    assert high <= of_model(of, name, formats__loaded="fp32", engine__name="transformers")[1]
    more = of_model(of, name, "lora", **{**told, "method__rank": rank + 1})
    assert low <= more[0]
    assert high <= more[1]


@settings(max_examples=25)
@given(layers=st.integers(1, 80), hidden=st.integers(1, 8192))
def test_eight_bits_never_keep_more_than_thirty_two(layers, hidden):
    of = llama(TINY, layers=layers, hidden=hidden)
    assert of_model(of, "adamw_8bit")[1] <= of_model(of, "adamw_bnb")[1]


@pytest.mark.torch
@pytest.mark.parametrize("width", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("adamw", "AdamW", {}),
        ("adamw", "AdamW", {"amsgrad": True}),
        ("sgd", "SGD", {"momentum": 0.9}),
        ("sgd", "SGD", {"momentum": 0.0}),
        ("rmsprop", "RMSprop", {}),
        ("rmsprop", "RMSprop", {"momentum": 0.9, "centered": True}),
        ("adagrad", "Adagrad", {}),
        ("adadelta", "Adadelta", {}),
        ("torch_adafactor", "Adafactor", {}),
    ],
)
def test_torch_itself_keeps_as_many_bytes(name, make, told, width):
    """Every tensor of the state dict but the counters of steps, after one step on a small model."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 2, "vocab_size": 64}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 24}
    config = LlamaConfig(**sizes, **heads, tie_word_embeddings=False)
    network = LlamaForCausalLM(config).to(getattr(torch, width))
    tokens = torch.randint(0, 64, (1, 8))
    optimizer = getattr(torch.optim, make)(network.parameters(), lr=1e-3, **told)
    network(input_ids=tokens, labels=tokens).loss.backward()
    optimizer.step()
    kept = sum(
        value.nbytes
        for state in optimizer.state.values()
        for key, value in state.items()
        if key != "step"
    )
    settings_told = {f"optimizer__settings__{key}": str(value) for key, value in told.items()}
    loaded = {"float32": "fp32", "bfloat16": "bf16"}[width]
    assert of_model(llama(TINY), name, formats__loaded=loaded, **settings_told) == (kept, kept)


@pytest.mark.torch
@pytest.mark.parametrize("beta1", [None, 0.9])
def test_transformers_adafactor_keeps_fp32_factors(beta1):
    import torch
    from transformers.optimization import Adafactor

    matrix = torch.nn.Parameter(torch.randn(64, 96, dtype=torch.bfloat16))
    vector = torch.nn.Parameter(torch.randn(64, dtype=torch.bfloat16))
    optimizer = Adafactor([matrix, vector], beta1=beta1)
    for each in (matrix, vector):
        each.grad = torch.randn_like(each)
    optimizer.step()
    kept = sum(
        value.nbytes
        for state in optimizer.state.values()
        for key, value in state.items()
        if torch.is_tensor(value) and key.startswith("exp_avg")
    )
    factors = 4 * (64 + 96 + 64)
    assert kept == factors + (0 if beta1 is None else 4 * (64 * 96 + 64))
