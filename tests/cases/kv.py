"""Published cache figures: lines of JSON as `cases/truth/README.md` describes them, kinds kv_*.

A case's configuration becomes a model, its conditions a workload, and what the engine's rule gives is
compared with what was printed, within its rounding. `cells`, `layers` and the types of the parts are inputs:
where cells are told, the bytes follow from the shape alone. What a kind of case needs and fiche does not
know is counted as not covered, with the reason.
"""

import json
from fractions import Fraction

from workloads import case as case_of
from workloads import stated, workload

from fiche.checkpoints import class_defaults
from fiche.estimators.engines._lookup import engine_named
from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.kv_cache import MEMBER as KV_CACHE
from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import AttentionCache, CrossCache, LatentCache, Model, StateCache
from fiche.kernel.record import replace
from fiche.kernel.trace import walk
from fiche.kernel.unit import ONE, count_of
from fiche.registry import claiming

NOT_COVERED = "not covered"
PART_STEPS = {
    "self": "kv_cache",
    "cross": "cross_attention_cache.encoder",
    "pad": "cross_attention_cache.pad",
    "recurrent state": "recurrent_state",
    "full-attention layers": "kv_cache.full",
    "sliding-window layers": "kv_cache.sliding",
}
NUMBER_FORMATS = {
    "fp8": "fp8_e4m3",
    "float8": "fp8_e4m3",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "16-bit": "fp16",
    "fp16": "fp16",
    "float16": "fp16",
    "fp32": "fp32",
    "float32": "fp32",
    "int8": "int8",
}
TYPES = {"bf16": "bf16", "f32": "f32", "f16": "f16"}
SPAN_TOKENS = (65_536, 131_072)


class NotCoveredError(Exception):
    """What this case needs is not known here."""


def add_options(parser):
    parser.add_argument("--only", default="", help="ids that start with this")


def run(path, options):
    """Yield (id, complaints, what was said) for every case of a file or of a folder's files."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            if told["kind"].startswith("kv_") and told["id"].startswith(options.only):
                yield told["id"], *judged(told)


def judged(told):
    """([complaint, ...], a line on what passed) of one case."""
    try:
        low, high, wanted = figure(told)
    except NotCoveredError as reason:
        return [f"{NOT_COVERED}: {reason}"], ""
    for value, half in wanted:
        if high is not None and value - half <= low and high <= value + half:
            return [], ""
        if high is not None and low <= value <= high:
            return [], f"between {low} and {high}: what the case leaves open decides"
    readings = " or ".join(str(value) for value, _ in wanted)
    return [f"{low} to {'open' if high is None else high}, expected {readings}"], ""


def figure(told):
    """(low, high, accepted readings with their half widths) of one case."""
    model = model_told(told["config"])
    expected, conditions = told["expected"], told["conditions"]
    if told["kind"] == "kv_per_token":
        return (*per_token(model, conditions), [token_reading(expected)])
    low, high = held(model, conditions)
    half = expected["rounding_half_unit_bytes"] + 1  # both are whole bytes, cut off
    readings = [expected[key] for key in ("bytes", "bytes_if_binary") if expected.get(key)]
    return low, high, [(value, half) for value in readings]


def token_reading(expected):
    """Bytes a token: those of the shape where the printed quotient agrees, else the quotient."""
    exact = expected.get("bytes_per_token_exact")
    if exact is not None:
        return Fraction(exact), 0
    return tuple(Fraction(str(expected[f"bytes_per_token{key}"])) for key in ("", "_half_width"))


# --- What is held -----------------------------------------------------------------------------


def held(model, conditions):
    """(low, high) of the part that the case names, or of all keys and values."""
    if "layers" in conditions or "cells" in conditions or "full" in conditions.get("part", ""):
        model = only(model, conditions)
    step = PART_STEPS.get(conditions.get("part", "self"))
    if step is None:
        raise NotCoveredError(f"part '{conditions['part']}' is not known here")
    cells = conditions.get("cells") or conditions.get("padded_positions")
    if cells is not None:
        return by_shape(model, conditions, cells, step)
    if "positions" in conditions:  # padded or not: the case does not say
        least = conditions["positions"]
        ends = (by_shape(model, conditions, end, step) for end in (least, -(-least // 256) * 256))
        return tuple(end[0] for end in ends)
    sequences = conditions.get("n_seq_max", 1)
    tokens = max(conditions.get("n_ctx", 1) // sequences, 1)
    load, where = told_load(model, conditions, tokens, sequences)
    return bounds_of(KV_CACHE.estimate(load, where), step)


def by_shape(model, conditions, cells, step):
    """(low, high) where the number of allocated positions is told: the shape alone decides."""
    model = with_cells(model, cells)
    load, where = told_load(model, conditions, cells, 1)
    return bounds_of(IDEAL.cache(model, load, where), step.partition(".")[0])


def per_token(model, conditions):
    """(low, high) of the bytes that one more token takes on one device."""
    if engine_of(conditions)[0].lower() == "vllm":
        model = replace(model, caches=tuple(as_full(cache) for cache in model.caches))
    ends = conditions.get("input_tokens") or SPAN_TOKENS
    found = []
    for tokens in ends:
        load, where = told_load(model, conditions, tokens, conditions.get("batch_size", 1))
        found.append(bounds_of(KV_CACHE.estimate(load, where), PART_STEPS["self"]))
    (low, high), (more, most) = found
    if high is None or most is None:
        return Fraction(more - low, ends[1] - ends[0]), None
    slopes = (Fraction(more - low, ends[1] - ends[0]), Fraction(most - high, ends[1] - ends[0]))
    return min(slopes), max(slopes)


def bounds_of(nodes, step):
    """(low, high) of an item or of one of its named steps; all steps of its kind together."""
    named = {each.id.removeprefix("case."): each for node in nodes for each in walk(node)}
    mine = [node for name, node in named.items() if name == step or name.startswith(f"{step}_")]
    if not mine:
        raise NotCoveredError(
            f"nothing called {step} among {', '.join(sorted(named)) or 'no figures'}"
        )
    low = sum(node.low for node in mine)
    return low, None if any(n.high is None for n in mine) else sum(node.high for node in mine)


def told_load(model, conditions, tokens, sequences):
    """The workload and case that the conditions of a case describe."""
    engine, version = engine_of(conditions)
    if engine_named(engine) is None:
        raise NotCoveredError(f"no rule is known for {engine}")
    told = {"operation": "generation", "engine__name": engine}
    told |= {"engine__version": version} if version else {}
    told |= formats_of(conditions)
    told |= latent_parts(conditions)
    if "positions" in conditions:  # printed when a state starts, with one decoder
        told["engine__settings__beam_size"] = "1"
    if "tensor_parallel" in conditions:
        told["placement__tensor_parallel"] = conditions["tensor_parallel"]
    for key, value in conditions.items():
        if isinstance(value, bool):
            told[f"engine__settings__{key}"] = "yes" if value else "no"
        elif isinstance(value, int) and key != "tensor_parallel":
            told.setdefault(f"engine__settings__{key}", value)
    where = case_of("case", context_tokens=tokens, resident_sequences=sequences)
    load = workload(where, **told)
    switches = {k: v for k, v in told.items() if ".settings" in k.replace("__", ".")}
    words = workload(**{key: str(value) for key, value in switches.items()}).facts
    return replace(load, model=model, facts={**words, **load.facts}), where


def engine_of(conditions):
    """(name, version): `transformers 4.51.3` names both."""
    name, _, version = conditions["engine"].partition(" ")
    told = [conditions.get(key) for key in ("engine_version", "version", "build")]
    return name, str(next(filter(None, told), version.split(",")[0]))


def formats_of(conditions):
    """The cache's formats: of keys and values where the parts name them, else one word for both."""
    found = {}
    for part in conditions.get("cache_parts", ()):
        key = {"K": "cache_key", "V": "cache_value"}.get(part.get("part", ""), "cache")
        found[f"formats__{key}"] = TYPES.get(part["type"].lower(), part["type"].lower())
    dtype = str(conditions.get("kv_cache_dtype") or conditions.get("dtype", "")).lower()
    word = next((told for name, told in NUMBER_FORMATS.items() if name in dtype), "")
    return found or ({"formats__cache": word} if word else {})


def latent_parts(conditions):
    """How latent attention is kept, by the parts that the log lists: `mla_attn` in the engine's words."""
    listed = {part.get("part", "") for part in conditions.get("cache_parts", ())}
    if "kv^T" in listed:
        return {"engine__settings__mla_attn": 1}
    told = conditions.get("mla_attn", 0)
    return {"engine__settings__mla_attn": max(told, 2)} if "c^KV" in listed else {}


def only(model, conditions):
    """The layers that a case is about: those of its part, as many as it says."""
    part = conditions.get("part", "full-attention layers")
    reach = "sliding" if part.startswith(("sliding", "SWA")) else "full"
    mine = [c for c in model.caches if getattr(c, "reach", "full") == reach]
    mine = [c for c in mine if isinstance(c, AttentionCache | LatentCache)]
    layers = conditions.get("layers")
    if layers is not None and sum(len(cache.layers) for cache in mine) != layers:
        if len(mine) != 1:
            raise NotCoveredError(
                f"which of {len(mine)} groups the {layers} layers are in is not said"
            )
        mine = [replace(mine[0], layers=tuple(range(layers)), count=count("layers", layers))]
    return replace(model, caches=tuple(mine))


def with_cells(model, cells):
    """The same model, with this many positions allocated in each of its layers."""
    positions = count("cells", cells, "tokens")
    return replace(
        model,
        caches=tuple(
            replace(cache, tokens=positions) if isinstance(cache, CrossCache) else as_full(cache)
            for cache in model.caches
        ),
    )


def as_full(cache):
    """The same layers, keeping every cell that is allocated or counted for them."""
    return replace(cache, reach="full") if isinstance(cache, AttentionCache) else cache


# --- Models -----------------------------------------------------------------------------------


def model_told(config):
    """A model by the names of its source: a library's configuration, or a log's."""
    if "n_text_layer" in config:
        return whisper(config)
    if "model_type" in config:
        return by_configuration(config)
    if "n_layer" in config:
        return by_log(config)
    raise NotCoveredError("the source shows no configuration")


def by_configuration(config):
    classes, source = class_defaults()
    told = Config(file="config.json", sha256="", values=config, classes=classes, classes_of=source)
    model = model_of(
        told, lambda word: claiming("fiche.families", Family, lambda m: m.model_types, word)
    )
    if not model.caches:
        raise NotCoveredError(f"model type {config['model_type']}: no family knows it")
    return model


def by_log(config):
    """What a GGUF engine prints of a model (`n_layer`, `n_head_kv`, `n_embd_head_k`, ...)."""
    caches = tuple(_log_caches(config))
    if not caches:
        raise NotCoveredError("the log shows no shape of its layers")
    return Model(family="log", model_type=config.get("arch", ""), architecture="", caches=caches)


def _log_caches(config):
    if "kv_lora_rank" in config:
        yield LatentCache(
            layers=tuple(range(config["n_layer"])),
            count=count("layers", config["n_layer"]),
            latent=count("latent", config["kv_lora_rank"]),
            rope=count("rope", config["qk_rope_head_dim"]),
            heads=count("heads", config["n_head"]),
            key_dim=count("key", config["n_embd_head_k"]),
            value_dim=count("value", config["n_embd_head_v"]),
        )
        return
    recurrent = _recurrent_layers(config)
    attending = [i for i in range(config["n_layer"]) if i not in recurrent]
    if recurrent and ("linear" in config or "ssm_d_inner" in config):
        yield _states(config, recurrent)
    if "n_head_kv" in config or "full_layers" in config:
        yield from _attention(config, attending)


def _attention(config, layers):
    slides = config.get("swa_layers", 0)
    num_sliding = slides["count"] if isinstance(slides, dict) else slides
    heads = config.get("n_head_kv")
    if isinstance(heads, list):
        for number in sorted(set(heads) - {0}):
            yield _heads(config, {"n_head_kv": number}, [i for i in layers if heads[i] == number])
        return
    full = config.get("full_layers", {})
    yield _heads(config, full if isinstance(full, dict) else {}, layers[num_sliding:])
    if num_sliding:
        shape = slides if isinstance(slides, dict) else {}
        sliding = _heads(config, shape, layers[:num_sliding])
        window = count("window", config["n_swa"], "tokens")
        yield replace(sliding, reach="sliding", window=window)


def _heads(config, shape, layers):
    width = shape.get("head_dim") or config.get("n_embd_head_k")
    width = width or config["n_embd"] // config["n_head"]
    heads = shape.get("n_head_kv") or config["n_head_kv"]
    name = f"{width}x{heads}"
    return AttentionCache(
        layers=tuple(layers),
        count=count(f"layers_{name}", len(layers)),
        kv_heads=count(f"heads_{name}", heads),
        key_dim=count(f"key_{name}", width),
        value_dim=count(
            f"value_{name}", shape.get("head_dim") or config.get("n_embd_head_v", width)
        ),
    )


def _recurrent_layers(config):
    """Layers that a log shows to be recurrent: between full ones, without heads, or all of them."""
    layers, every = range(config["n_layer"]), config.get("full_attention_interval")
    heads = config.get("n_head_kv")
    if every:
        return [i for i in layers if (i + 1) % every]
    if isinstance(heads, list):
        return [i for i in layers if not heads[i]]
    return list(layers) if "ssm_d_inner" in config and not heads else []


def _states(config, layers):
    """Convolution and state by the shape of heads (`linear`) or by what llama.cpp prints (`ssm_d_*`)."""
    if "linear" in config:
        linear = config["linear"]
        group, inner = linear["num_key_heads"], linear["num_value_heads"] * linear["value_head_dim"]
        width, kernel = linear["key_head_dim"], linear["conv_kernel"]
    else:
        group, inner = config.get("ssm_n_group", 0), config["ssm_d_inner"]
        width, kernel = config["ssm_d_state"], config["ssm_d_conv"]
    return StateCache(
        layers=tuple(layers),
        count=count("recurrent_layers", len(layers)),
        kind="gated_delta",
        channels=count("channels", inner + 2 * group * width),
        kernel=count("kernel", kernel),
        state=count("state", inner * width),
    )


def whisper(config):
    """A Whisper by the names that its own program prints; 448 and 1500 positions in every one of them."""
    layers, width = config["n_text_layer"], count("width", config["n_text_state"])
    shape = {"layers": tuple(range(layers)), "count": count("layers", layers)}
    shape |= {"kv_heads": count("heads", 1), "key_dim": width, "value_dim": width}
    positions = count("n_text_ctx", config.get("n_text_ctx", 448), "tokens")
    cross = CrossCache(
        **shape, tokens=count("n_audio_ctx", config.get("n_audio_ctx", 1500), "tokens")
    )
    return Model(
        family="log",
        model_type="whisper",
        architecture="",
        caches=(AttentionCache(**shape), cross),
        positions=positions,
    )


def count(name, value, word=""):
    return stated(f"config.{name}", value, count_of(word) if word else ONE)
