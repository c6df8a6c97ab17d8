"""A plain `generate` of transformers, where no program of its own is named."""

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number
from _loops.programs import optimum_benchmark, qwen_speed

_FORMATS = {"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "fp32": "fp32"}
_PROMPTS = ("prompt_tokens", "input_tokens", "prefill_tokens")
_NEW = ("new_tokens", "max_new_tokens", "generated_tokens")


def matches(case):
    """True for a generation of transformers that no other program here is."""
    told = case["conditions"]
    named = str(told.get("engine") or told.get("framework") or "")
    others = qwen_speed.matches(case) or optimum_benchmark.matches(case) or "peft" in told
    return named.startswith("transformers") and "scripts" not in named and not others


def plan(case):
    """Prefill and last step of a generation."""
    told = case["conditions"]
    config = config_of(case)
    if config["model_type"] == "qwen":
        raise UncoveredError("the model's own code is not in transformers")
    counter = counter_of(case)
    words = str(told.get("dtype") or told.get("quantization") or "").lower()
    if words not in _FORMATS:
        raise UncoveredError(f"no loop is known for weights in {words or 'an untold format'}")
    prompt = whole_number(_first(told, _PROMPTS), "the length of the prompt is")
    new = whole_number(_first(told, _NEW), "the number of new tokens is")
    rows = whole_number(told.get("batch_size"), "the batch is")
    if counter == "reserved":
        raise UncoveredError("what is reserved hangs on all steps, and two of them are run")
    return Plan(
        program="generate of transformers",
        make="generation:speed_benchmark",
        arguments={
            "config": config,
            "dtype": _FORMATS[words],
            "packed": "",
            "prompt_tokens": prompt,
            "new_tokens": new,
            "sequences": rows,
        },
        counter=counter,
        operation="inference",
        said=f"generate, {words}, {rows} x prompt {prompt}, new {new}",
        phases=("prefill", "decode"),
        capability=capability(str(told.get("gpu", ""))),
    )


def _first(told, names):
    return next((told[name] for name in names if name in told), "untold")
