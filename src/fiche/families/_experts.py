"""Which layers hold experts: the rule of each class where no list says so (transformers 5.24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.kernel.config import Config
from fiche.kernel.said import tell

DENSE, SPARSE = "dense", "sparse"

# What classes call the number of experts, of those that see a token, and of those that see all.
EXPERT_DIMS = {
    "experts": "num_experts num_local_experts n_routed_experts moe_num_experts",
    "experts_used": "num_experts_per_tok moe_topk moe_k",
    "expert_ffn": "moe_intermediate_size",
}
SHARED_DIMS = {
    **EXPERT_DIMS,
    "shared": "n_shared_experts num_shared_experts moe_num_shared_experts",
    "shared_ffn": "shared*expert_ffn",
}

MlpRule = Callable[[Config, int], list[str]]


def after_first(key: str, otherwise: int = 0) -> MlpRule:
    """Dense below the layer under `key`, sparse from it on."""

    def rule(config: Config, layers: int) -> list[str]:
        told = config.whole(key)
        first = otherwise if told is None else told
        return [SPARSE if index >= first else DENSE for index in range(layers)]

    return rule


def first_dense(count: int) -> MlpRule:
    """Dense in the first `count` layers."""

    def rule(_: Config, layers: int) -> list[str]:
        return [DENSE if index < count else SPARSE for index in range(layers)]

    return rule


def by_step(config: Config, layers: int) -> list[str]:
    """Qwen: every `decoder_sparse_step`-th layer, save those of `mlp_only_layers`."""
    step = config.whole("decoder_sparse_step") or 1
    only = config.listed("mlp_only_layers") or []
    none = config.whole("num_experts") == 0
    return [
        DENSE if none or index in only or (index + 1) % step else SPARSE for index in range(layers)
    ]


def between(config: Config, layers: int) -> list[str]:
    """Ernie 4.5: each `moe_layer_interval`-th layer from a first to a last one."""
    step = config.whole("moe_layer_interval") or 1
    first = config.whole("moe_layer_start_index") or 0
    told = config.whole("moe_layer_end_index")
    last = layers - 1 if told is None or told == -1 else told
    return [
        SPARSE if (index + 1) % step == 0 and first <= index <= last else DENSE
        for index in range(layers)
    ]


def interleaved(config: Config, layers: int) -> list[str]:
    """Llama 4: as listed under `moe_layers`, else each `interleave_moe_layer_step`-th layer."""
    listed = config.listed("moe_layers")
    step = config.whole("interleave_moe_layer_step") or 1
    return [
        SPARSE if (index in listed if listed is not None else (index + 1) % step == 0) else DENSE
        for index in range(layers)
    ]


def unread_frequency(config: Config) -> list[str]:
    """A doubt where layers with experts would lie further apart than the library's class makes them."""
    if config.value("moe_layer_freq") in (None, 1):
        return []
    return [
        tell(
            "say which layers hold experts: moe_layer_freq is not 1, and the library does not "
            "read it"
        )
    ]


def shares(config: Config) -> Iterable[str]:
    """A word where some experts see every token."""
    if config.whole("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"):
        yield "shared"
