"""optimum-benchmark's memory of a prefill, over transformers.

Source: huggingface/optimum-benchmark, benchmarks/inference/benchmark.py and trackers/memory.py. The model is
loaded and warmed up with a whole generation; then the cache is emptied, the peaks are reset, and one forward
pass over the prompt runs, with logits of every token and a cache that is given back.
"""

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number

_PACKED = {"awq": "awq", "bnb fp4": "bnb4", "bnb nf4": "bnb4", "bnb int8": "bnb8", "fp16": ""}


def matches(case):
    """True for its rows."""
    return "optimum-benchmark" in str(case["conditions"].get("framework", ""))


def plan(case):
    """One forward pass over the prompt."""
    told = case["conditions"]
    if told.get("phase") != "prefill":
        raise UncoveredError(f"its phase {told.get('phase')!r} is not simulated")
    words = told.get("quantization", "")
    if words not in _PACKED:
        raise UncoveredError(f"no kernels are known for {words!r}")
    prompt = whole_number(told.get("seq_len"), "the length is")
    return Plan(
        program="optimum-benchmark's prefill over transformers",
        make="generation:forward_pass",
        arguments={
            "config": config_of(case),
            "dtype": "fp16",
            "packed": _PACKED[words],
            "prompt_tokens": prompt,
            "sequences": whole_number(told.get("batch_size"), "the batch is"),
        },
        counter=counter_of(case),
        operation="inference",
        said=f"forward pass, {words}, prompt {prompt}, all logits",
        phases=("prefill",),
        differs=("version of transformers untold",),
        capability=capability(str(told.get("gpu", ""))),
    )
