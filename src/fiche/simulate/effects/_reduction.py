"""How CUDA spreads a reduction over the card, and what it stages where several blocks work on one result.

Source: include/ATen/native/cuda/Reduce.cuh of PyTorch 2.13: setReduceConfig, ReduceConfig.global_memory_size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import ceiling

_MOST_THREADS = 512
_WARP = 32
_LEAST_VALUES, _MOST_VALUES = 16, 256
_INPUT_VECTOR = 4
_INT = 4


@dataclass(frozen=True)
class _Dims:
    """Reduced dimensions first, then kept ones; each as (length, stride of the input in elements)."""

    reduced: tuple[tuple[int, int], ...]
    kept: tuple[tuple[int, int], ...]

    @property
    def inputs(self) -> int:
        return _product(self.reduced)

    @property
    def outputs(self) -> int:
        return _product(self.kept)


@lru_cache(maxsize=4096)
def staging_bytes(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dims: tuple[int, ...],
    accumulated: int,
    gpu: Gpu,
) -> tuple[int, ...]:
    """Bytes of the partial results and of the counters, none where one block makes a result alone.

    `dims` are those reduced, all where empty; `accumulated` is bytes of one partial result.
    """
    over = {each % len(shape) for each in dims} if dims and shape else set(range(len(shape)))
    found = _Dims(
        _coalesced([(shape[d], strides[d]) for d in over]),
        _coalesced([(shape[d], strides[d]) for d in range(len(shape)) if d not in over]),
    )
    if not found.inputs or not found.outputs or _reach(shape, strides) >= 2**31:
        return ()
    return _staged(found, accumulated, gpu)


def _staged(dims: _Dims, accumulated: int, gpu: Gpu) -> tuple[int, ...]:
    inputs, outputs = dims.inputs, dims.outputs
    along = not dims.kept or (bool(dims.reduced) and dims.reduced[0][1] < dims.kept[0][1])
    first = (dims.reduced if along else dims.kept)[:1] or ((1, 1),)
    vector, (wide, high) = 1, (inputs, outputs) if along else (outputs, inputs)
    if first[0][1] == 1:
        if along and wide >= 128 and len(dims.reduced) == 1:
            wide //= _INPUT_VECTOR
        elif not along:
            vector = _vector(dims.kept)
            wide //= vector
    width, height = _block(wide, high, _MOST_THREADS // vector)
    step_in, step_out = (width, 1) if along else (1, width)
    per_thread = ceiling(inputs, step_in)
    if per_thread < min(height * 16, _MOST_VALUES):
        return ()
    step_in *= height
    per_thread = ceiling(inputs, step_in)
    grid = ceiling(outputs // vector, step_out)
    target = gpu.processors * (gpu.threads // (width * height))
    if per_thread < _MOST_VALUES or grid > target:
        return ()
    blocks = max(
        min(ceiling(target, grid), ceiling(per_thread, _LEAST_VALUES)),
        ceiling(per_thread, _MOST_VALUES),
    )
    if blocks <= 1:
        return ()
    partial = accumulated * outputs * blocks * (1 if along else width * vector)
    return partial, _INT * grid


def _block(wide: int, high: int, most: int) -> tuple[int, int]:
    """Threads of a block along the fastest dimension and across it, powers of two."""
    across, down = min(_power(wide), most), min(_power(high), most)
    width = min(across, _WARP)
    height = min(down, most // width)
    return min(across, most // height), height


def _power(value: int) -> int:
    return 1 << (max(1, value).bit_length() - 1)


def _vector(kept: tuple[tuple[int, int], ...]) -> int:
    """Results that one thread makes at once: 4, fewer where a length or a stride does not divide."""
    vector = 4
    for value in (kept[0][0], *(stride for _, stride in kept[1:])):
        while value % vector:
            vector //= 2
    return vector


def _coalesced(dims: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Dimensions from the fastest on, those that follow each other without a gap as one."""
    found: list[tuple[int, int]] = []
    for length, stride in sorted((each for each in dims if each[0] != 1), key=lambda each: each[1]):
        if found and found[-1][0] * found[-1][1] == stride:
            found[-1] = found[-1][0] * length, found[-1][1]
        else:
            found.append((length, stride))
    return tuple(found)


def _product(dims: tuple[tuple[int, int], ...]) -> int:
    total = 1
    for length, _ in dims:
        total *= length
    return total


def _reach(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    return sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True))
