"""The speed benchmark of the Qwen2.5 and Qwen3 documentation, over transformers.

Source: QwenLM/Qwen2.5, examples/speed-benchmark/speed_benchmark_transformers.py. One process loads a model
with the format of its checkpoint and FlashAttention 2, generates 2,048 tokens for a prompt of exactly the input
length in one call of `generate`, and reads `max_memory_allocated` of the whole process.
"""

import re

from _loops.plans import Plan, UncoveredError, capability, config_of, counter_of, whole_number

_PACKED = {
    # Kernels that transformers takes for these checkpoints: exllama's first for GPTQ of four bits, a product in
    # plain operators for eight (auto_gptq picks its old one there), AutoAWQ's GEMM, blocks of fp8.
    "GPTQ-Int4": "gptq4",
    "GPTQ-Int8": "gptq8",
    "AWQ": "awq",
    "AWQ-INT4": "awq",
    "FP8": "fp8",
}


def matches(case):
    """True for its rows."""
    told = case["conditions"]
    engine = str(told.get("engine", ""))
    return engine.startswith("transformers 4.") and {"input_tokens", "generated_tokens"} <= set(
        told
    )


def plan(case):
    """Prefill and last step of the generation."""
    told = case["conditions"]
    if told.get("gpus", 1) != 1:
        raise UncoveredError("layers over several GPUs, of which the sum was counted")
    words = told["quantisation"]
    if words != "BF16" and words not in _PACKED:
        raise UncoveredError(f"no kernels are known for {words}")
    prompt = whole_number(told["input_tokens"], "the input length is")
    new = whole_number(told["generated_tokens"], "the number of new tokens is")
    decode_only = "whole-prompt prefill are not in the figure" in str(case.get("notes", ""))
    packed = _packed(words, told["engine"])
    return Plan(
        program="Qwen's speed benchmark over transformers",
        make="generation:speed_benchmark",
        arguments={
            "config": config_of(case),
            "dtype": "bf16" if packed in ("", "fp8") else "fp16",
            "packed": packed,
            "prompt_tokens": prompt,
            "new_tokens": new,
            "sequences": whole_number(told["batch_size"], "the batch is"),
            "repeats": _repeats(told),
        },
        counter=counter_of(case),
        operation="inference",
        said=f"generate, {words}, prompt {prompt}, new {new}" + (", decode" if decode_only else ""),
        phases=("decode",) if decode_only else ("prefill", "decode"),
        differs=(f"transformers of {told['engine'].split(',')[0].split()[-1]}",),
        capability=capability(str(told.get("gpu", ""))),
    )


def _repeats(told):
    """Until 4.47, transformers copied keys and values for every head before it called FlashAttention 2."""
    found = re.match(r"transformers 4\.(\d+)", told["engine"])
    flash = told.get("attention", "flash_attention_2") == "flash_attention_2"
    return bool(flash and found and int(found.group(1)) < 48)


def _packed(words, engine):
    """The packed form; GPTQModel takes Marlin, which multiplies what is packed as it is."""
    found = _PACKED.get(words, "")
    if found.startswith("gptq") and "GPTQModel" in engine:
        return f"marlin{found[-1]}"
    return found
