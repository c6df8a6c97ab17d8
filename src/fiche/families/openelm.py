"""OpenELM: each layer its own number of heads and width of feed-forward, as lists of the file say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Names, Part
from fiche.families._reach import all_full
from fiche.families._reads import listed_number
from fiche.kernel.config import Config, Json
from fiche.kernel.figure import Node, floor
from fiche.kernel.said import tell

_OUTER = """
transformer.token_embeddings embedding vocabulary hidden
transformer.norm norm hidden
!shared lm_head head vocabulary hidden
"""

_LAYER = """
attn.qkv_proj linear query+2*kv hidden
attn.out_proj linear hidden query
?head_norms attn.{q,k}_norm norm head
attn_norm norm hidden
ffn_norm norm hidden
?gated ffn.proj_1 linear 2*ffn hidden
!gated ffn.proj_1 linear ffn hidden
ffn.proj_2 linear hidden ffn
"""

_LISTS = ("num_query_heads", "num_kv_heads", "ffn_multipliers")


def _rounded(multiplier: Json) -> Callable[[Dims], Node]:
    """A multiple of the width, rounded to the divisor, and never more than a tenth below (OpenELM's code)."""

    def read(dims: Dims) -> Node:
        step = dims.config.number("ffn_dim_divisor")
        width, by = dims.whole("hidden"), dims.config.whole("ffn_dim_divisor")
        if isinstance(multiplier, bool | str | list | dict) or multiplier is None or not by:
            return dims.config.number("ffn_multipliers")
        exact = multiplier * (width or 0)
        near = (exact + Fraction(by, 2)) // by * by
        less = Fraction(near) < Fraction(9, 10) * exact
        found = step * floor((multiplier * dims["hidden"] + step / 2) / step)
        return found + step if less else found

    return read


def _of_layer(key: str, layer: int) -> Callable[[Dims], Node]:
    return lambda dims: listed_number(dims.config, key, layer)


def _parts(dims: Dims, _: list[str]) -> Iterable[Part]:
    """Layers alike in heads and multiplier."""
    lists = [dims.config.listed(key) or [] for key in _LISTS]
    found: dict[str, list[int]] = {}
    for index in dims.layers:
        if all(index < len(each) for each in lists):
            found.setdefault(str([each[index] for each in lists]), []).append(index)
    for layers in found.values():
        first = layers[0]
        names: Names = {
            **dims.names,
            "heads": _of_layer("num_query_heads", first),
            "kv_heads": _of_layer("num_kv_heads", first),
            "ffn": _rounded(lists[2][first]),
        }
        yield Part(layers=tuple(layers), dims=Dims(dims.config, names))


def _doubts(config: Config) -> Iterable[str]:
    layers = config.whole("num_transformer_layers")
    for key in _LISTS:
        if len(config.listed(key) or []) != layers:
            yield tell(
                "give each layer its {key}: the list and the number of layers differ", key=key
            )


KINDS = {
    "openelm": Decoder(
        outer=_OUTER,
        attention=_LAYER,
        layer="",
        prefix="transformer.layers.*.",
        words=(
            "head_norms=normalize_qk_projections",
            "gated=ffn_with_glu",
            "shared=share_input_output_layers",
            "tied=share_input_output_layers",
        ),
        dims={
            "hidden": "model_dim",
            "depth": "num_transformer_layers",
            "head": "head_dim",
            "positions": "max_context_length",
        },
        reach=all_full,
        parts=_parts,
        doubts=_doubts,
        required=(
            *("vocab_size", "model_dim", "head_dim", "ffn_dim_divisor", "ffn_with_glu"),
            *("normalize_qk_projections", "share_input_output_layers"),
        ),
    ),
}

MEMBER = family(
    "openelm",
    "OpenELM",
    "configuration and model code published with OpenELM-270M and OpenELM-1_1B",
    KINDS,
)
