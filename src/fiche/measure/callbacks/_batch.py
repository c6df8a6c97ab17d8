"""What a batch really is when the model gets it: dimensions in the words of a fiche (A2, A3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TEXT = ("input_ids", "inputs_embeds")
_DECODER = ("decoder_input_ids", "decoder_inputs_embeds")
_IMAGE_SIDES = 4


def dimensions_of(batch: Any) -> dict[str, int]:
    """Dimensions that names and shapes tell; what they do not tell has no key.

    Of a batch without names the first side of its first tensor is the number of samples, as every loader
    stacks them; the other sides have no name that a fiche knows.
    """
    named = batch if isinstance(batch, Mapping) else None
    if named is None:
        first = _first(batch)
        return {} if first is None else {"microbatch": first[0]}
    found: dict[str, int] = {}
    text, decoder = _shape(named, _TEXT, 2), _shape(named, _DECODER, 2)
    if text is not None:
        found["microbatch"] = text[0]
        found["encoder_tokens" if decoder is not None else "sequence_tokens"] = text[1]
    if decoder is not None:
        found.update(microbatch=decoder[0], sequence_tokens=decoder[1])
    found.update(_images(named, found))
    if not found:
        first = _first(list(named.values()))
        found = {} if first is None else {"microbatch": first[0]}
    return found


def _images(named: Mapping[str, Any], found: Mapping[str, int]) -> dict[str, int]:
    """Pixels as samples, channels, height, width; packed patches tell no number of images."""
    pixels = _shape(named, ("pixel_values",), _IMAGE_SIDES)
    if pixels is None or len(pixels) != _IMAGE_SIDES:
        return {}
    told = {"images": pixels[0], "image_height": pixels[2], "image_width": pixels[3]}
    return told if "microbatch" in found else {"microbatch": pixels[0], **told, "images": 1}


def _shape(named: Mapping[str, Any], names: tuple[str, ...], least: int) -> tuple[int, ...] | None:
    for name in names:
        sides = _sides(named.get(name))
        if sides is not None and len(sides) >= least:
            return sides
    return None


def _first(batch: Any) -> tuple[int, ...] | None:
    """The shape of the first tensor in a tensor, a list or a tuple."""
    sides = _sides(batch)
    if sides is not None:
        return sides or None
    for each in batch if isinstance(batch, (list, tuple)) else ():
        sides = _sides(each)
        if sides:
            return sides
    return None


def _sides(value: Any) -> tuple[int, ...] | None:
    shape = getattr(value, "shape", None)
    if shape is None or not hasattr(value, "dtype"):
        return None
    return tuple(int(side) for side in shape)


class Executed:
    """The largest of each dimension over the passes of one phase, and how many passes there were."""

    def __init__(self) -> None:
        self.largest: dict[str, int] = {}
        self.passes = 0

    def take(self, batch: Any) -> None:
        """One more pass through the model."""
        self.passes += 1
        for name, length in dimensions_of(batch).items():
            self.largest[name] = max(length, self.largest.get(name, length))

    def told(self, *, accumulated: bool) -> dict[str, int]:
        """With the number of passes as `accumulation`, where they make one step together."""
        counted = {"accumulation": self.passes} if accumulated and self.passes else {}
        return {**self.largest, **counted}
