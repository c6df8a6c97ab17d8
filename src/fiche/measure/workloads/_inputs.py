"""Token ids and masks as tensors of the device: synthetic, of full length, without padding."""

from __future__ import annotations

from typing import Any


def token_ids(sequences: int, tokens: int, vocabulary: int, place: str) -> Any:
    """Random ids, int64, (sequences, tokens); the content moves no byte, and no padding is made."""
    import torch

    return torch.randint(0, vocabulary, (sequences, tokens), device=place)


def mask_of(ids: Any) -> Any:
    """A mask that hides nothing, int64, of the same shape."""
    import torch

    return torch.ones_like(ids)
