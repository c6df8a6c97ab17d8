"""Number formats of GGUF: by number, their name, values a block and bytes a block (gguf 0.19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fiche.kernel.gguf_block import BLOCKS


class BlockType(NamedTuple):
    """`values` of one row are stored together in `num_bytes` bytes, scales included."""

    name: str
    values: int
    num_bytes: int


_NUMBERS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    6: "Q5_0",
    7: "Q5_1",
    8: "Q8_0",
    9: "Q8_1",
    10: "Q2_K",
    11: "Q3_K",
    12: "Q4_K",
    13: "Q5_K",
    14: "Q6_K",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    20: "IQ4_NL",
    21: "IQ3_S",
    22: "IQ2_S",
    23: "IQ4_XS",
    24: "I8",
    25: "I16",
    26: "I32",
    27: "I64",
    28: "F64",
    29: "IQ1_M",
    30: "BF16",
    34: "TQ1_0",
    35: "TQ2_0",
    39: "MXFP4",
    40: "NVFP4",
    41: "Q1_0",
}
TYPES: Mapping[int, BlockType] = {
    number: BlockType(name, BLOCKS[name].values, BLOCKS[name].num_bytes)
    for number, name in _NUMBERS.items()
}
BY_NAME: Mapping[str, BlockType] = {each.name: each for each in TYPES.values()}
