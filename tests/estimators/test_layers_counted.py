"""What the layers of each counted model type keep, beside autograd itself (formula sheet 2.5).

Small models of transformers, read by fiche from their own configuration: the bounds hold for layers two to
eight, in both formats and with both kinds of attention.
"""

import json
import weakref
from fractions import Fraction

import pytest
from trained import node

from fiche.estimators._amounts import each
from fiche.estimators._layer_kept import Step, least, most
from fiche.estimators._layers_counted import COVERED, FP32_COPIES, NARROW_NORMS
from fiche.estimators._widths_kept import Widths
from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming

EAGER_ONLY = {"bloom", "gemma2"}
SEQUENCE, VOCABULARY = 32, 64
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "n_embd": 64,
    "word_embed_proj_dim": 64,
    "intermediate_size": 160,
    "ffn_dim": 160,
    "n_inner": 256,
    "num_attention_heads": 4,
    "n_head": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "query_pre_attn_scalar": 16,
    "moe_intermediate_size": 48,
    "shared_expert_intermediate_size": 80,
    "num_experts": 8,
    "num_local_experts": 8,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 0,
    "q_lora_rank": 32,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "sliding_window": 16,
    "max_position_embeddings": 128,
    "n_positions": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 1,
}
LATENT = {"head_dim": 8, "num_key_value_heads": 4}
DROPOUT = ("dropout", "pdrop", "layerdrop", "jitter")


def configured(model_type, layers):
    from transformers import AutoConfig

    usual = AutoConfig.for_model(model_type)
    sizes = {**SIZES, **(LATENT if model_type.startswith("deepseek") else {})}
    if model_type == "falcon":
        del sizes["head_dim"]
    sizes |= dict.fromkeys(("num_hidden_layers", "n_layer"), layers)
    made = type(usual)(**{key: value for key, value in sizes.items() if hasattr(usual, key)})
    for key, value in vars(made).items():
        if isinstance(value, float) and any(word in key for word in DROPOUT):
            setattr(made, key, 0.0)
    return made


def read(configuration):
    """The model that fiche makes of a configuration of transformers, every key being given."""
    text = json.dumps(configuration.to_dict(), default=str).replace("Infinity", "null")
    values = json.loads(text, parse_float=Fraction)
    kind = values["model_type"]
    config = Config(file="config.json", sha256="0" * 64, values=values, classes={kind: {"x": 1}})
    return model_of(config, lambda word: claiming("fiche.families", Family, types_of, word))


def types_of(member):
    return member.model_types


class Held:
    def __init__(self, tensor):
        self.tensor = tensor


def saved(configuration, attention, width):
    """Bytes that autograd holds after a forward pass: each storage once, parameters and buffers apart."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    network = AutoModelForCausalLM.from_config(
        configuration, attn_implementation=attention, dtype=width
    ).train()
    own = [*network.parameters(), *network.buffers()]
    apart = {one.untyped_storage().data_ptr() for one in own}
    held = []

    def pack(tensor):
        one = Held(tensor)
        held.append(weakref.ref(one))
        return one

    tokens = torch.randint(2, VOCABULARY, (1, SEQUENCE))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one.tensor):
        loss = network(input_ids=tokens, labels=tokens, use_cache=False).loss
    storages = [one().tensor.untyped_storage() for one in held if one() is not None]
    assert loss.requires_grad
    kept = {one.data_ptr(): one.nbytes() for one in storages}
    return sum(count for place, count in kept.items() if place not in apart)


def bounds(configuration, attention, bits):
    of, width = read(configuration), each(bits)
    step = Step(
        widths=Widths(least=width, most=width, bits=node(bits)),
        attention=attention,
        sequence=node(SEQUENCE),
        attention_dropout=False,
        dropout=False,
    )
    assert of.blocks
    assert not of.open
    return tuple(
        sum(getattr(block.count * rule(block, of, step), end) for block in of.blocks) * SEQUENCE
        for rule, end in ((least, "low"), (most, "high"))
    )


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("model_type", sorted(COVERED))
def test_autograd_keeps_what_the_bounds_allow(model_type, attention, bits):
    import torch

    if attention == "sdpa" and model_type in EAGER_ONLY:
        attention = "eager"
    width = {16: torch.bfloat16, 32: torch.float32}[bits]
    few, many = (configured(model_type, layers) for layers in (2, 8))
    found = saved(many, attention, width) - saved(few, attention, width)
    low, high = (
        more - less
        for more, less in zip(
            bounds(many, attention, bits), bounds(few, attention, bits), strict=True
        )
    )
    assert low <= found <= high


def test_what_is_said_of_norms_is_said_of_counted_types():
    assert NARROW_NORMS < COVERED
    assert set(FP32_COPIES) < COVERED - NARROW_NORMS
