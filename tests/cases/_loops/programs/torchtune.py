"""torchtune's recipes on one GPU.

Source: pytorch/torchtune, README ("Optimization flags": every row adds to the ones before), recipes/configs
(ranks and places of pairs), training/memory.py: peaks are printed in GB of 10**9 by releases until 0.1 and in
GiB later, which tells how the layers are made, too.
"""

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number

# What the named recipes learn: llama2/7B_lora_single_device, llama3_2/3B_lora_single_device.
_PAIRS = {
    "llama2": {"rank": 8, "lora": ("q", "v")},
    "llama3_2": {"rank": 64, "lora": ("q", "v", "o", "mlp")},
}
# The longest context of each, which its table of rotations is made for.
_LONGEST = {"llama2": 4096, "llama3_2": 131072}
_PLAIN_ROWS = ("+ packed dataset",)


def matches(case):
    """True for its rows."""
    return str(case["conditions"].get("framework", "")).startswith("torchtune")


def plan(case):
    """The model as it is made, or steps on packed rows."""
    told = case["conditions"]
    if told.get("phase") == "after model init":
        return _made(case)
    row = told.get("cumulative_technique", "")
    if row in _PLAIN_ROWS:
        return _packed(case)
    if row and not row.startswith("baseline"):
        raise UncoveredError("torch.compile, which this row keeps from the ones above it, decides")
    if told.get("gpus", 1) != 1:
        raise UncoveredError("compiled, over several GPUs, with batch and length untold")
    raise UncoveredError("the lengths of the samples are not told")


def _made(case):
    told = case["conditions"]
    if told.get("dtype") != "bf16":
        raise UncoveredError("its format is not told")
    kind = "llama2" if case["config"].get("vocab_size") == 32000 else "llama3_2"
    clones = case["expected"]["unit_meaning"] == "decimal"
    return Plan(
        program="torchtune's LoRA recipe on one GPU, after model init",
        make="torchtune:recipe",
        arguments={"shape": _shape(case, kind) | _PAIRS[kind], "clones": clones},
        counter=counter_of(case),
        operation="inference",
        said="model with pairs" + (", layers cloned" if clones else ""),
        phases=("model_init",),
        capability=capability(str(told.get("gpu", ""))),
    )


def _packed(case):
    told = case["conditions"]
    rows = whole_number(told.get("batch_size"), "the batch is")
    tokens = whole_number(told.get("seq_len"), "the length is")
    return Plan(
        program="torchtune's full recipe on one GPU",
        make="torchtune:recipe",
        arguments={
            "shape": _shape(case, "llama3_2"),
            "clones": False,
            "rows": rows,
            "tokens": tokens,
        },
        counter=counter_of(case),
        operation="training",
        said=f"full, {rows} x {tokens} tokens packed",
        differs=("flash attention stands for flex attention over packed samples",),
        capability=capability(str(told.get("gpu", ""))),
    )


def _shape(case, kind):
    config = config_of(case)
    heads = config["num_attention_heads"]
    return {
        "layers": config["num_hidden_layers"],
        "heads": heads,
        "groups": config.get("num_key_value_heads", heads),
        "width": config["hidden_size"],
        "middle": config["intermediate_size"],
        "vocabulary": config["vocab_size"],
        "longest": _LONGEST[kind],
        "tied": bool(config.get("tie_word_embeddings")),
    }
