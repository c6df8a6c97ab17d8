"""Blocks of GGUF types, read and planned alike: values in one, and its bytes, scales included.

Read in gguf 0.19 (`GGML_QUANT_SIZES`), and in ik_llama.cpp (`ggml-common.h`) for its own. Some of these hold
a few bytes a row of the tensor. A name with `_R4`, `_R8` or `_R16` is the same type with rows interleaved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Block(NamedTuple):
    """`values` in one block of `num_bytes`, beside `row_bytes` once a row."""

    values: int
    num_bytes: int
    row_bytes: int = 0


BLOCKS: Mapping[str, Block] = {
    "F64": Block(1, 8),
    "F32": Block(1, 4),
    "F16": Block(1, 2),
    "BF16": Block(1, 2),
    "I8": Block(1, 1),
    "I16": Block(1, 2),
    "I32": Block(1, 4),
    "I64": Block(1, 8),
    "Q4_0": Block(32, 18),
    "Q4_1": Block(32, 20),
    "Q5_0": Block(32, 22),
    "Q5_1": Block(32, 24),
    "Q8_0": Block(32, 34),
    "Q8_1": Block(32, 40),
    "Q2_K": Block(256, 84),
    "Q3_K": Block(256, 110),
    "Q4_K": Block(256, 144),
    "Q5_K": Block(256, 176),
    "Q6_K": Block(256, 210),
    "Q8_K": Block(256, 292),
    "IQ1_S": Block(256, 50),
    "IQ1_M": Block(256, 56),
    "IQ2_XXS": Block(256, 66),
    "IQ2_XS": Block(256, 74),
    "IQ2_S": Block(256, 82),
    "IQ3_XXS": Block(256, 98),
    "IQ3_S": Block(256, 110),
    "IQ4_NL": Block(32, 18),
    "IQ4_XS": Block(256, 136),
    "TQ1_0": Block(256, 54),
    "TQ2_0": Block(256, 66),
    "MXFP4": Block(32, 17),
    "NVFP4": Block(64, 36),
    "Q1_0": Block(128, 18),
    "Q6_0": Block(32, 26),
    "IQ2_K": Block(256, 76),
    "IQ3_K": Block(256, 110),
    "IQ4_K": Block(256, 144),
    "IQ5_K": Block(256, 176),
    "IQ6_K": Block(256, 212),
    "IQ2_KS": Block(256, 70, 2),
    "IQ2_KL": Block(256, 86, 2),
    "IQ3_KS": Block(256, 102, 2),
    "IQ4_KS": Block(256, 136, 4),
    "IQ4_KSS": Block(256, 128, 4),
    "IQ5_KS": Block(256, 168, 4),
    "IQ1_KT": Block(256, 56, 4),
    "IQ2_KT": Block(256, 68, 4),
    "IQ3_KT": Block(256, 100, 4),
    "IQ4_KT": Block(256, 128, 4),
    "IQ1_BN": Block(64, 13, 2),
    "IQ2_BN": Block(64, 16, 4),
}


def block_of(name: str) -> Block | None:
    """The block of a type by its name in any case, None where it is not known here."""
    word = name.upper()
    for ending in ("_R4", "_R8", "_R16"):
        word = word.removesuffix(ending)
    return BLOCKS.get(word)
