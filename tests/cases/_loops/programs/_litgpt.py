"""litgpt's own names for a model, from either way that a case shows it."""

from _loops.plans import UncoveredError

_NAMES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "num_key_value_heads": "n_query_groups",
    "head_dim": "head_size",
    "intermediate_size": "intermediate_size",
    "vocab_size": "padded_vocab_size",
}
# What litgpt's config.py says of a kind of model.
_KINDS = {
    "llama": {"mlp_class_name": "LLaMAMLP", "norm_class_name": "RMSNorm"},
    "gemma": {"mlp_class_name": "GemmaMLP", "norm_class_name": "RMSNorm"},
    "falcon": {
        "mlp_class_name": "GptNeoxMLP",
        "norm_class_name": "LayerNorm",
        "parallel_residual": True,
        "shared_attention_norm": True,
    },
}
_OWN = (
    *_NAMES.values(),
    *("mlp_class_name", "norm_class_name", "rotary_percentage", "bias", "lm_head_bias"),
    *("parallel_residual", "shared_attention_norm"),
)


def shape_of(case):
    """The measures of a model, as running.litgpt_model.Shape takes them.

    Raises:
        UncoveredError: they are not shown whole.
    """
    config = case["config"]
    if "n_layer" in config:
        shape = {name: config[name] for name in _OWN if name in config}
    elif config.get("model_type") in _KINDS:
        shape = {mine: config[theirs] for theirs, mine in _NAMES.items() if theirs in config}
        shape |= _KINDS[config["model_type"]]
    else:
        raise UncoveredError("no configuration that litgpt has is shown")
    if config.get("model_type") == "falcon":
        shape.setdefault("intermediate_size", 4 * shape["n_embd"])
    lacking = [name for name in _NAMES.values() if name not in shape]
    if lacking or "mlp_class_name" not in shape:
        raise UncoveredError(f"the configuration is not shown whole: no {', '.join(lacking)}")
    return shape


def is_litgpt(case):
    """True for every script of it."""
    return str(case["conditions"].get("framework", "")).startswith("litgpt")


_PACKED = {
    "none": "",
    "bnb.nf4": "bnb4_half",
    "bnb.fp4": "bnb4_half",
    "bnb.int8": "bnb8",
    "bnb.nf4-dq": "bnb4_half_twice",
    "bnb.fp4-dq": "bnb4_half_twice",
}


def packed(told):
    """The packed form of the base that conditions name, empty for none.

    Raises:
        UncoveredError: no kernels are known for it.
    """
    words = str(told.get("quantize") or told.get("quantization") or "none").lower()
    if words not in _PACKED:
        raise UncoveredError(f"no kernels are known for {words}")
    return _PACKED[words]
