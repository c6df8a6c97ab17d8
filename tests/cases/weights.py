"""Published sizes of checkpoints and loads: lines of JSON, as `cases/truth/README.md` describes them.

Each case is built from its configuration over the defaults of its class, by the family that knows it. Exact
figures must be met to the value and to the byte, where what a checkpoint holds beside its class is told
apart: each such addend is worked out from the model's own shapes, and named where it is needed.
"""

import json
from itertools import combinations

NOT_COVERED = "not covered"

WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
FICHE_WORDS = {8: "fp64", 4: "fp32", 2: "bf16"}
HEADER_PER_TENSOR = 512  # name, type, shape and offsets of one tensor, in JSON
HEADERS = 65536
ENGINE_BESIDE = 128 * 2**20  # rotary tables, workspaces: vLLM prints 30 to 65 MiB above parameters
KEPT_FP32 = ("e_score_correction_bias", "expert_bias")
ADDENDS_AT_ONCE = 3
ENDINGS = (
    *("ForPreTraining", "ForMaskedLM", "Model", "ForConditionalGeneration", "ForCausalLM"),
    *("LMHeadModel", "EncoderModel", "ForSequenceClassification", "ForImageClassification"),
)


class UncoveredError(Exception):
    """A case that cannot be judged here, and why."""


def add_options(parser):
    parser.add_argument("--only", default="", help="ids that start with this")
    parser.add_argument("--kinds", default="", help="kinds of case, with commas between")


def run(path, options):
    """Yield (id, complaints, said) for every case of a file, or of all `*.jsonl` of a folder."""
    wanted = {kind for kind in options.kinds.split(",") if kind}
    for file in [path] if path.is_file() else sorted(path.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["kind"] not in JUDGES or not case["id"].startswith(options.only):
                continue
            if not wanted or case["kind"] in wanted:
                yield judged(case)


def judged(case):
    """One case: its id, what is wrong with it, and what was found."""
    name = f"{case['id']} ({case['kind']}, {case['model']})"
    try:
        complaints, said = JUDGES[case["kind"]](case)
    except UncoveredError as why:
        return name, [f"{NOT_COVERED}: {why}"], ""
    except Exception as error:  # noqa: BLE001 - a defect is a complaint like any other
        return name, [f"broke: {type(error).__name__}: {error}"], ""
    return name, complaints, said


# --- Models -----------------------------------------------------------------------------------


def model_of_case(case, **more):
    """The model that a case's configuration describes."""
    from fiche.checkpoints import class_defaults
    from fiche.families import model_of
    from fiche.kernel.config import Config
    from fiche.kernel.doors import Family
    from fiche.registry import claiming

    classes, source = class_defaults()
    values = whole_config({**case["config"], **more}, classes)
    config = Config(
        file="config.json", sha256="0" * 64, values=values, classes=classes, classes_of=source
    )

    def find(model_type):
        return claiming("fiche.families", Family, lambda family: family.model_types, model_type)

    model = model_of(config, find)
    if not model.family:
        raise UncoveredError(f"no family knows model type {values['model_type']}")
    if not model.parameters:
        asked = "; ".join(condition.text for condition in model.open)
        raise UncoveredError(f"the configuration leaves the parameters open ({asked})")
    return model


# A vision transformer of torchvision is told by its dimensions: it has no configuration file.
TORCHVISION = {
    *("image_size", "patch_size", "num_layers", "num_heads"),
    *("hidden_dim", "mlp_dim", "num_classes"),
}


def whole_config(told, classes):
    """The configuration as a file would have it: words where a class wants structure are left to the class."""
    if "model_type" not in told and set(told) >= TORCHVISION:
        return {key: value for key, value in told.items() if key != "note"}
    if "model_type" not in told:
        raise UncoveredError("the case names no model type")
    beside = ("model_type", "note", "quantization_config", "dtype", "architectures")
    said = set(told) - set(beside)
    if not said:
        raise UncoveredError(f"the case gives no fields ({told.get('note', 'only a model type')})")
    model_type = told["model_type"]
    defaults = classes.get(model_type, {})
    values = {
        key: value
        for key, value in told.items()
        if not (isinstance(value, str) and isinstance(defaults.get(key), dict | list))
        and not (isinstance(value, str) and key in ("layer_types", "vision_config", "text_config"))
        and key != "note"
    }
    outer = model_type.removesuffix("_text")
    if outer != model_type and outer in classes and isinstance(values.get("vision_config"), dict):
        vision = values.pop("vision_config")
        values = {"model_type": outer, "text_config": values, "vision_config": vision}
    return values


def count(node):
    """The one value of a node."""
    if node.low != node.high:
        raise UncoveredError(f"a dimension is open: {node.low} to {node.high}")
    return int(node.low)


def values_of(group):
    from fiche.estimators._elements import elements

    return count(elements(group))


def loaded_values(model):
    """Values that the class holds, buffers and what it leaves out not among them."""
    return sum(values_of(group) for group in model.parameters if group.loaded)


def most_values(group):
    """Values of a group that may be stored or not."""
    from fiche.estimators._elements import elements

    return int(elements(group).high or 0)


# --- What a checkpoint may hold beside its class ----------------------------------------------


def addends(model):
    """Values that some checkpoints hold beside those of the class, each worked out from the model's shapes."""
    from fiche.kernel.model import AttentionCache, CrossCache

    found = {}
    for group in model.parameters:
        if not group.loaded:
            found[f"{group.name}, which the class leaves out"] = most_values(group)
    found["all that the class leaves out"] = sum(found.values()) if len(found) > 1 else 0
    embeddings = [g for g in model.parameters if g.role == "embedding" and g.part == "language"]
    if embeddings:
        name = "the head's own copy of the embedding" if model.tied else "one embedding more"
        found[name] = values_of(embeddings[0])
    for number, group in enumerate(g for g in model.parameters if g.role == "position"):
        found[f"position ids of {group.name}"] = count(group.shape[0]) + number * 0
    routers = [g for g in model.parameters if g.role == "router"]
    if routers:
        found["a bias for each expert"] = sum(count(g.copies) * count(g.shape[0]) for g in routers)
    attention = [c for c in model.caches if isinstance(c, AttentionCache)]
    if attention:
        found["rotary frequencies a layer"] = sum(
            count(c.count) * count(c.key_dim) // 2 for c in attention
        )
    if model.positions is not None and attention and model.positions.high is not None:
        layers = sum(count(c.count) for c in attention)
        found["a causal mask a layer"] = layers * count(model.positions) ** 2
        found["a causal mask a layer and its fill value"] = layers * (
            count(model.positions) ** 2 + 1
        )
    if any(isinstance(c, CrossCache) for c in model.caches):
        bias = [g for g in model.parameters if "relative_attention_bias" in g.name]
        if bias:
            found["a position bias of cross-attention"] = count(bias[0].shape[0]) * count(
                bias[0].shape[1]
            )
    found |= scales(model)
    return {name: value for name, value in found.items() if value}


def scales(model):
    """Scales of FP8 blocks, which a hub counts as values: those of the class, and of what it leaves out."""
    from fiche.estimators.quantisation._modules import settings
    from fiche.estimators.quantisation.fp8 import MEMBER

    told = settings(model)
    if told is None or told.text("quant_method") != "fp8":
        return {}
    held = {True: 0, False: 0}
    for group in model.parameters:
        for part in MEMBER.packed(model, group, workload(model)):
            if part.beside is not None:
                held[group.loaded] += count(part.copies * part.beside) // 4
    return {"scales": held[True], "scales of what the class leaves out": held[False]}


def explained(model, expected):
    """Words for how the class's values, with some addends, make the expected count; None where they do not."""
    base = loaded_values(model)
    if base == expected:
        return "as loaded"
    optional = addends(model)
    for size in range(1, ADDENDS_AT_ONCE + 1):
        for names in combinations(optional, size):
            if base + sum(optional[name] for name in names) == expected:
                return "stored: as loaded, and " + ", and ".join(
                    f"{optional[name]} of {name}" for name in names
                )
    heads = [g for g in model.parameters if g.role == "head" and g.loaded]
    if heads and base - sum(map(values_of, heads)) == expected:
        return "as loaded, without the output head"
    return None


def architectures(case):
    """Configurations to try where the source does not say which class was stored: the plain one first."""
    yield {}
    if "model_type" in case["config"] and "architectures" not in case["config"]:
        stem = "".join(word.capitalize() for word in case["config"]["model_type"].split("_"))
        yield from ({"architectures": [stem + ending]} for ending in ENDINGS)


def settled(case, expected):
    """(model, words) of the class whose values make the expected count, with the fewest addends."""
    first, found, doubts = None, [], []
    for more in architectures(case):
        try:
            model = model_of_case(case, **more)
            words = None if model.open else explained(model, expected)
        except UncoveredError as why:
            doubts.append(str(why))
            continue
        if model.open:
            doubts += [condition.text for condition in model.open]
            continue
        first = first or model
        if words is not None:
            told = f" ({more['architectures'][0]})" if more else ""
            found.append((words.count(" of "), len(found), model, words + told))
    if found:
        return min(found, key=lambda each: each[:2])[2:]
    if first is None:
        raise UncoveredError("; ".join(dict.fromkeys(doubts)))
    return first, None


# --- Kinds ------------------------------------------------------------------------------------


def judge_params(case):
    """A count of values, and the bytes that the source makes of it."""
    expected = case["expected"]
    params = expected["params"]
    model, words = settled(case, params)
    if words is None:
        return [
            f"{loaded_values(model)} values, published {params} ({params - loaded_values(model):+})"
        ], ""
    if expected.get("bytes") is None:
        return [], words
    width = expected["bytes"] // params
    return differs("bytes", bytes_of(model, width, params), expected["bytes"]), words


def bytes_of(model, width, params):
    """Bytes of so many values by the estimator, with addends and what it keeps in fp32 at the same width."""
    from fiche.estimators.weights import MEMBER

    (weights,) = MEMBER.estimate(workload(model, formats__storage=FICHE_WORDS[width]), None)
    apart = sum(values_of(g) for g in model.parameters if g.loaded and g.name.endswith(KEPT_FP32))
    return count(weights) + apart * (width - 4) + (params - loaded_values(model)) * width


def judge_tensors(case):
    """Bytes of all tensors: of one type and int64 buffers, or of a quantised checkpoint."""
    expected, conditions = case["expected"], case["conditions"]
    width = WIDTHS.get(conditions.get("dtype", "").split()[0] if conditions.get("dtype") else "")
    params = expected.get("params")
    quantised = "quantization_config" in case["config"]
    if params is None:
        if width is None:
            raise UncoveredError("neither a count of values nor a type is given")
        params = expected["bytes"] // width
    model, words = settled(case, params)
    if words is None:
        return [
            f"{loaded_values(model)} values, published {params} ({params - loaded_values(model):+})"
        ], ""
    if quantised:
        return judge_packed(case, words)
    integers = conditions.get("extra_int64_elements") or 0
    total = bytes_of(model, width, params) + 8 * integers
    return differs("bytes", total, expected["bytes"]), words + (
        f", and {integers} int64" if integers else ""
    )


def judge_packed(case, words):
    """Bytes of a quantised checkpoint: all that is stored, or what the class loads of it."""
    from fiche.estimators._weights import stored_of
    from fiche.kernel.record import replace

    expected = case["expected"]["bytes"]
    model = model_of_case(case, dtype="bfloat16")
    loaded = replace(model, parameters=tuple(g for g in model.parameters if g.loaded))
    plain = replace(loaded, config=replace(model.config, values={"model_type": model.model_type}))
    readings = {
        "packed": model,
        "packed, without what the class leaves out": loaded,
        "as an index that counts two bytes a value": plain,
    }
    mine = {name: stored_of(workload(each), each) for name, each in readings.items()}
    if mine["packed"].high is None:
        raise UncoveredError("a layout that is not covered")
    for name, node in mine.items():
        if node.low <= expected <= node.high:
            return [], f"{words}, {name}"
    return differs("bytes", int(mine["packed"].low), expected), ""


def judge_file(case):
    """A file: at least its tensors, at most their headers more; printed figures within their rounding."""
    from fiche.estimators._weights import stored_of

    expected = case["expected"]
    model = model_of_case(case, dtype="float16")
    stored = stored_of(workload(model), model)
    if stored.high is None:
        raise UncoveredError("a layout that is not covered")
    tensors = sum(count(group.copies) for group in model.parameters)
    low, high = stored.low, stored.high + HEADERS + HEADER_PER_TENSOR * tensors
    said = f"tensors {int(stored.low)}" + ("" if stored.exact else f" to {int(stored.high)}")
    return within(expected, low, high), f"{said}, headers beside"


def judge_loaded(case):
    """What an engine prints after loading: at least the parameters, and little beside."""
    from fiche.estimators.weights import MEMBER

    conditions = case["conditions"]
    quantised = "quantization_config" in case["config"]
    model = model_of_case(case, **({"dtype": "float16"} if quantised else {}))
    dtype = str(conditions.get("dtype", ""))
    width = WIDTHS.get(dtype, 2 if "16" in dtype else 4 if "32" in dtype else None)
    if width is None and not quantised:
        raise UncoveredError("the case does not say in which format the values are loaded")
    told = {}
    if not quantised:
        told = {"formats__storage": FICHE_WORDS[width], "formats__loaded": FICHE_WORDS[width]}
    told["engine__name"] = conditions["engine"].split()[0].lower()
    ways = conditions.get("tensor_parallel") or 1
    if ways > 1:
        told["placement__tensor_parallel"] = ways
    (weights,) = MEMBER.estimate(workload(model, **told), None)
    return within(case["expected"], weights.low, weights.high + ENGINE_BESIDE), (
        f"parameters {int(weights.low)} to {int(weights.high)}, "
        f"printed {case['expected']['bytes'] - int(weights.low):+} bytes"
    )


def within(expected, low, high):
    """A printed figure, in each reading of its unit, against an interval."""
    half = expected["rounding_half_unit_bytes"] or 0
    readings = [expected[key] for key in ("bytes", "bytes_if_binary") if expected.get(key)]
    if any(reading - half <= high and reading + half >= low for reading in readings):
        return []
    return [f"{int(low)} to {int(high)} bytes, published {readings} +- {half}"]


def differs(what, mine, other):
    return [] if mine == other else [f"{what}: {mine}, published {other} ({other - mine:+})"]


def workload(model, **told):
    """A workload of one model: `a__b="word"` or `a__b=2`."""
    from fiche.kernel.address import Span
    from fiche.kernel.fact import Fact
    from fiche.kernel.figure import Figure
    from fiche.kernel.origin import Stated
    from fiche.kernel.unit import ONE
    from fiche.kernel.workload import Workload

    span = Span(file="case", line=1, column=1)
    paths = {key.replace("__", "."): value for key, value in told.items()}
    return Workload(
        facts={
            path: Fact(value=value, address=span)
            for path, value in paths.items()
            if isinstance(value, str)
        },
        figures={
            path: Figure(low=value, high=value, unit=ONE, origin=Stated(span=span), id=path)
            for path, value in paths.items()
            if isinstance(value, int)
        },
        cases=(),
        model=model,
    )


# --- GGUF -------------------------------------------------------------------------------------

ARCHITECTURES = {
    **{name: (name,) for name in ("llama", "qwen2", "qwen3", "gemma", "gemma2", "phi3", "glm4")},
    **{name: (name,) for name in ("olmo2", "olmoe", "starcoder2", "granite", "smollm3", "cohere2")},
    **{name: (name,) for name in ("ernie4_5", "seed_oss", "stablelm", "falcon", "bloom", "gpt2")},
    "qwen2moe": ("qwen2_moe",),
    "qwen3moe": ("qwen3_moe",),
    "gemma3": ("gemma3_text",),
    "deepseek2": ("deepseek_v3", "deepseek_v2"),
    "command-r": ("cohere",),
    "gpt-oss": ("gpt_oss",),
    "glm4moe": ("glm4_moe",),
    "mistral3": ("mistral",),
    "minimax-m2": ("minimax_m2",),
    "granitemoe": ("granitemoe",),
}
GGUF_NAMES = {
    "n_layer": "num_hidden_layers",
    "n_embd": "hidden_size",
    "n_ff": "intermediate_size",
    "n_head": "num_attention_heads",
    "n_head_kv": "num_key_value_heads",
    "n_embd_head_k": "head_dim",
    "n_vocab": "vocab_size",
    "n_expert": "num_experts",
    "n_expert_used": "num_experts_per_tok",
    "n_ff_exp": "moe_intermediate_size",
    "n_lora_q": "q_lora_rank",
    "n_lora_kv": "kv_lora_rank",
    "n_layer_dense_lead": "first_k_dense_replace",
    "n_expert_shared": "n_shared_experts",
}
ROPE_DIM = 64  # of every published deepseek2: what n_embd_head_k holds beyond n_embd_head_v
GGUF_HEADER = 64 * 2**20  # names, shapes, and a tokenizer of some hundred thousand entries
MORE_VECTORS = 8  # rope_freqs and its like, beside the vectors of the architecture


def judge_gguf_tensors(case):
    """A GGUF of one type over a known architecture: to the byte."""
    word = case["conditions"].get("quantisation", "")
    return differs("bytes", gguf_bytes(case), case["expected"]["bytes"]), f"{word} by the shapes"


def gguf_bytes(case):
    """Bytes of the tensors of a GGUF of one type."""
    from fiche.estimators._weights import stored_of

    word = case["conditions"].get("quantisation", "")
    model = model_of_case(case)
    plain = {"BF16": "bf16", "F16": "fp16", "F32": "fp32"}
    told = {"formats__storage": plain.get(word, word.lower()), "engine__name": "llama.cpp"}
    stored = stored_of(workload(model, **told), model)
    if stored.high is None:
        raise UncoveredError(f"{word or 'no type'} names no type of every tensor")
    return count(stored)


def judge_gguf_file(case):
    if not case["config"]:
        raise UncoveredError("the case gives no configuration and no tensors")
    low = gguf_bytes(case)
    return within(case["expected"], low, low + GGUF_HEADER), f"tensors {low}, header beside"


def judge_gguf_log(case):
    """Types by count: what any assignment of them to the shapes can make must hold the printed figure."""
    types = case["conditions"].get("tensor_types")
    if not types:
        raise UncoveredError(
            "types by tensor are not given, and a name of a mix says nothing of each"
        )
    blocks = {name: block(name) for name in types}
    tried = []
    for config in hf_configs(case["config"]):
        model = model_of_case({"config": config})
        for words, vectors, matrices in gguf_tensors(model):
            found = assigned(types, blocks, vectors, matrices)
            if isinstance(found, str):
                tried.append(found)
                continue
            return within(case["expected"], *found), f"{words}: {int(found[0])} to {int(found[1])}"
    raise UncoveredError(f"other tensors in the file: {'; '.join(dict.fromkeys(tried))}")


def block(name):
    from fiche.kernel.gguf_block import block_of

    found = block_of(name)
    if found is None:
        raise UncoveredError(f"GGUF type {name} is not known here")
    return found


def hf_configs(told):
    """Configurations in the names of config.json that a GGUF log may speak of, from its own names."""
    if "arch" not in told:
        if "model_type" not in told:
            raise UncoveredError("the case names no architecture")
        yield told
        return
    types = ARCHITECTURES.get(told["arch"])
    if types is None:
        raise UncoveredError(f"GGUF architecture {told['arch']} has no model type here")
    for model_type in types:
        for tied in (False, True):
            yield {**hf_config(told, model_type), "tie_word_embeddings": tied}


def hf_config(told, model_type):
    """A configuration in the names of config.json, from the names of a GGUF log."""
    config = {GGUF_NAMES[key]: value for key, value in told.items() if key in GGUF_NAMES}
    if model_type == "llama" and told.get("n_expert"):
        model_type = "mixtral"
    if model_type in ("mixtral", "gpt_oss", "minimax_m2") and "num_experts" in config:
        config["num_local_experts"] = config.pop("num_experts")
    if model_type in ("deepseek_v2", "deepseek_v3"):
        config.pop("head_dim", None)
        config["n_routed_experts"] = config.pop("num_experts", None)
        key = told.get("n_embd_head_k_mla", told["n_embd_head_k"])
        value = told.get("n_embd_head_v_mla", told["n_embd_head_v"])
        if key == told.get("n_lora_kv", 0) + ROPE_DIM:
            raise UncoveredError("the log prints the widths of the cache, not those of the heads")
        config |= {"v_head_dim": value, "qk_nope_head_dim": key - ROPE_DIM}
        config["qk_rope_head_dim"] = ROPE_DIM
        config.setdefault("q_lora_rank", None)
    return {"model_type": model_type, **config}


def gguf_tensors(model):
    """Yield (words, values of each vector, (values, rows) of each matrix) as a GGUF file may hold them."""
    vectors, matrices, latent = [], [], []
    for group in model.parameters:
        if not group.loaded or group.part != "language":
            continue
        shape = [count(side) for side in group.shape]
        copies = count(group.copies)
        values = values_of(group) // copies if copies else 0
        if len(shape) < 2 or group.role in ("norm", "bias", "router", "convolution", "recurrent"):
            vectors += [values] * copies
            continue
        rows = values // shape[-1]
        halves = 2 if group.role == "expert" and group.name.endswith("gate_up_proj") else 1
        entry = [(values // halves, rows // halves)] * (copies * halves)
        if "kv_b_proj" in group.name:
            latent += entry
        else:
            matrices += entry
    if not latent:
        yield "as the architecture has them", vectors, matrices
        return
    split = [each for values, rows in latent for each in ((values // 2, rows // 2),) * 2]
    yield "latent projections whole", vectors, matrices + latent
    yield "latent projections by keys and values", vectors, matrices + split
    yield "latent projections twice, whole and split", vectors, matrices + latent + split


def assigned(types, blocks, vectors, matrices):
    """(least, most) bytes of an assignment of types to tensors, or why there is none."""
    plain = types.get("f32", 0)
    quantised = [
        blocks[name] for name, number in types.items() if name != "f32" for _ in range(number)
    ]
    if len(quantised) != len(matrices) or not 0 <= plain - len(vectors) <= MORE_VECTORS:
        return (
            f"{len(vectors)} vectors and {len(matrices)} matrices here, "
            f"{plain} and {len(quantised)} in the file"
        )
    largest = sorted(matrices, reverse=True)
    dense = sorted(quantised, key=lambda each: each.num_bytes / each.values)
    base = 4 * sum(vectors)
    low = base + sum(v * b.num_bytes // b.values for (v, _), b in zip(largest, dense, strict=True))
    high = base + sum(
        v * b.num_bytes // b.values + rows * b.row_bytes
        for (v, rows), b in zip(largest, reversed(dense), strict=True)
    )
    more = (plain - len(vectors)) * 4 * max(vectors, default=0)
    return low, high + more


JUDGES = {
    "param_count": judge_params,
    "tensor_bytes": judge_tensors,
    "file_bytes": judge_file,
    "loaded_memory": judge_loaded,
    "gguf_tensor_bytes": judge_gguf_tensors,
    "gguf_file_bytes": judge_gguf_file,
    "gguf_log_size": judge_gguf_log,
}
