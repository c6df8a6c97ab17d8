"""AutoAWQ's benchmark over fused modules.

Source: casper-hansen/AutoAWQ, examples/benchmark.py: `max_memory_allocated` of the process over 1024**3, with
caches of as many tokens as are generated; README of release 0.2.5, whose percentages say that its GB are GiB.
"""

from _loops.plans import Plan, UncoveredError, capability, whole_number
from _loops.programs._litgpt import shape_of


def matches(case):
    """True for its rows."""
    return str(case["conditions"].get("framework", "")).startswith("AutoAWQ")


def plan(case):
    """Load, fusing, a prompt, and a token."""
    told = case["conditions"]
    if not told.get("fused_modules"):
        raise UncoveredError("its modules are not said to be fused")
    if "2x" in str(told.get("gpu", "")):
        raise UncoveredError("layers over two GPUs")
    shape = shape_of(case)
    if (shape["mlp_class_name"], shape["norm_class_name"]) != ("LLaMAMLP", "RMSNorm"):
        raise UncoveredError("only the blocks of Llama's kind are written here")
    kernel = told["framework"].rpartition(" ")[2]
    prompt = whole_number(told.get("prefill_tokens"), "the prompt is")
    new = whole_number(told.get("decode_tokens"), "the number of new tokens is")
    rows = whole_number(told.get("batch_size"), "the batch is")
    if kernel not in ("GEMM", "GEMV"):
        raise UncoveredError(f"its kernel {kernel} is not simulated")
    return Plan(
        program="AutoAWQ's benchmark over fused modules",
        make="autoawq:benchmark",
        arguments={
            "shape": shape,
            "kernel": kernel,
            "rows": rows,
            "prompt_tokens": prompt,
            "new_tokens": new,
        },
        counter="allocated",
        operation="inference",
        said=f"{kernel}, {rows} x prompt {prompt}, new {new}",
        capability=capability(str(told.get("gpu", ""))),
    )
