"""litgpt's finetune/lora.py, with and without a quantised base, and finetune/full.py.

Source: Lightning-AI/litgpt, finetune/lora.py, config_hub/finetune, tutorials/resource-tables.md. Samples are
padded to the longest of their microbatch, so the longest of the training set decides the peak;
`max_seq_length` truncates it.
"""

from _loops.plans import Plan, UncoveredError, capability, counter_of, whole_number
from _loops.programs._litgpt import is_litgpt, packed, shape_of

_PLACES = ("query", "key", "value", "projection", "mlp", "head")
_PRECISIONS = ("bf16-true", "16-true", "32-true")


def matches(case):
    """True for its rows."""
    told = str(case["conditions"].get("method", ""))
    return is_litgpt(case) and "generate" not in told and "micro_batch_size" in case["conditions"]


def plan(case):
    """Steps of a training on samples of the longest length."""
    told = case["conditions"]
    method = told["method"].lower()
    if method not in ("lora", "qlora", "full"):
        raise UncoveredError(f"its method {told['method']} is not simulated")
    if not str(told.get("machine", told.get("gpu", "1"))).replace(" ", "").startswith("1"):
        raise UncoveredError("several GPUs: shards by FSDP with checkpoints of every block")
    full = method == "full"
    tokens, at_most = _length(told)
    rows = whole_number(told["micro_batch_size"], "the microbatch is")
    if full and told.get("global_batch_size") == rows:
        raise UncoveredError("an update of one microbatch: here every update has two")
    if told.get("optimizer", "torch.optim.AdamW") != "torch.optim.AdamW":
        raise UncoveredError(f"its optimizer {told['optimizer']} is not simulated")
    precision = told.get("precision") or told.get("dtype")
    if precision not in _PRECISIONS:
        raise UncoveredError(f"the precision {precision} is not simulated")
    return Plan(
        program="litgpt's finetune/lora.py",
        make="litgpt:finetune",
        arguments={
            "shape": shape_of(case) | ({} if full else _pairs(told, case)),
            "full": full,
            "rows": rows,
            "tokens": tokens,
            "precision": precision,
            "packed": packed(told),
        },
        counter=counter_of(case),
        operation="training",
        said=f"{method}, {rows} x {tokens} tokens" + (", 4 bits" if packed(told) else ""),
        at_most=at_most,
        capability=capability(str(told.get("machine", told.get("gpu", "")))),
    )


def _length(told):
    if "longest_sample_tokens" in told:
        return whole_number(told["longest_sample_tokens"], "the longest sample is"), ""
    longest = whole_number(told.get("max_seq_len"), "the length of samples is")
    return longest, f"samples are cut at {longest}, and the longest one is untold"


def _pairs(told, case):
    """Ranks and places: as the row says, or queries and values of rank 8, the script's defaults."""
    if "lora_r" in told:
        on = tuple(place for place in _PLACES if str(told.get(f"lora_{place}")) == "true")
        return {"lora_r": whole_number(told["lora_r"], "the rank is"), "lora_on": on}
    shape = shape_of(case)
    made = {"lora_r": 8, "lora_on": ("query", "value")}
    widths = shape["n_head"] * shape["head_size"] + shape["n_query_groups"] * shape["head_size"]
    count = shape["n_layer"] * 8 * (2 * shape["n_embd"] + widths)
    if told.get("trainable_parameters", count) != count:
        raise UncoveredError("other matrices are learned than the script's defaults")
    return made
