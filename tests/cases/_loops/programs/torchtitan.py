"""torchtitan's training of Llama by `fully_shard`, eager.

Source: pytorch/torchtitan, train.py and parallelisms of early 2025; torchao's torchtitan_benchmark.sh gives
one row where a case says that its default was kept. What torch.compile keeps is its own choice, and is not
simulated.
"""

import re

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number


def matches(case):
    """True for its rows."""
    return str(case["conditions"].get("framework", "")).startswith("torchtitan")


def plan(case):
    """Two steps of one rank."""
    told = case["conditions"]
    recipe = str(told.get("recipe", told.get("technique", "")))
    if told.get("compile") or "compile" in recipe.lower():
        raise UncoveredError("torch.compile decides what is kept")
    if "float8" in recipe or "mxfp8" in recipe or told.get("float8"):
        raise UncoveredError("no kernels are known for float8 training")
    if str(told.get("activation_checkpointing")) != "none":
        raise UncoveredError("its choice of operators to recompute is not simulated")
    if not re.match(r"FSDP2? ?\(?\d+\)?$", told.get("parallelism", "")):
        raise UncoveredError(f"{told.get('parallelism')} is not simulated")
    rows = re.search(r"\d+", str(told.get("local_batch_size", "")))
    if rows is None:
        raise UncoveredError("the local batch is not told")
    config, tokens = config_of(case), whole_number(told.get("seq_len"), "the length is")
    shape = {
        "layers": config["num_hidden_layers"],
        "width": config["hidden_size"],
        "heads": config["num_attention_heads"],
        "groups": config.get("num_key_value_heads", config["num_attention_heads"]),
        "middle": config["intermediate_size"],
        "vocabulary": config["vocab_size"],
        "tokens": tokens,
    }
    devices = whole_number(told.get("gpus"), "the number of GPUs is")
    return Plan(
        program="torchtitan by fully_shard",
        make="torchtitan:train",
        arguments={"shape": shape, "rows": int(rows.group(0)), "devices": devices},
        counter=counter_of(case),
        operation="training",
        said=f"{recipe}, {rows.group(0)} x {tokens} tokens, one rank of {devices}",
        capability=capability(str(told.get("gpu", ""))),
    )
