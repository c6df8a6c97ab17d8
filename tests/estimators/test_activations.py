"""Activations: bounds with their assumptions where the model is known, else a question (B6, B7)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trained import ALL_LINEAR, TINY, gpt2, llama, mixture, training
from workloads import case, reserve, workload

from fiche.estimators import figures
from fiche.estimators._layer_kept import Step, fused, most
from fiche.estimators._widths_kept import widths
from fiche.estimators.activations import MEMBER
from fiche.kernel.doors import Estimator
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions
from fiche.kernel.unit import BYTE
from fiche.registry import members

FULL = {
    "method__kind": "full",
    "engine__name": "transformers",
    "formats__loaded": "bf16",
    "attention": "sdpa",
    "training__checkpointing": "none",
}
STEP = {"microbatch": 1, "sequence_tokens": 8192}


def kept(of=None, where=STEP, targets=(), **told):
    at = case(**where)
    load = training(at, of=of or llama(), targets=targets, **{**FULL, **told})
    (node,) = MEMBER.estimate(load, at)
    return node.low, node.high


def test_no_formula_gives_it_without_the_models_files():
    """B6: no universal constant, no hidden multiplier."""
    (node,) = MEMBER.estimate(workload(operation="training", model__parameters=7), case())
    assert (node.id, node.low, node.high, node.unit) == ("limit.activations", 0, None, BYTE)
    assert node.condition.topic == "need"
    assert node.condition.text.startswith("measure ")


def test_an_item_of_the_reserve_stands_for_it():
    """B7: the reserve is decomposed into named items; none is counted twice."""
    named = workload(operation="training", reserve=[reserve("activations", 2**30)])
    other = workload(operation="training", reserve=[reserve("cuda-context", 2**30)])
    assert MEMBER.estimate(named, None) == ()
    assert len(MEMBER.estimate(other, None)) == 1


def test_it_may_not_count_in_a_floor():
    assert not MEMBER.resident


def test_only_where_something_is_learned():
    assert MEMBER.applies(workload(operation="training"))
    assert MEMBER.applies(workload(operation="adaptation"))
    assert not MEMBER.applies(workload(operation="generation"))


def test_full_checkpointing_keeps_the_input_of_each_layer():
    """Formula sheet 2.5: L x h x b a token."""
    low, high = kept(training__checkpointing="full", attention="flash_attention_2")
    inputs = 32 * 4096 * 2 * 8192
    assert low == inputs
    beside = (4 * 3 * 4096 + 2 * 4096 + 8 + 2 * 4096 + 2 * 128 * 2) * 8192
    assert high <= inputs + beside


def test_the_low_end_is_what_no_matrix_product_may_be_recomputed_for():
    """Two residual inputs, q, k, v and the output of attention, gate and up: 16 bits each."""
    values = 2 * 4096 + 2 * 4096 + 2 * 1024 + 2 * 14336
    assert kept()[0] == 32 * 2 * values * 8192


def test_the_high_end_is_the_formula_of_swiglu_with_grouped_heads():
    """Formula sheet 2.5: 4h + 2q + k + v + 4i values and two fp32 copies of h, one layer, one token."""
    of = llama()
    step = step_of("flash_attention_2")
    found = most(of.blocks[0], of, step).high
    values = 4 * 4096 + 2 * 4096 + 2 * 1024 + 4 * 14336
    assert found == 2 * values + 2 * 4 * 4096 + 2 * 8 + 4 * 32


def step_of(attention, sequence=8192, **told):
    load = training(of=llama(), **{**FULL, **told})
    return Step(
        widths=widths(load),
        attention=attention,
        sequence=case(sequence_tokens=sequence).dimensions["sequence_tokens"],
        attention_dropout=False,
        dropout=False,
    )


def test_eager_attention_keeps_its_probabilities():
    """Softmax in fp32 and its cast to 16 bits for each head and pair of tokens."""
    of = llama()
    eager, flash = (most(of.blocks[0], of, step_of(name)).high for name in ("eager", "flash"))
    repeated = 2 * 2 * (4096 - 1024)
    mask = 2 * 8192
    assert eager - flash == (4 + 2) * 32 * 8192 + repeated + mask - 4 * 32
    assert kept(attention="eager")[1] > kept(attention="sdpa")[1]


def test_untold_attention_spans_both():
    eager, sdpa = kept(attention="eager"), kept(attention="sdpa")
    assert kept(attention="") == (sdpa[0], eager[1])


@pytest.mark.parametrize(("hidden", "heads", "sequence"), [(1024, 16, 512), (64, 4, 32)])
def test_megatron_without_recomputation_is_the_published_formula(hidden, heads, sequence):
    """arXiv 2205.05198: s b h (34 + 5 a s / h) bytes a layer, in 16 bits."""
    of = gpt2(hidden=hidden, heads=heads)
    step = step_of("eager", sequence)
    assert fused(of.blocks[0], step).high == hidden * 34 + 5 * heads * sequence
    assert fused(of.blocks[0], step_of("flash", sequence)).high == hidden * 34


def test_selective_and_untold_checkpointing_lie_between_full_and_none():
    full = kept(training__checkpointing="full")
    none = kept(training__checkpointing="none")
    for told in ("selective", ""):
        assert kept(training__checkpointing=told) == (full[0], none[1])


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"engine__name": "my-trainer"}, "a layer under my-trainer"),
        ({"engine__name": ""}, "an engine that is not named"),
    ],
)
def test_what_was_not_counted_opens_the_high_end_and_keeps_the_low_one(told, text):
    at = case(**STEP)
    (node,) = MEMBER.estimate(training(at, of=llama(), **{**FULL, **told}), at)
    assert node.low == kept()[0]
    assert node.high is None
    assert any(text in condition.text for condition in conditions(node))


def test_a_model_type_that_was_not_counted_is_asked():
    of = replace(llama(), model_type="llama4_text")
    assert kept(of)[1] is None


def test_a_layer_of_another_kind_is_asked():
    of = llama()
    of = replace(of, blocks=(replace(of.blocks[0], kind="mamba2", query=None, inner=None),))
    low, high = kept(of)
    assert (low, high) == (32 * 4096 * 2 * 8192, None)


def test_two_things_without_a_formula_are_one_question():
    """Neither program nor layer is known: the figures of a whole load still have one meaning an id."""
    of = replace(llama(), blocks=(replace(llama().blocks[0], kind="mamba2"),))
    load = training(case(**STEP), of=of, **{**FULL, "engine__name": "my-trainer"})
    asked = figures(load, members("fiche.estimators", Estimator))["layers_kept"].condition.text
    assert "a layer under my-trainer, a layer of kind mamba2" in asked


def test_dimensions_are_asked():
    (node,) = MEMBER.estimate(training(of=llama(), **FULL), case())
    assert {condition.topic for condition in conditions(node)} == {"microbatch", "context"}


def test_below_the_lowest_adapter_nothing_must_be_kept():
    lora = {"method__kind": "lora", "method__rank": 8, "targets": ("q_proj", "v_proj")}
    assert kept(**lora)[0] == kept()[0] * 31 // 32


def test_adapters_keep_an_fp32_input_for_each_target():
    """peft casts the input to the format of the adapter, for each targeted matrix on its own."""
    lora = {"method__kind": "lora", "method__rank": 8, "method__settings__lora_dropout": "0"}
    few = kept(**lora, targets=("q_proj",))[1]
    more = kept(**lora, targets=("q_proj", "v_proj"))[1]
    assert more - few == 32 * 4 * (4096 + 8) * 8192


def test_a_base_prepared_for_k_bit_training_may_compute_in_fp32():
    qlora = {
        "method__kind": "qlora",
        "method__rank": 8,
        "targets": ("q_proj",),
        "formats__loaded": "nf4",
        "formats__compute": "bf16",
    }
    denied = kept(**qlora, method__settings__prepare_for_kbit="no")
    untold = kept(**qlora)
    assert denied[0] == untold[0]
    assert denied[1] < untold[1]


def test_activations_in_the_host_are_not_on_the_device():
    assert kept(placement__offload="all")[0] == 0


def test_each_expert_that_sees_a_token_keeps_it():
    one, two = (
        kept(mixture(used=used), {"microbatch": 1, "sequence_tokens": 32}) for used in (1, 2)
    )
    assert one[0] < two[0]
    assert one[1] < two[1]


@settings(max_examples=25)
@given(
    microbatch=st.integers(1, 64),
    sequence=st.integers(1, 32768),
    attention=st.sampled_from(["eager", "sdpa", "flash_attention_2", ""]),
    checkpointing=st.sampled_from(["none", "full", "selective", ""]),
    kind=st.sampled_from(["full", "lora"]),
)
def test_more_tokens_never_keep_less_and_checkpointing_never_more(
    microbatch, sequence, attention, checkpointing, kind
):
    told = {"attention": attention, "training__checkpointing": checkpointing, "method__kind": kind}
    told |= {"method__rank": 8, "targets": ALL_LINEAR} if kind == "lora" else {}
    found = kept(llama(TINY), {"microbatch": microbatch, "sequence_tokens": sequence}, **told)
    for more in (
        {"microbatch": microbatch + 1, "sequence_tokens": sequence},
        {"microbatch": microbatch, "sequence_tokens": sequence + 1},
    ):
        other = kept(llama(TINY), more, **told)
        assert found[0] <= other[0]
        assert found[1] <= other[1]
    where = {"microbatch": microbatch, "sequence_tokens": sequence}
    none = kept(llama(TINY), where, **{**told, "training__checkpointing": "none"})
    assert found[1] <= none[1]
    assert found[0] <= found[1]


def test_published_peaks_of_full_checkpointing_are_not_below_the_low_end():
    """ZeRO-3 with states in the host (cases/truth, longctx): 0.45 GiB for 1024 tokens, 128K to 256K."""
    low, _ = kept(where={"microbatch": 1, "sequence_tokens": 1024}, training__checkpointing="full")
    assert low == 32 * 4096 * 2 * 1024 == 2**28
    assert low <= 0.45 * 2**30


# --- Beside autograd itself -------------------------------------------------------------------

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 24,
    "vocab_size": 64,
}


def saved_bytes(network, tokens):
    """Bytes that autograd holds after a forward pass: each storage once, parameters and buffers apart."""
    import weakref

    import torch

    class Held:
        def __init__(self, tensor):
            self.tensor = tensor

    held = []

    def pack(tensor):
        one = Held(tensor)
        held.append(weakref.ref(one))
        return one

    own = [*network.parameters(), *network.buffers()]
    apart = {each.untyped_storage().data_ptr() for each in own}
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one.tensor):
        out = network(input_ids=tokens, labels=tokens, use_cache=False)
    loss = out.loss
    del out
    storages = [one().tensor.untyped_storage() for one in held if one() is not None]
    kept_apart = {each.data_ptr(): each.nbytes() for each in storages}
    assert loss.requires_grad
    return sum(count for place, count in kept_apart.items() if place not in apart)


def of_one_layer(make, sequence=32, adapt=lambda network: network):
    """Bytes a token that the second layer adds."""
    import torch

    tokens = torch.randint(0, 64, (1, sequence))
    one, two = (saved_bytes(adapt(make(layers)), tokens) for layers in (1, 2))
    return (two - one) / sequence


def network(kind, layers, attention, **more):
    import torch
    import transformers

    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**{**SIZES, **more}, num_hidden_layers=layers)
    model_class = getattr(transformers, f"{kind}ForCausalLM")
    made = model_class._from_config(config, attn_implementation=attention, dtype=torch.bfloat16)
    return made.train()


def bounds(of, attention, *, frozen=False, sequence=32):
    from fiche.estimators._layer_kept import least

    step = replace(step_of(attention, sequence), frozen=frozen)
    (block,) = of.blocks
    return least(block, of, step).low, most(block, of, step).high


@pytest.mark.torch
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_a_llama_layer_keeps_what_the_formula_says(attention):
    found = of_one_layer(lambda layers: network("Llama", layers, attention))
    low, high = bounds(llama(TINY), attention)
    assert low <= found <= high
    assert high <= found * 1.2
    # Fused attention without a mask: keys and values as they are, one row of statistics a norm and head.
    assert (
        attention == "eager" or found == 2 * (4 * 64 + 2 * 96 + 2 * 48 + 4 * 160) + 8 * 64 + 8 + 16
    )


@pytest.mark.torch
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_a_layer_of_experts_keeps_what_the_formula_says(attention):
    sizes = {"num_local_experts": 8, "num_experts_per_tok": 3}
    found = of_one_layer(lambda layers: network("Mixtral", layers, attention, **sizes))
    low, high = bounds(replace(mixture(), model_type="mixtral"), attention)
    assert low <= found <= high <= found * 1.2


@pytest.mark.torch
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_a_gpt2_layer_keeps_what_the_formula_says(attention):
    import torch
    import transformers

    def make(layers):
        config = transformers.GPT2Config(
            n_embd=64,
            n_layer=layers,
            n_head=4,
            n_positions=64,
            vocab_size=64,
            resid_pdrop=0,
            attn_pdrop=0,
            embd_pdrop=0,
        )
        made = transformers.GPT2LMHeadModel._from_config(
            config, attn_implementation=attention, dtype=torch.bfloat16
        )
        return made.train()

    low, high = bounds(gpt2(), attention)
    assert low <= of_one_layer(make) <= high


@pytest.mark.torch
@pytest.mark.parametrize("targets", [["q_proj", "v_proj"], list(ALL_LINEAR)])
def test_a_frozen_layer_with_adapters_keeps_what_the_formula_says(targets):
    from peft import LoraConfig, get_peft_model

    from fiche.estimators._step_kept import layer

    def adapt(base):
        return get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", r=8, target_modules=targets))

    found = of_one_layer(lambda layers: network("Llama", layers, "sdpa"), adapt=adapt)
    told = {**FULL, "method__kind": "lora", "method__rank": 8}
    load = training(of=llama(TINY), targets=targets, **told)
    step = replace(step_of("sdpa", 32), frozen=True)
    (block,) = load.model.blocks
    high = layer(block, load, load.model, step).high
    assert bounds(llama(TINY), "sdpa")[0] <= found <= high <= found * 1.3


@pytest.mark.torch
def test_a_checkpointed_layer_keeps_its_input():
    def adapt(base):
        base.gradient_checkpointing_enable()
        return base

    found = of_one_layer(lambda layers: network("Llama", layers, "sdpa"), adapt=adapt)
    assert found == 2 * 64
