"""Memory-efficient attention's backward pass: row sums, and sums of gradients that do not fit on the chip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import Around, Effect, bytes_of, ceiling, rounded_up

_FLOAT = 4
_LOCKS = 16
_MOST_BLOCKS = 200
_KIB = 1024
_ANY = 2**16


@dataclass(frozen=True)
class Kernel:
    """A kernel by its tile: queries, keys, the widest head, and whether gradients stay in registers."""

    queries: int
    keys: int
    widest: int
    in_registers: bool


def kernel_of(width: int, half: bool, gpu: Gpu) -> Kernel:
    """The first kernel that takes heads of this width; which fit hangs on the shared memory of a block."""
    number = gpu.number
    large = gpu.shared_bytes >= 160 * _KIB if number >= 75 else half and number >= 70
    if width <= 64:
        return Kernel(64, 64, 32 if width <= 32 else 64, half)
    if half and number in (86, 89) and width <= 96:
        return Kernel(128, 64, 96, True)
    if width <= 128:
        if large:
            return Kernel(128, 128 if half and number >= 80 else 64, 128, half)
        return Kernel(64, 64, 128, False)
    return Kernel(128 if large else 64, 64, _ANY, False)


def buffer_bytes(
    query: tuple[int, ...], key: tuple[int, ...], value_width: int, half: bool, gpu: Gpu
) -> tuple[int, int]:
    """Bytes of the row sums and of the workspace. Shapes are (batch, heads, length, width)."""
    batch, heads, length, width = query
    kernel = kernel_of(max(width, value_width), half, gpu)
    held = 0
    if half and not kernel.in_registers:
        splits = min(ceiling(key[2], kernel.keys), _MOST_BLOCKS // (batch * heads)) or 1
        splits = splits if gpu.number >= 70 else 1
        wide = rounded_up(width, kernel.queries) + rounded_up(value_width, kernel.queries)
        held += splits * kernel.keys * wide
    if half or gpu.number >= 70:
        tiles = ceiling(length, kernel.queries) * ceiling(width, kernel.keys)
        held += tiles * (_LOCKS // _FLOAT + kernel.queries * kernel.keys)
    rows = batch * heads
    return rows * length * _FLOAT, rows * rounded_up(held, 4) * _FLOAT


def _apply(around: Around) -> Any:
    gradient, query, key, value = around.args[:4]
    copies = [] if gradient.transpose(1, 2).is_contiguous() else [bytes_of(gradient)]
    half = query.element_size() < _FLOAT
    with around.workspace(*copies):
        made = around.run()
        with around.workspace(*_products(gradient, value, half, around.gpu)):
            pass
        sizes = buffer_bytes(
            tuple(query.shape), tuple(key.shape), value.shape[-1], half, around.gpu
        )
        with around.workspace(*sizes):
            return made


def _products(gradient: Any, value: Any, half: bool, gpu: Gpu) -> list[int]:
    """Where the kernel does not sum gradient times output itself: the product in fp32, and both copies."""
    kernel = kernel_of(value.shape[-1], half, gpu)
    if half and (kernel.in_registers or not 70 <= gpu.number < 75):
        return []
    return (3 if half else 1) * [gradient.numel() * _FLOAT]


MEMBER = Effect(
    name="efficient_attention_backward",
    says=tell(
        "memory-efficient attention's backward pass holds row sums and tiles of the query's gradient "
        "in fp32; with heads too wide for the chip, of the two others too, which hangs on the card's "
        "shared memory"
    ),
    source=tell(
        "PyTorch 2.13 include/ATen/native/transformers/cuda/mem_eff_attention/kernel_backward.h and "
        "kernels/cutlassB.h; aten/src/ATen/native/transformers/cuda/attention_backward.cu at 00afd8f: "
        "_efficient_attention_backward"
    ),
    operators=("aten._scaled_dot_product_efficient_attention_backward.default",),
    apply=_apply,
)
