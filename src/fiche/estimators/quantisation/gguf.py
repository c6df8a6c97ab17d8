"""GGUF files of one type over a known architecture: blocks along a row of inputs, scales in each.

Vectors, norms, biases, routers, positions and state-space vectors stay in F32, as llama.cpp's converter and
quantiser do; matrices, the token embedding and the head take the type; experts of gpt-oss stay MXFP4. Each
row of inputs is whole blocks. A vision tower is a file of its own (mmproj). A name of a mix (Q4_K_M,
IQ3_XS, ...) says which types were *mostly* used: bytes stay open until the tensors are given. A q4_0 or
q5_1 file holds other types too, chosen by tensor; one type throughout have F32, F16, BF16 and Q8_0.
"""

from __future__ import annotations

from fiche.estimators._formats import loaded_format
from fiche.estimators.quantisation._modules import in_bytes, linear_of, unknown
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Node, ceil
from fiche.kernel.gguf_block import BLOCKS, Block, block_of
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

# The converter keeps the blocks of the checkpoint, whatever type the rest takes (truth 7).
_MXFP4_EXPERTS = ("gpt_oss",)
_THROUGHOUT = ("F32", "F16", "BF16", "Q8_0")
_ALIASES = {"FP32": "F32", "FP16": "F16"}
_NO_TYPE = tell(
    "give the GGUF file's tensors, or the one type of all matrices: state formats.storage"
)
_SINGLE = ("norm", "bias", "router", "position", "recurrent", "convolution")
_MIXES = (
    "Q2_K_S", "Q2_K_L", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q3_K_XL", "Q4_K_S", "Q4_K_M", "Q4_K_L",
    "Q5_K_S", "Q5_K_M", "Q5_K_L", "Q6_K_L", "IQ2_M", "IQ3_XS", "IQ3_M", "MXFP4_MOE",
)  # fmt: skip


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    if group.part in ("vision", "audio", "projector"):
        return (Packed(copies=group.copies, values=in_bytes(group.copies * 0)),)
    if len(group.shape) < 2 or group.role in _SINGLE:
        return (Packed(copies=group.copies, values=_row_by_row(group, BLOCKS["F32"])),)
    word = loaded_format(workload).upper()
    name = _ALIASES.get(word, word)
    if group.role == "expert" and model.model_type in _MXFP4_EXPERTS:
        return (Packed(copies=group.copies, values=_rows(model, group, BLOCKS["MXFP4"])),)
    if name not in _THROUGHOUT:
        values: Node = unknown("storage_format", _asked_of(word) if word else _NO_TYPE)
        return (Packed(copies=group.copies, values=values),)
    return (Packed(copies=group.copies, values=_rows(model, group, BLOCKS[name])),)


def _asked_of(word: str) -> str:
    return tell(
        "give the file's tensors: '{type}' names the type that most of a GGUF file has, not each",
        type=word,
    )


def _rows(model: Model, group: Parameters, block: Block) -> Node:
    linear = linear_of(model, group, head=True)
    if linear is None:
        return _row_by_row(group, block)
    blocks = linear.modules * linear.outputs * ceil(linear.inputs / block.values)
    return in_bytes(blocks * (block.num_bytes * 8))


def _row_by_row(group: Parameters, block: Block) -> Node:
    """Bytes of one tensor: rows x (whole blocks along the inputs)."""
    if not group.shape:
        return in_bytes(group.copies * 0 + block.num_bytes * 8)
    blocks: Node = ceil(group.shape[-1] / block.values)
    for side in group.shape[:-1]:
        blocks = blocks * side
    return in_bytes(blocks * (block.num_bytes * 8))


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    text = tell("give the file's tensors: quantisers choose types by tensor")
    return (
        Condition(
            topic="storage_format",
            text=text,
            supplier=tell("author of the fiche"),
            piece_kind="tensors",
        ),
    )


MEMBER = Quantisation(
    name="gguf",
    title="GGUF",
    source="gguf 0.19 GGML_QUANT_SIZES; llama.cpp convert_hf_to_gguf and llama-quant",
    methods=(
        "gguf",
        *(name.lower() for name in (*BLOCKS, *_MIXES) if name not in ("NVFP4", "MXFP4")),
    ),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)

__all__ = ["MEMBER", "block_of"]
