"""Which layers see all tokens, a window or a chunk: the rule of each class where no list says so.

`layer_types` of a file is authoritative (reference/estimators.md 2.1). Rules are those of
`configuration_*.py` and of `get_layer_types_and_kwargs` in transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.kernel.config import Config
from fiche.kernel.said import tell

FULL, SLIDING, CHUNKED, LINEAR = (
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "linear_attention",
)
INDEXED = "indexed_attention"

Rule = Callable[[Config, int], list[str]]

# Older words for the same kinds.
_LEGACY = {
    "attention": FULL,
    "deepseek_sparse_attention": INDEXED,
    "mamba": LINEAR,
}


def reaches(config: Config, layers: int, rule: Rule) -> list[str]:
    """The kind of each layer: as listed, else by the class's rule."""
    listed = config.listed("layer_types")
    if listed is None:
        return rule(config, layers)
    return [_LEGACY.get(kind, kind) if isinstance(kind, str) else "" for kind in listed]


def by_window(config: Config, layers: int) -> list[str]:
    """Classes without a list: a window that is set holds for all layers, else a chunk, else none."""
    if config.value("sliding_window") is not None:
        return [SLIDING] * layers
    if config.value("attention_chunk_size") is not None:
        return [CHUNKED] * layers
    return [FULL] * layers


def all_full(config: Config, layers: int) -> list[str]:
    """Every layer sees all tokens."""
    return [FULL] * layers


def all_indexed(config: Config, layers: int) -> list[str]:
    """Every layer sees the tokens that its indexer chooses."""
    return [INDEXED] * layers


def every(period: int, *keys: str) -> Rule:
    """Full at each `period`-th layer, counted from one; the file may set the period under `keys`."""

    def rule(config: Config, layers: int) -> list[str]:
        step = (config.whole(*keys) if keys else None) or period
        return [SLIDING if (index + 1) % step else FULL for index in range(layers)]

    return rule


def global_also_at(*fixed: int, period: int, offset: int = 0, last: bool = False) -> Rule:
    """Full at the layers whose index leaves `offset` by `period`, at the fixed ones, perhaps at the last."""

    def rule(_: Config, layers: int) -> list[str]:
        return [
            FULL
            if index in fixed or index % period == offset or (last and index == layers - 1)
            else SLIDING
            for index in range(layers)
        ]

    return rule


def first_of(period: int) -> Rule:
    """Full at the first of each `period` layers."""

    def rule(config: Config, layers: int) -> list[str]:
        return [SLIDING if index % period else FULL for index in range(layers)]

    return rule


def after_window_layers(config: Config, layers: int) -> list[str]:
    """Qwen: a window counts only where `use_sliding_window` says so, from `max_window_layers` on."""
    used = config.flag("use_sliding_window") and config.value("sliding_window") is not None
    return _from(config, layers, bool(used))


def switched(config: Config, layers: int) -> list[str]:
    """Qwen3-MoE: with the switch on, the window holds for all layers."""
    return by_window(config, layers) if config.flag("use_sliding_window") else [FULL] * layers


def unswitched(config: Config) -> Iterable[str]:
    """A doubt: a list that names sliding layers beside a switch that is off."""
    slides = SLIDING in (config.listed("layer_types") or ())
    if slides and not config.flag("use_sliding_window"):
        yield tell("say whether layers slide: layer_types says so, use_sliding_window does not")


def from_window_layers(config: Config, layers: int) -> list[str]:
    """The same without the switch."""
    return _from(config, layers, config.value("sliding_window") is not None)


def _from(config: Config, layers: int, used: bool) -> list[str]:
    first = config.whole("max_window_layers") or 0
    return [SLIDING if used and index >= first else FULL for index in range(layers)]


def alternating_below(config: Config, layers: int) -> list[str]:
    """Qwen2-MoE: with the switch on, every other layer below `max_window_layers` slides."""
    used, last = config.flag("use_sliding_window"), config.whole("max_window_layers") or 0
    return [
        SLIDING if used and (index + 1) % 2 and index < last else FULL for index in range(layers)
    ]


def where_rotary(config: Config, layers: int) -> list[str]:
    """Llama 4: layers with rotary positions attend within chunks, those without see all."""
    chunk = config.value("attention_chunk_size") is not None
    return [CHUNKED if chunk and used else FULL for used in _rotary(config, layers)]


def where_not_rotary(config: Config, layers: int) -> list[str]:
    """SmolLM 3: with the switch on, layers without rotary positions slide."""
    used = config.flag("use_sliding_window") and config.value("sliding_window") is not None
    return [SLIDING if used and not each else FULL for each in _rotary(config, layers)]


def _rotary(config: Config, layers: int) -> list[bool]:
    listed = config.listed("no_rope_layers")
    if listed:
        return [bool(each) for each in listed]
    step = config.whole("no_rope_layer_interval") or 4
    return [bool((index + 1) % step) for index in range(layers)]
