"""Options of a ready workload, each read once: what is missing or impossible is one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a fiche calls a plain format, and what PyTorch calls it.
DTYPES: Mapping[str, str] = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


def count(options: Mapping[str, Any], name: str, otherwise: int, least: int = 1) -> int:
    """A whole number of at least `least`.

    Raises:
        ValueError: it is less; one sentence.
    """
    told = int(options.get(name, otherwise))
    if told < least:
        raise ValueError(f"{name} is {told}, and must be at least {least}")
    return told


def choice(options: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    """One of some words, the first where nothing is told.

    Raises:
        ValueError: it is another; one sentence.
    """
    told = str(options.get(name) or known[0])
    if told not in known:
        raise ValueError(f"{name} is {told[:60]!r}, and can be {', '.join(known)}")
    return told


def plain_format(options: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    """A format by a fiche's word or by PyTorch's, as a fiche's word; the first where nothing is told.

    Raises:
        ValueError: it is another; one sentence.
    """
    told = str(options.get(name, ""))
    return choice({**options, name: dtype_word(told) or told}, name, known)


def number(options: Mapping[str, Any], name: str, otherwise: str) -> tuple[str, float]:
    """A decimal number as it was written, and its value.

    Raises:
        ValueError: it is none; one sentence.
    """
    told = str(options.get(name) or otherwise)
    try:
        return told, float(told)
    except ValueError:
        raise ValueError(f"{name} is {told[:60]!r}, and is a number such as {otherwise}") from None


def words(options: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Words with commas between them."""
    return tuple(one.strip() for one in str(options.get(name, "")).split(",") if one.strip())


def torch_dtype(word: str) -> Any:
    """PyTorch's dtype of a plain format."""
    import torch

    return getattr(torch, DTYPES[word])


def dtype_word(dtype: object) -> str:
    """The fiche's word for a dtype, empty where it has none."""
    named = str(dtype).removeprefix("torch.")
    return next((word for word, name in DTYPES.items() if name == named), "")
