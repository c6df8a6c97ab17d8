"""litgpt's generate/base.py, tp.py and sequentially.py.

Source: Lightning-AI/litgpt, generate/base.py (50 new tokens for "Hello, my name is" or "What food do llamas
eat?" where nothing else is asked: five to ten tokens), generate/tp.py (one rank of a tensor-parallel group
holds its part of each layer, the whole table and head), generate/sequentially.py (the root holds its part of
the layers, table and head).
"""

from _loops.plans import Plan, UncoveredError, capability, counter_of, whole_number
from _loops.programs._litgpt import is_litgpt, packed, shape_of

_PROMPT, _NEW = 8, 50


def matches(case):
    """True for its rows."""
    told = case["conditions"]
    return is_litgpt(case) and "generate" in str(told.get("method", "")) + told["framework"]


def plan(case):
    """A prompt and the tokens after it."""
    told = case["conditions"]
    if whole_number(told.get("batch_size", 1), "the batch is") != 1:
        raise UncoveredError("these scripts continue one prompt")
    devices = whole_number(told.get("devices", 1), "the number of devices is")
    precision = told.get("precision") or told.get("dtype") or "bf16-true"
    if packed(told) and devices > 1:
        raise UncoveredError("a packed base over several devices")
    new = whole_number(told.get("max_new_tokens", _NEW), "the number of new tokens is")
    split = {"ranks": devices} if "generate_tp" in told["framework"] else {"stages": devices}
    return Plan(
        program="litgpt's generate scripts",
        make="litgpt:generate",
        arguments={
            "shape": shape_of(case),
            "prompt_tokens": _PROMPT,
            "new_tokens": new,
            "precision": precision,
            "packed": packed(told),
            **(split if devices > 1 else {}),
        },
        counter=counter_of(case),
        operation="inference",
        said=f"generate, {precision}, {new} new tokens" + (f", {split}" if devices > 1 else ""),
        capability=capability(str(told.get("gpu", ""))),
    )
