"""Bytes that vLLM stores of one token in one layer, by its `kv_cache_dtype`, and of one recurrent state.

Read in vLLM 0.33.0: `v1/kv_cache_interface.py` (specs), `utils/torch_utils.py` (NVFP4),
`v1/attention/backends/triton_attn.py` (scales a token and head), `layers/attention/mla_attention.py` (656 and
352 bytes), `models/deepseek_v2.py` (indexer), `layers/mamba/mamba_utils.py` and `models/config.py` (states).
"""

from __future__ import annotations

from fiche.estimators._reading import missing
from fiche.estimators.engines._settings import config_word, fact, said
from fiche.estimators.engines._widths import cache_format, computed_width, widths
from fiche.kernel.figure import Node, either
from fiche.kernel.model import AttentionCache, CrossCache, LatentCache, Model
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

_SCALE = fact("vllm", "scale_bytes", 4, tell("one fp32 scale of a key or value"), "B")
_BYTE = fact("vllm", "byte", 1, tell("bytes of an 8-bit value"), "B")
_PACKED_MLA = fact(
    "vllm", "fp8_ds_mla", 656, tell("512 fp8, 4 fp32 scales and 64 bf16 values"), "B"
)
_PACKED_MLA_4 = fact(
    "vllm", "nvfp4_ds_mla", 352, tell("bytes of a token packed as nvfp4_ds_mla"), "B"
)
_INDEX_BLOCK = fact("vllm", "index_block", 128, tell("values of an indexer key that share a scale"))
_FULL = {"float32": 4, "float16": 2, "half": 2, "bfloat16": 2, "float": 4}
_FP8 = ("fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc")
_PER_HEAD = {
    "int8": "int8_per_token_head",
    "int4": "int4_per_token_head",
    "nvfp4": "nvfp4",
    "fp4": "nvfp4",
}


def stored_format(workload: Workload) -> str:
    """`kv_cache_dtype` as the program calls it; empty where nothing names one, `auto` counting as unnamed.

    A fiche that calls the cache int8 or nvfp4 means the format of that width which the program has.
    """
    told = said(workload, "kv_cache_dtype", "cache_dtype")
    if told and told != "auto":
        return told
    return _PER_HEAD.get(cache_format(workload), "")


def token_bytes(cache: AttentionCache | CrossCache, workload: Workload) -> Node:
    """Keys and values of one token in one layer."""
    told = stored_format(workload)
    key, value = (_head_bytes(width, told) for width in (cache.key_dim, cache.value_dim))
    if key is not None and value is not None:
        return cache.kv_heads * (key + value)
    if told:
        return _open(told)
    plain = _plain(workload)
    if cache.key_dim is cache.value_dim:
        return 2 * cache.kv_heads * cache.key_dim * plain
    return cache.kv_heads * (cache.key_dim + cache.value_dim) * plain


def latent_bytes(cache: LatentCache, workload: Workload) -> Node:
    """The compressed vector of one token in one layer; packed for sparse attention over 8 bits."""
    told = stored_format(workload)
    packed = {"fp8_ds_mla": _PACKED_MLA, "nvfp4_ds_mla": _PACKED_MLA_4}.get(told)
    sparse = cache.index_dim is not None
    if packed is not None:
        return packed
    if sparse and (told in _FP8 or cache_format(workload).startswith("fp8")):
        return _PACKED_MLA
    if told and told not in _FP8 and told not in _FULL:
        return _open(told)
    width = _full(told) if told in _FULL else _BYTE if told in _FP8 else _plain(workload)
    plain = (cache.latent + cache.rope) * width
    if sparse and not told and not cache_format(workload):
        return either(_PACKED_MLA, plain, tell("a sparse model's cache is packed over fp8, or not"))
    return plain


def index_bytes(cache: LatentCache) -> Node | None:
    """One key of a sparse indexer: fp8 values and an fp32 scale for every 128; None without an indexer."""
    if cache.index_dim is None:
        return None
    return cache.index_dim * _BYTE + cache.index_dim / _INDEX_BLOCK * _SCALE


def convolution_width(workload: Workload) -> Node:
    """Bytes of a value of a convolution's state: `mamba_cache_dtype`, else the model's format."""
    told = said(workload, "mamba_cache_dtype")
    return _full(told) if told in _FULL else computed_width(workload)


def state_width(model: Model, kind: str, workload: Workload, *, asked: bool) -> Node:
    """Bytes of a value of a recurrent state.

    `mamba_ssm_cache_dtype` where it is stated; otherwise what the model's configuration asks for, where the
    release follows it (`asked`), or the format of the convolution.
    """
    told = said(workload, "mamba_ssm_cache_dtype")
    if told in _FULL:
        return _full(told)
    configured = _configured(model)
    if asked and configured in _FULL and kind != "short_convolution":
        return _full(configured)
    return convolution_width(workload)


def state_width_open(model: Model, workload: Workload) -> bool:
    """True where the configuration asks for a format of states and the fiche states none."""
    told = said(workload, "mamba_ssm_cache_dtype")
    return told not in _FULL and _configured(model) in _FULL


def _configured(model: Model) -> str:
    """What the configuration asks for: fp32 for a Nemotron-H that says nothing."""
    found = config_word(model, "mamba_ssm_cache_dtype", "mamba_ssm_dtype")
    return found or ("float32" if model.model_type.startswith("nemotron_h") else "")


def _plain(workload: Workload) -> Node:
    """The width of `formats.cache`, or of the model where the cache is not quantised."""
    return widths(workload, computed_width(workload)).key


def _head_bytes(width: Node, told: str) -> Node | None:
    if told in _FULL:
        return width * _full(told)
    if told in _FP8:
        return width * _BYTE
    if told in ("int8_per_token_head", "fp8_per_token_head"):
        return width * _BYTE + _SCALE
    if told == "int4_per_token_head":
        return width / 2 * _BYTE + _SCALE
    if told == "nvfp4":
        return (width / 2 + width / 16) * _BYTE
    return None


def _full(told: str) -> Node:
    return fact(
        "vllm", f"{told}_bytes", _FULL[told], tell("bytes of a {told} value", told=told), "B"
    )


def _open(told: str) -> Node:
    text = tell(
        "give the bytes of a token under kv_cache_dtype {told}: its layout is not known here",
        told=told,
    )
    return missing("vllm.token_bytes", BYTE, "cache_format", text)
