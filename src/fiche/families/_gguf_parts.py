"""Caches and blocks out of the keys of a GGUF file, alike layers together."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.families._gguf_arch import SLIDING
from fiche.families._gguf_keys import Keys
from fiche.families._rows import fixed
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import AttentionCache, Block, LatentCache, StateCache


def attention_caches(keys: Keys, layers: list[int]) -> Iterator[AttentionCache]:
    """Keys and values of some layers, together where heads, widths and reach are alike."""
    alike: dict[tuple[int | None, bool], list[int]] = {}
    for layer in layers:
        several = keys.at("attention.head_count_kv", layer)
        alike.setdefault((several, slides(keys, layer)), []).append(layer)
    for (_, sliding), group in alike.items():
        yield _alike(keys, group, sliding)


def _alike(keys: Keys, layers: list[int], sliding: bool) -> AttentionCache:
    rule = SLIDING.get(keys.arch)
    reach = "full"
    if sliding:
        reach = "chunked" if rule is not None and rule.chunked else "sliding"
    return AttentionCache(
        layers=tuple(layers),
        count=keys.counted("attention.head_count_kv", len(layers)),
        kv_heads=_key_heads(keys, layers[0]),
        key_dim=width(keys, "key", sliding),
        value_dim=width(keys, "value", sliding),
        reach=reach,
        window=_window(keys) if sliding else None,
    )


def _key_heads(keys: Keys, layer: int) -> Node:
    name = "attention.head_count_kv"
    return keys.figure(name if keys.told(name) else "attention.head_count", layer)


def width(keys: Keys, half: str, sliding: bool = False) -> Node:
    """The width of a head's key or value; hidden / heads where the file has none."""
    if sliding and keys.told(f"attention.{half}_length_swa"):
        return keys.number(f"attention.{half}_length_swa")
    if keys.told(f"attention.{half}_length"):
        return keys.number(f"attention.{half}_length")
    return floor(keys.number("embedding_length") / keys.figure("attention.head_count", 0))


def _window(keys: Keys) -> Node:
    rule = SLIDING.get(keys.arch)
    silent = not keys.told("attention.sliding_window")
    if rule is not None and rule.window is not None and (rule.chunked or silent):
        return fixed(rule.window)
    return keys.number("attention.sliding_window")


def slides(keys: Keys, layer: int) -> bool:
    """Whether a layer sees a window only: by the file's own list, else by the architecture's rule."""
    window, rule = keys.whole("attention.sliding_window"), SLIDING.get(keys.arch)
    listed = keys.listed("attention.sliding_window_pattern")
    if listed is not None:
        return bool(window) and layer < len(listed) and listed[layer] in (True, 1)
    if rule is None or not rule.period or window == 0 or (window is None and rule.window is None):
        return False
    if rule.depth is not None and rule.depth != keys.whole("block_count"):
        return False
    period = keys.whole("attention.sliding_window_pattern") or rule.period
    return layer % period != 0 if rule.dense_first else layer % period < period - 1


def latent_cache(keys: Keys, layers: list[int]) -> LatentCache:
    """One compressed vector a token; the widths by head are those of the tensors that expand it."""
    lora, rope = keys.number("attention.kv_lora_rank"), keys.number("rope.dimension_count")
    mla = keys.told("attention.key_length_mla")
    indexed = keys.told("attention.indexer.key_length")
    return LatentCache(
        layers=tuple(layers),
        count=keys.counted("attention.kv_lora_rank", len(layers)),
        latent=lora,
        rope=rope,
        heads=keys.figure("attention.head_count", layers[0] if layers else 0),
        key_dim=keys.number("attention.key_length_mla") if mla else width(keys, "key"),
        value_dim=keys.number("attention.value_length_mla") if mla else width(keys, "value"),
        index_dim=keys.number("attention.indexer.key_length") if indexed else None,
    )


def state_of(keys: Keys, kind: str, layers: list[int]) -> StateCache:
    """The state of fixed size that some layers keep."""
    channels, kernel, values = _state_widths(keys, kind)
    return StateCache(
        layers=tuple(layers),
        count=keys.counted("attention.head_count_kv", len(layers)),
        kind=kind,
        channels=channels,
        kernel=kernel,
        state=values,
    )


def _state_widths(keys: Keys, kind: str) -> tuple[Node, Node, Node]:
    """Channels of the convolution, its columns, and values of the state, as `n_embd_r` and `n_embd_s` say."""
    hidden = keys.number("embedding_length")
    if kind == "rwkv":
        told = keys.told("token_shift_count")
        shifts: Node = keys.number("token_shift_count") if told else fixed(2)
        return shifts * hidden, fixed(1), hidden * keys.number("wkv.head_size")
    if kind == "short_convolution":
        return hidden, keys.number("shortconv.l_cache"), fixed(0)
    if keys.arch == "kimi-linear":
        head, heads = keys.number("kda.head_dim"), keys.figure("attention.head_count", 0)
        return 3 * heads * head, keys.number("ssm.conv_kernel"), heads * head * head
    inner, state = keys.number("ssm.inner_size"), keys.number("ssm.state_size")
    kernel = keys.number("ssm.conv_kernel")
    if kind == "mamba":
        return inner, kernel, inner * state
    return inner + 2 * keys.number("ssm.group_count") * state, kernel, inner * state


def blocks_of(keys: Keys, depth: int) -> tuple[Block, ...]:
    """Alike layers as a training step sees them; GGUF files are not trained, so widths are those told."""
    experts = keys.whole("expert_count")
    inner = "expert_feed_forward_length" if experts else "feed_forward_length"
    heads = keys.figure("attention.head_count", 0) if keys.told("attention.head_count") else None
    return (
        Block(
            layers=tuple(range(depth)),
            count=keys.number("block_count"),
            hidden=keys.number("embedding_length"),
            kind="attention" if heads is not None else "state",
            heads=heads,
            query=None if heads is None else heads * width(keys, "key"),
            key=None if heads is None else _key_heads(keys, 0) * width(keys, "key"),
            value=None if heads is None else _key_heads(keys, 0) * width(keys, "value"),
            inner=keys.figure(inner, 0) if keys.told(inner) else None,
            experts_used=keys.number("expert_used_count") if experts else None,
        ),
    )
