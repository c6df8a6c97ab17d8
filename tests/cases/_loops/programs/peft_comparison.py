"""peft's method comparison on MetaMathQA.

Source: huggingface/peft, method_comparison/MetaMathQA. Batches are of sorted samples of at most
`max_seq_length` tokens, and texts of the forgetting check are cut at as many: a step on a batch of that
length is the largest that can run.
"""

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number


def matches(case):
    """True for its rows."""
    return "peft" in case["conditions"] and "max_seq_length" in case["conditions"]


def plan(case):
    """Steps on the longest batch."""
    told = case["conditions"]
    if case["kind"] != "peak":
        raise UncoveredError("a mean over steps, which hangs on the lengths of all batches")
    if told.get("optimizer") != "AdamW":
        raise UncoveredError(f"its optimizer {told.get('optimizer')} is not simulated")
    if told.get("gradient_checkpointing") or told.get("compile"):
        raise UncoveredError("checkpointing and compilation are not simulated here")
    rows = whole_number(told.get("batch_size"), "the batch is")
    tokens = whole_number(told.get("max_seq_length"), "the length is")
    kind = told["peft"].get("peft_type", "full")
    if kind == "TRAINABLE_TOKENS" and "token_indices" not in told["peft"]:
        raise UncoveredError("which tokens are learned is not told")
    return Plan(
        program="peft's method comparison",
        make="peft_comparison:steps",
        arguments={
            "config": config_of(case),
            "dtype": "bf16",
            "peft": told["peft"],
            "learned": whole_number(told.get("num_trainable_params"), "what is learned is"),
            "rows": rows,
            "tokens": tokens,
        },
        counter=counter_of(case),
        operation="training",
        said=f"{kind}, {rows} x {tokens} tokens",
        at_most=f"samples have at most {tokens} tokens, and the longest batch is untold",
        capability=capability(str(told.get("gpu", ""))),
    )
