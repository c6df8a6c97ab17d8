"""MXFP4: experts in blocks of 32 along their inputs; bf16 instead where kernels are missing."""

from layouts import LAYER, group, linear, loading, model, packed

from fiche.estimators.quantisation.mxfp4 import MEMBER
from fiche.estimators.weights import MEMBER as WEIGHTS

MXFP4 = {"quant_method": "mxfp4"}


def gpt_oss(layers, experts):
    """gpt-oss as transformers 5.24 holds it: experts with inputs first."""
    h, inner, vocabulary = 2880, 2880, 201088
    linears = [("q_proj", 4096, h), ("k_proj", 512, h), ("v_proj", 512, h), ("o_proj", h, 4096)]
    deep = {"layers": range(layers)}
    attention = [
        each
        for name, outputs, inputs in linears
        for each in (
            group(f"{LAYER}self_attn.{name}.weight", "linear", outputs, inputs, **deep),
            group(f"{LAYER}self_attn.{name}.bias", "bias", outputs, **deep),
        )
    ]
    return model(
        group("model.embed_tokens.weight", "embedding", vocabulary, h),
        *attention,
        group(f"{LAYER}self_attn.sinks", "bias", 64, **deep),
        group(f"{LAYER}mlp.router.weight", "router", experts, h, **deep),
        group(f"{LAYER}mlp.router.bias", "bias", experts, **deep),
        group(f"{LAYER}mlp.experts.gate_up_proj", "expert", experts, h, 2 * inner, **deep),
        group(f"{LAYER}mlp.experts.gate_up_proj_bias", "bias", experts, 2 * inner, **deep),
        group(f"{LAYER}mlp.experts.down_proj", "expert", experts, inner, h, **deep),
        group(f"{LAYER}mlp.experts.down_proj_bias", "bias", experts, h, **deep),
        group(f"{LAYER}input_layernorm.weight", "norm", h, **deep),
        group(f"{LAYER}post_attention_layernorm.weight", "norm", h, **deep),
        group("model.norm.weight", "norm", h),
        group("lm_head.weight", "head", vocabulary, h),
        model_type="gpt_oss",
        quantization=MXFP4,
    )


def weights(of, **told):
    (node,) = WEIGHTS.estimate(loading(of, **told), None)
    return node


def test_the_published_checkpoints_to_the_byte():
    """index.json of gpt-oss-20b, and hf-mem issue 60 for gpt-oss-120b."""
    kept = {"engine__settings__mxfp4_kernels": "yes"}
    assert weights(gpt_oss(24, 32), **kept).low == 13_761_264_768
    assert weights(gpt_oss(36, 128), **kept).low == 65_248_815_744


def test_without_kernels_it_is_bf16_and_nothing_else_says_so():
    """transformers issue 42723: 65.2 GB become 233.7 GB with a warning only."""
    node = weights(gpt_oss(36, 128))
    assert (node.low, round(node.high / 10**9, 1)) == (65_248_815_744, 233.7)
    exact = weights(gpt_oss(36, 128), formats__loaded="bf16")
    assert exact.low == exact.high == node.high


def test_an_engine_with_its_own_kernels_keeps_it():
    assert weights(gpt_oss(24, 32), engine__name="vllm").exact


def test_only_experts_are_packed():
    assert packed(MEMBER, model(linear(64, 64), quantization=MXFP4)) == [(None, None)]


def test_a_last_block_that_is_not_full_counts():
    experts = group("model.layers.*.mlp.experts.down_proj", "expert", 2, 40, 3, layers=(0,))
    held = model(experts, model_type="gpt_oss", quantization=MXFP4)
    assert packed(MEMBER, held) == [(2 * 3 * 2 * 16, 2 * 3 * 2)]


def test_the_condition_names_what_must_be_there():
    held = gpt_oss(1, 2)
    (condition,) = MEMBER.conditions(held, loading(held))
    assert "Triton 3.4" in condition.text
    assert "7.5" in condition.text
