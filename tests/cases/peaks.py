"""Published peaks of runs: lines of JSON, as `cases/truth/README.md` describes them.

A case becomes a workload of what its conditions say, and nothing else: what they leave out stays untold. It
passes where the computed floor is not above what was observed. Beside that, the largest phase by
arithmetic is set against the observation, by counter and by confidence: coverage and signed error.
"""

import json
import re
from collections import defaultdict
from statistics import median

NOT_COVERED = "not covered"
_CONFIDENT = ("high", "medium")


class UncoveredError(Exception):
    """A case that cannot be judged here, and why."""


def add_options(parser):
    parser.add_argument("--only", default="", help="ids or families that start with this")
    parser.add_argument("--items", action="store_true", help="print every item of a load")


def run(path, options):
    """Yield (id, complaints, said) for every measured case, then one line a group of counters."""
    errors = defaultdict(list)
    for file in [path] if path.is_file() else sorted(path.glob("peaks*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["kind"] not in ("peak", "steady", "component"):
                continue
            if case["id"].startswith(options.only) or case["family"].startswith(options.only):
                yield judged(case, errors, options)
    for told in summary(errors):
        print(told)


def judged(case, errors, options):
    """One case: its id, what is wrong with it, and what was found."""
    name = f"{case['id']} ({case['family']}, {case['model']})"
    group = (counter(case["expected"]["counter"]), case["confidence"])
    try:
        found = load_of(case)
    except UncoveredError as why:
        errors[group].append(None)
        return name, [f"{NOT_COVERED}: {why}"], ""
    except Exception as error:  # noqa: BLE001 - a defect is a complaint like any other
        return name, [f"broke: {type(error).__name__}: {error}"], ""
    least, most = observed(case["expected"])
    peak = max((each.total.low for each in found.phases), default=found.floor)
    errors[group].append((peak - least) / least)
    said = f"floor {found.floor / least:.2f}, largest phase {peak / least:.2f} of what was observed"
    if options.items:
        said += "".join(f"\n    {i.node.id}: {i.node.low} to {i.node.high}" for i in found.items)
    if found.floor > most:
        return name, [f"the floor {found.floor} B is above the observed {most} B; {said}"], ""
    return name, [], said


def observed(expected):
    """The least and the most that was observed: either reading of an unknown unit."""
    readings = [expected["bytes"], expected.get("bytes_if_binary") or expected["bytes"]]
    half = expected["rounding_half_unit_bytes"] or 0
    return max(min(readings) - half, 1), max(readings) + half


def counter(words):
    """What was counted, as README orders it: allocated, reserved, whole device, or not stated."""
    words = words.lower()
    for found in ("not stated", "not printed"):
        if found in words:
            return "not stated"
    if "reserved" in words:
        return "reserved"
    if any(each in words for each in ("allocated", "active", "peak memory during", "pytorch")):
        return "allocated"
    return "whole device"


def summary(errors):
    """Coverage and signed error of the largest phase's low end, by counter and confidence."""
    for (what, confidence), found in sorted(errors.items()):
        told = [each for each in found if each is not None]
        line = f"{what}, {confidence} confidence: {len(told)} of {len(found)} covered"
        if told:
            line += f", signed error {100 * min(told):+.1f} % to {100 * max(told):+.1f} %"
            line += f", median {100 * median(told):+.1f} %"
        yield line


# --- From a case to a workload ----------------------------------------------------------------


class Load:
    """A workload's items, the floor that excludes, and what is alive in each phase."""

    def __init__(self, workload, case):
        from fiche.estimators import firm_floor, load_items, phase_totals
        from fiche.kernel.doors import Estimator
        from fiche.registry import members

        self.items = load_items(workload, case, members("fiche.estimators", Estimator))
        floor = firm_floor(self.items)
        self.floor = floor.low if floor is not None else 0
        self.phases = phase_totals(workload, case, self.items)


def load_of(case):
    """The load of a case.

    Raises:
        UncoveredError: its conditions do not say what ran.
    """
    from fiche.cli.settings import with_setting
    from fiche.kernel.address import Span
    from fiche.kernel.record import replace
    from fiche.kernel.workload import Case, Workload

    told = dict(facts(case))
    here = Span(file=case["id"], line=1, column=1)
    dimensions = {key: told.pop(key) for key in DIMENSIONS if key in told}
    targets, saved = told.pop("targets", ()), told.pop("modules_to_save", ())
    empty = Case(id="", role="", dimensions={}, phases=(), span=here)
    load = Workload(facts={}, figures={}, cases=(empty,), model=model_of_case(case))
    load = replace(load, method_targets=tuple(targets), modules_to_save=tuple(saved))
    for path, value in {**told, **dimensions}.items():
        load = with_setting(load, path, str(value))
    return Load(load, load.cases[0])


DIMENSIONS = (
    *("prompt_tokens", "new_tokens", "context_tokens", "resident_sequences"),
    *("microbatch", "accumulation", "sequence_tokens"),
)


def model_of_case(case):
    """The model of a case's configuration over the defaults of its class."""
    from fiche.checkpoints import class_defaults
    from fiche.families import model_of
    from fiche.kernel.config import Config
    from fiche.load.described import family_of

    if not case["config"].get("model_type"):
        raise UncoveredError("no configuration is shown")
    classes, source = class_defaults()
    values = {**case["config"], **quantised(case)}
    if "quantization_config" in values:
        values.setdefault(
            "torch_dtype", "float16"
        )  # what is not quantised stays 16-bit (truth.md 8)
    config = Config(
        file="config.json", sha256="0" * 64, values=values, classes=classes, classes_of=source
    )
    model = model_of(config, family_of)
    if not model.parameters:
        asked = "; ".join(condition.text for condition in model.open)
        raise UncoveredError(f"the configuration leaves the parameters open: {asked}")
    if any("leaves" not in c.text and "hidden_size" in c.text for c in model.open):
        raise UncoveredError("the configuration is not shown whole")
    return model


def quantised(case):
    """The quantisation of the checkpoint itself, as its config.json would have it."""
    words = told_words(case["conditions"], "quantisation", "quantization", "dtype")
    bits = case["conditions"].get("bits")
    group = case["conditions"].get("group_size", 128) or -1
    if "gptq" in words or (bits and bits < 16 and "gptq" in case["family"]):
        found = re.search(r"int(\d)", words)
        width = bits or (int(found.group(1)) if found else 4)
        return {"quantization_config": {"quant_method": "gptq", "bits": width, "group_size": group}}
    if (
        "awq" in words
        and "hqq" not in words
        and "torchao" not in case["conditions"].get("framework", "")
    ):
        kind = {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm"}
        return {"quantization_config": kind}
    if words == "fp8":
        return {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    return {}


def told_words(conditions, *names):
    """The first of these conditions that is told, in small letters."""
    for name in names:
        if isinstance(conditions.get(name), str):
            return conditions[name].lower()
    return ""


def facts(case):
    """(path, value) of what the conditions say of a workload."""
    conditions = case["conditions"]
    if conditions.get("phase") == "CUDA kernels loaded, no model":
        raise UncoveredError("nothing of the model was loaded")
    if conditions.get("part"):
        raise UncoveredError("one part of a program whose formats are its own")
    yield from formats(case)
    yield from placement(conditions)
    if learns(case):
        yield from training(case)
    else:
        yield from generation(case)


def learns(case):
    """True for a training or an adaptation."""
    told = case["conditions"]
    if any(key in told for key in ("optimizer", "peft", "lora_r", "lora_rank", "micro_batch_size")):
        return True
    method = told_words(told, "method")
    trained = any(word in method for word in ("lora", "full", "freeze"))
    frameworks = ("torchtitan", "torchtune", "llm.c", "LLaMA-Factory", "scripts of the repo")
    return trained or any(word in told.get("framework", "") for word in frameworks)


def formats(case):
    """Formats of weights, and of the cache, where the conditions name them."""
    conditions = case["conditions"]
    words = told_words(conditions, "quantize", "quantization", "quantisation", "precision", "dtype")
    if conditions.get("framework", "").startswith("torchtitan"):
        yield "formats.loaded", "fp32"  # parameters are kept wide, and cast for each product
        return
    if quantised(case):
        yield "formats.cache", "fp16"
        return
    for word, name in (
        *(("bnb.nf4", "nf4"), ("bnb.fp4", "fp4"), ("bnb.int8", "int8"), ("qlora", "nf4")),
        *(("q-lora", "nf4"), ("bf16", "bf16"), ("bfloat16", "bf16"), ("fp16", "fp16")),
        ("16-true", "fp16"),
        *(("32-true", "fp32"), ("fp32", "fp32")),
    ):
        if word in words or word in told_words(conditions, "method", "cumulative_technique"):
            yield "formats.loaded", name
            if name in ("bf16", "fp16", "fp32"):
                yield "formats.cache", name
            return


def placement(conditions):
    """How the load is cut, where one device was counted."""
    gpus = conditions.get("devices") or conditions.get("gpus") or 1
    words = conditions.get("parallelism", "") + conditions.get("framework", "")
    sharded = "FSDP" in words or "ZeRO-3" in words
    if gpus == 1 or not (sharded or "devices" in conditions):
        return
    yield "placement.devices", gpus
    if sharded:
        yield "placement.sharding", "zero3" if "ZeRO" in words else "fsdp"
        tensor = re.search(r"TP (\d+)", words)
        if tensor:
            yield "placement.tensor_parallel", tensor.group(1)
    elif "generate_tp" in words:
        yield "placement.tensor_parallel", gpus
    else:
        yield "placement.pipeline_parallel", gpus
    if "offloaded to CPU" in conditions.get("optimizer", ""):
        yield "placement.offload", "optimizer"


def generation(case):
    """Prompt, new tokens and sequences of a generation; untold ones stay untold."""
    conditions = case["conditions"]
    yield "operation", "generation"
    engine = conditions.get("engine", conditions.get("framework", ""))
    name, _, version = engine.partition(",")[0].partition(" ")
    if name == "transformers":
        yield "engine.name", name
        if version:
            yield "engine.version", version
    for key, path in (
        *(("input_tokens", "prompt_tokens"), ("prefill_tokens", "prompt_tokens")),
        *(("generated_tokens", "new_tokens"), ("decode_tokens", "new_tokens")),
        *(("max_new_tokens", "new_tokens"), ("new_tokens", "new_tokens")),
    ):
        if isinstance(conditions.get(key), int):
            yield path, conditions[key]
    if "seq_len" in conditions and "prompt_tokens" not in conditions:
        yield "context_tokens", number(conditions["seq_len"])
    if isinstance(conditions.get("batch_size"), int):
        yield "resident_sequences", conditions["batch_size"]
    if "attention" in conditions:
        yield "attention", conditions["attention"]


def number(told):
    """A whole number at the start of what was printed."""
    return re.match(r"\d+", str(told)).group(0)


def training(case):
    """Microbatch, sequence, method and optimizer of a training; untold ones stay untold."""
    conditions = case["conditions"]
    method = told_words(conditions, "method")
    yield "operation", "adaptation" if adapters(case) else "training"
    for key in ("micro_batch_size", "local_batch_size", "batch_size"):
        if str(conditions.get(key, "x"))[0].isdigit():
            yield "microbatch", number(conditions[key])
            break
    # A longest sample is truncated to max_seq_len, and a dataset may be shorter: only seq_len is run.
    if str(conditions.get("seq_len", "x"))[0].isdigit() and "unpacked" not in str(conditions):
        yield "sequence_tokens", number(conditions["seq_len"])
    if "AdamW" in conditions.get("optimizer", ""):
        yield "optimizer.name", "adamw"
    elif "8-bit" in conditions.get("optimizer", ""):
        yield "optimizer.name", "adamw_8bit"
    kept = str(conditions.get("activation_checkpointing", "")).split(" ")[0].split(",")[0]
    if kept in ("none", "full", "selective"):
        yield "training.checkpointing", kept
    if conditions.get("gradient_checkpointing") is False:
        yield "training.checkpointing", "none"
    if adapters(case):
        yield from adapter(case, method)


def adapters(case):
    """True where only adapters are learned."""
    conditions = case["conditions"]
    kind = (conditions.get("peft") or {}).get("peft_type", "")
    if kind and kind != "LORA":
        raise UncoveredError(f"the method {kind} has no rule here")
    lora = "lora" in told_words(conditions, "method", "recipe", "cumulative_technique").replace(
        "-", ""
    )
    lora = lora or "lora" in str(conditions.get("quantisation", "")).lower()
    return lora or kind == "LORA" or "lora_r" in conditions or "lora_rank" in conditions


def adapter(case, method):
    """Rank and targets of adapters."""
    conditions = case["conditions"]
    peft = conditions.get("peft") or {}
    quantised_base = "q" in method.replace("-", "")[:1] or "bnb" in str(conditions.get("quantize"))
    kind = "dora" if peft.get("use_dora") else "qlora" if quantised_base else "lora"
    yield "method.kind", kind
    rank = peft.get("r") or conditions.get("lora_r") or conditions.get("lora_rank")
    if rank:
        yield "method.rank", rank
    if peft.get("target_modules"):
        yield "targets", peft["target_modules"]
    learned = conditions.get("num_trainable_params") or conditions.get("trainable_parameters")
    if learned:
        yield "method.trainable_parameters", learned
