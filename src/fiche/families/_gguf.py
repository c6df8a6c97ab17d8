"""From the metadata of a GGUF file to a model: what its layers keep, as llama.cpp reads the same keys.

Bytes of weights are the file's own tensors. A key or an architecture that is not understood leaves the model
open, and no cache is stated for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.families._gguf_arch import (
    EXPANDED,
    FULL,
    HYBRID,
    INTERVAL,
    NAMED,
    OWN_CACHES,
    PARALLEL,
    RECURRENT,
    RWKV,
    SLIDING,
    WITHOUT_CACHE,
)
from fiche.families._gguf_keys import Keys, from_log
from fiche.families._gguf_parts import attention_caches, blocks_of, latent_cache, state_of
from fiche.families._reads import MOST_LAYERS, asked
from fiche.kernel.address import Pointer
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.config import Config, Json
from fiche.kernel.figure import Figure, Node
from fiche.kernel.model import Cache, Model
from fiche.kernel.number import quoted
from fiche.kernel.origin import Declared
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE

_KNOWN = frozenset(
    (*SLIDING, *WITHOUT_CACHE, *RECURRENT, *RWKV, *HYBRID, *PARALLEL, *INTERVAL, *FULL, *NAMED)
)
_TOKENS = "tokenizer.ggml.tokens"


def gguf_model(checkpoint: Checkpoint) -> Model:
    """The model that a GGUF file describes in its own metadata."""
    config = Config(
        file=checkpoint.file, sha256=checkpoint.sha256, values=checkpoint.metadata, classes={}
    )
    found = _model(config)
    names = {group.name for group in checkpoint.groups}
    tied = "output.weight" not in names if names else None
    return replace(found, checkpoint=checkpoint, tied=tied)


def gguf_config_model(fields: Mapping[str, Json]) -> Model:
    """The model that a loader's log describes, under the names that it prints (`n_layer`, `n_head_kv`)."""
    _, values = from_log(fields)
    return _model(Config(file="log of the loader", sha256="", values=values, classes={}))


def _model(config: Config) -> Model:
    arch = config.text("general.architecture")
    keys = Keys(config=config, arch=arch)
    found = Model(
        family="gguf",
        model_type=arch,
        architecture=arch,
        hidden=keys.number("embedding_length"),
        vocabulary=_vocabulary(keys),
        positions=keys.number("context_length") if keys.told("context_length") else None,
        config=config,
    )
    doubt = _doubt(keys)
    if doubt:
        return replace(found, open=(asked(doubt, "tensors"),))
    depth = keys.whole("block_count") or 0
    try:
        return replace(found, caches=tuple(_caches(keys, depth)), blocks=blocks_of(keys, depth))
    except ZeroDivisionError as error:
        text = tell("give the metadata of this {arch} again: {error}", arch=arch, error=str(error))
        return replace(found, open=(asked(text, "tensors"),))


def _doubt(keys: Keys) -> str:
    """Why the layers are not understood, empty where they are."""
    depth = keys.whole("block_count")
    if keys.arch not in _KNOWN:
        return tell(
            "architecture {quoted} is not known here: state what its layers keep",
            quoted=quoted(keys.arch),
        )
    if depth is None or not 0 < depth <= MOST_LAYERS:
        return tell(
            "say how many layers this {arch} has, at most {most_layers}",
            arch=keys.arch,
            most_layers=MOST_LAYERS,
        )
    if (keys.whole("decoder_block_count") or 0) > MOST_LAYERS:
        return tell(
            "say how many layers the decoder of this {arch} has, at most {most_layers}",
            arch=keys.arch,
            most_layers=MOST_LAYERS,
        )
    listed = keys.config.value(keys.key("attention.head_count_kv"))
    if isinstance(listed, dict):
        return tell(
            "the list of key-value heads is too long to be read: state what the layers keep"
        )
    if isinstance(listed, list) and len(listed) < depth:
        return tell("the list of key-value heads is shorter than the layers: state what they keep")
    if keys.arch in HYBRID and not isinstance(listed, list):
        return tell("give the key-value heads of each layer: those without any keep a state")
    return _sliding_doubt(keys)


def _sliding_doubt(keys: Keys) -> str:
    window = keys.whole("attention.sliding_window")
    if not window or keys.listed("attention.sliding_window_pattern") is not None:
        return ""
    if keys.arch in NAMED or (keys.arch in SLIDING and not SLIDING[keys.arch].period):
        return tell(
            "which layers of {arch} slide is not known here: state what its layers keep",
            arch=keys.arch,
        )
    return ""


def _vocabulary(keys: Keys) -> Node:
    """The number of tokens: a key of its own, else the length of the tokenizer's list."""
    if keys.told("vocab_size"):
        return keys.number("vocab_size")
    tokens = keys.config.value(_TOKENS)
    length = tokens.get("length") if isinstance(tokens, dict) else None
    if isinstance(tokens, list):
        length = len(tokens)
    if not isinstance(length, int):
        return keys.number("vocab_size")
    place = Pointer(sha256=keys.config.sha256, path=f"/{_TOKENS}", text=str(length))
    origin = Declared(address=place, by=keys.config.file, printed=tell("length of the list"))
    return Figure(low=length, high=length, unit=ONE, origin=origin, label="vocabulary")


def _caches(keys: Keys, depth: int) -> Iterator[Cache]:
    if keys.arch in WITHOUT_CACHE:
        return
    own = _own(keys, depth)
    kind, states = _states(keys, own)
    if states:
        yield state_of(keys, kind, states)
    attends = [layer for layer in own if keys.arch in PARALLEL or layer not in set(states)]
    if keys.arch in RECURRENT or keys.arch in RWKV:
        return
    kept = [layer for layer in attends if keys.at("attention.head_count_kv", layer) != 0]
    if keys.told("attention.kv_lora_rank") and keys.arch not in EXPANDED:
        yield latent_cache(keys, kept)
    else:
        yield from attention_caches(keys, kept)


def _own(keys: Keys, depth: int) -> list[int]:
    """The layers with a cache of their own: not those that share one, nor those that only predict further."""
    if keys.arch == "t5":
        depth = keys.whole("decoder_block_count") or depth
    shared = keys.whole("attention.shared_kv_layers")
    further = keys.whole("nextn_predict_layers") or 0
    if shared is None and keys.arch in OWN_CACHES:
        return list(range(min(OWN_CACHES[keys.arch], depth)))
    return list(range(max(depth - (shared or 0) - further, 0)))


def _states(keys: Keys, own: list[int]) -> tuple[str, list[int]]:
    """The kind of state and the layers that keep one."""
    arch = keys.arch
    if arch in RWKV:
        return "rwkv", own
    if arch in RECURRENT:
        return RECURRENT[arch], own
    if arch in PARALLEL:
        return PARALLEL[arch], own
    if arch in INTERVAL:
        told = keys.listed("attention.recurrent_layers")
        interval = keys.whole("full_attention_interval") or 4
        recur = told if told is not None else [bool((i + 1) % interval) for i in own]
        return "gated_delta", [i for i in own if i < len(recur) and recur[i]]
    if arch in HYBRID:
        bare = [i for i in own if keys.at("attention.head_count_kv", i) == 0]
        if arch.startswith("nemotron_h"):
            bare = [i for i in bare if keys.at("feed_forward_length", i) == 0]
        return HYBRID[arch], bare
    return "", []
