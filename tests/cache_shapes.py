"""Models of public shapes for tests of caches: the caches alone, in plain numbers."""

from workloads import stated

from fiche.kernel.model import (
    AttentionCache,
    CrossCache,
    ImageTokens,
    LatentCache,
    Model,
    StateCache,
)
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE, count_of


def number(name, value, word=""):
    return stated(f"config.{name}", value, count_of(word) if word else ONE)


def _places(layers):
    return tuple(range(layers)) if isinstance(layers, int) else tuple(layers)


def attention(layers, kv_heads, dim, reach="full", window=None, value_dim=None):
    width = number("head_dim", dim)
    return AttentionCache(
        layers=_places(layers),
        count=number(f"layers_{reach}", len(_places(layers)), "layers"),
        kv_heads=number(f"kv_heads_{reach}", kv_heads, "heads"),
        key_dim=width,
        value_dim=width if value_dim is None else number("value_dim", value_dim),
        reach=reach,
        window=None if window is None else number("sliding_window", window, "tokens"),
    )


def latent(layers, rank, rope, heads, nope, value, index=None):
    return LatentCache(
        layers=_places(layers),
        count=number("layers_latent", len(_places(layers)), "layers"),
        latent=number("kv_lora_rank", rank),
        rope=number("qk_rope_head_dim", rope),
        heads=number("num_attention_heads", heads, "heads"),
        key_dim=number("qk_nope_head_dim", nope) + number("qk_rope_head_dim", rope),
        value_dim=number("v_head_dim", value),
        index_dim=None if index is None else number("index_head_dim", index),
    )


def cross(layers, heads, dim, tokens=None):
    width = number("cross_head_dim", dim)
    return CrossCache(
        layers=_places(layers),
        count=number("layers_cross", len(_places(layers)), "layers"),
        kv_heads=number("cross_heads", heads, "heads"),
        key_dim=width,
        value_dim=width,
        tokens=None if tokens is None else number("max_source_positions", tokens, "tokens"),
    )


def states(layers, kind, channels, kernel, state):
    return StateCache(
        layers=_places(layers),
        count=number(f"layers_{kind}", len(_places(layers)), "layers"),
        kind=kind,
        channels=number(f"{kind}_channels", channels),
        kernel=number(f"{kind}_kernel", kernel),
        state=number(f"{kind}_state", state),
    )


def model(*caches, storage="bf16", images=None):
    return Model(
        family="test",
        model_type="test",
        architecture="Test",
        caches=tuple(caches),
        storage=storage,
        images=images,
    )


def images(kind, extra=0, **told):
    return ImageTokens(
        kind=kind, extra=extra, **{key: number(key, value) for key, value in told.items()}
    )


def of(load, shape):
    """The workload with this model in place of files."""
    return replace(load, model=shape)


def gated_delta(layers, key_heads, value_heads, key_dim, value_dim, kernel):
    channels = 2 * key_heads * key_dim + value_heads * value_dim
    return states(layers, "gated_delta", channels, kernel, value_heads * key_dim * value_dim)


def mamba2(layers, heads, dim, groups, state, kernel):
    channels = heads * dim + 2 * groups * state
    return states(layers, "mamba2", channels, kernel, heads * dim * state)


# The ten architectures of peers_run.md section 3, by their published configurations.
LLAMA_8B = model(attention(32, 8, 128))
QWEN25_7B = model(attention(28, 4, 128))
QWEN3_4B = model(attention(36, 8, 128))
MISTRAL_V01 = model(attention(32, 8, 128, "sliding", 4096))
MIXTRAL = model(attention(32, 8, 128))
DEEPSEEK_V3 = model(latent(61, 512, 64, 128, 128, 128))
GEMMA3_27B = model(
    attention(range(5, 62, 6), 16, 128),
    attention([i for i in range(62) if (i + 1) % 6], 16, 128, "sliding", 1024),
)
GPT_OSS_120B = model(
    attention(range(1, 36, 2), 8, 64), attention(range(0, 36, 2), 8, 64, "sliding", 128)
)
QWEN3_NEXT = model(
    attention(range(3, 48, 4), 2, 256),
    gated_delta([i for i in range(48) if (i + 1) % 4], 16, 32, 128, 128, 4),
)
NEMOTRON_H_8B = model(
    attention((7, 18, 29, 40), 8, 128), mamba2(range(0, 48, 2), 128, 64, 8, 128, 4)
)
