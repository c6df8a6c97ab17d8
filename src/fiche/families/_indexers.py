"""Layers whose attention chooses tokens by a small indexer: their own, or that of the layer before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._dims import Dims, Part


def indexed_parts(
    kinds: Callable[[Dims], list[str]],
) -> Callable[[Dims, list[str]], Iterable[Part]]:
    """Layers with an indexer of their own, then those that take the choice of the one before."""

    def parts(dims: Dims, _: list[str]) -> Iterable[Part]:
        shared = tuple(i for i, kind in enumerate(kinds(dims)) if kind != "full")
        own = tuple(index for index in dims.layers if index not in shared)
        yield Part(layers=own, dims=dims, words=frozenset({"indexer"}))
        yield Part(layers=shared, dims=dims)

    return parts


def listed_indexers(dims: Dims) -> list[str]:
    """DeepSeek V3.2 and GLM 5: by list, by pattern, or by how often (transformers 5.24)."""
    config, layers = dims.config, len(dims.layers)
    listed = config.listed("indexer_types")
    pattern = config.value("index_topk_pattern")
    if listed is not None:
        return [str(each) for each in listed]
    if isinstance(pattern, str):
        return ["full" if each == "F" else "shared" for each in pattern]
    if isinstance(pattern, list):
        return [str(each) for each in pattern]
    every = max(config.whole("index_topk_freq") or 1, 1)
    told = config.whole("index_skip_topk_offset")
    first = 2 if told is None else told
    return [
        "full" if max(index - first + 1, 0) % every == 0 else "shared" for index in range(layers)
    ]
