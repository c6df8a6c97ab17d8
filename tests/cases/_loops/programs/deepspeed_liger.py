"""Long contexts by DeepSpeed's ZeRO-3 over transformers, with Liger's kernels and every layer recomputed.

Source: stas00/ml-engineering, insights/when-to-upgrade-gpus (what ran, and the counter of the worst rank);
DeepSpeed's defaults where its settings are not printed.
"""

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number


def matches(case):
    """True for its rows."""
    told = case["conditions"]
    return "ZeRO-3" in str(told.get("framework", "")) and "Liger" in str(told.get("kernels", ""))


def plan(case):
    """Two steps of one rank."""
    told = case["conditions"]
    if told.get("activation_checkpointing") != "full" or told.get("dtype") != "bf16":
        raise UncoveredError("only bf16 with every layer recomputed is simulated here")
    tokens = whole_number(told.get("seq_len"), "the length is")
    rows = whole_number(told.get("local_batch_size"), "the batch is")
    offloaded = "offloaded to CPU" in str(told.get("optimizer", ""))
    return Plan(
        program="DeepSpeed's ZeRO-3 with Liger's kernels",
        make="zero3_liger:steps",
        arguments={
            "config": config_of(case),
            "tokens": tokens,
            "rows": rows,
            "devices": whole_number(told.get("gpus"), "the number of devices is"),
            "offload": "optimizer" if offloaded else "none",
        },
        counter=counter_of(case),
        operation="training",
        said=f"{rows} x {tokens} tokens, one rank of {told['gpus']}",
        differs=("DeepSpeed's own settings untold: its defaults",),
        capability=capability(str(told.get("gpu", ""))),
    )
