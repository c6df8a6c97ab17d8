"""The rules of transformers' caches that its engine and its transients share.

Read in the sources of 4.48.0, 4.53.0, 4.55.0, 4.56.0, 4.57.6, 5.0.0, 5.12.0 to 5.18.0 and 5.24.0
(`cache_utils.py`, `generation/utils.py`, `models/deepseek_*`); estimators.md 2.3, transformers.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._reading import operation_is, word
from fiche.estimators.engines._lookup import plain
from fiche.estimators.engines._parts import expanded_bytes, latent_bytes
from fiche.estimators.engines._tokens import as_tokens
from fiche.estimators.engines._versions import Covered
from fiche.estimators.engines._widths import Widths, computed_width, fixed, widths
from fiche.kernel.figure import Node, either, smaller
from fiche.kernel.model import AttentionCache, LatentCache, Model
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

VERSIONS = Covered("4.48", "5.25")
# DynamicCache reads the configuration, and so drops what a sliding layer cannot reach any more.
CONFIG_AWARE = "4.56"
# MLA layers cache the compressed vector; those with a sparse indexer three versions later.
LATENT, LATENT_INDEXED = "5.15", "5.18"
# The state of recurrent layers is what their kernels return: fp32, whatever the model's format.
FP32_STATES = "5.24"

NAMES = ("transformers", "hf", "huggingface")
FP32 = fixed("fp32.value_bytes", tell("bytes of a fp32 value"), 4, tell("32 bits"), BYTE)

_STATIC = ("static", "sliding_window", "hybrid", "hybrid_chunked")


def runs(workload: Workload) -> bool:
    """True where transformers generates with a model whose files are known."""
    named = plain(word(workload, "engine.name"))
    return operation_is(workload, "generation") and workload.model is not None and named in NAMES


def setting(workload: Workload, name: str) -> str:
    """A word among the engine's settings, empty where the fiche does not say it."""
    return word(workload, f"engine.settings.{name}")


def implementation(workload: Workload) -> str:
    """dynamic, static, quantized or the word that is none of them; offloading is asked apart."""
    named = setting(workload, "cache_implementation").removeprefix("offloaded_")
    if named in _STATIC:
        return "static"
    return "dynamic" if named in ("", "dynamic", "offloaded") else named


def offloads(workload: Workload) -> bool:
    """True where the cache lies in host memory but for the layers at work."""
    return setting(workload, "cache_implementation").startswith("offloaded")


def cache_widths(workload: Workload) -> Widths:
    """A cache holds what the projections computed, unless the fiche says otherwise."""
    return widths(workload, computed_width(workload))


def kept_tokens(cache: AttentionCache, model: Model, workload: Workload, tokens: Node) -> Node:
    """Tokens of one sequence that one layer holds while it decodes.

    A sliding layer holds its window: it caches one token less, as a view of the window's tensor. Chunked
    layers are cached as sliding ones.
    """
    if cache.reach == "full" or cache.window is None:
        return tokens
    windowed = smaller(tokens, cache.window)
    if implementation(workload) == "static":
        return windowed
    if setting(workload, "cache_without_config") == "yes":
        return tokens
    return VERSIONS.since(
        workload,
        CONFIG_AWARE,
        _without_config(model, windowed, tokens),
        windowed,
        tell(
            "transformers before {config_aware} kept every token of sliding layers in a "
            "DynamicCache",
            config_aware=CONFIG_AWARE,
        ),
    )


def _without_config(model: Model, windowed: Node, tokens: Node) -> Node:
    """Before layers were told apart, some models with both kinds of layers asked for a hybrid cache."""
    kinds = {cache.reach for cache in model.caches if isinstance(cache, AttentionCache)}
    if len(kinds) < 2:
        return tokens
    return either(
        windowed, tokens, tell("the model's class may ask for a hybrid cache, or for none")
    )


def latent_token_bytes(cache: LatentCache, workload: Workload, width: Widths) -> Node:
    """Bytes of one token in one MLA layer."""
    return VERSIONS.since(
        workload,
        LATENT if cache.index_dim is None else LATENT_INDEXED,
        expanded_bytes(cache, width),
        latent_bytes(cache, width.key),
        tell(
            "transformers before {latent} ({latent_indexed} with a sparse indexer) cached every "
            "head",
            latent=LATENT,
            latent_indexed=LATENT_INDEXED,
        ),
    )


def quantised_widths(workload: Workload) -> Widths:
    """Bytes of one value of a quantised cache, with its share of the group's scale and shift.

    `nbits` (4) by default, groups of `q_group_size` (64); the fp8 backend has one scale a tensor.
    """
    if setting(workload, "backend") == "fp8":
        byte = fixed(
            "quantised_cache.value_bytes",
            tell("bytes of a fp8 value"),
            1,
            tell("backend fp8"),
            BYTE,
        )
        return Widths(key=byte, value=byte)
    bits = _told(workload, "nbits", 4)
    group = _told(workload, "q_group_size", 64)
    width = bits / BITS_PER_BYTE + 2 * computed_width(workload) / group
    return Widths(key=width, value=width)


def residual_length(workload: Workload) -> Node:
    """Tokens that a quantised cache holds in full precision before it quantises them."""
    if setting(workload, "backend") == "fp8":
        return fixed(
            "quantised_cache.residual", tell("residual tokens"), 0, tell("backend fp8: none")
        )
    return as_tokens(_told(workload, "residual_length", 128))


def _told(workload: Workload, name: str, otherwise: int) -> Node:
    """A whole number among the settings, or the class's own default."""
    told = workload.figures.get(f"engine.settings.{name}")
    if told is not None:
        return told
    because = tell(
        "default of transformers' QuantizedCache: {name} = {otherwise}",
        name=name,
        otherwise=otherwise,
    )
    return fixed(f"quantised_cache.{name}", name, otherwise, because)
