"""A base model in 4 or 8 bits by bitsandbytes, with random values: matrix after matrix is made and packed.

No copy of the whole model in 16 bits exists on the device: each matrix is made there in the asked format,
packed, and let go of. Which modules stay as they are is transformers' own choice: the output layer, and
what is tied to it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fiche.measure.workloads import _library
from fiche.measure.workloads._language import LanguageModel
from fiche.measure.workloads._wanted import choice, torch_dtype

_SPREAD = 0.02


@dataclass(frozen=True)
class Base:
    """How the base is packed: `nf4`, `fp4` or `int8`; `double` quantises the scales of 4 bits too."""

    kind: str
    double: bool
    model: LanguageModel

    def words(self) -> dict[str, str]:
        """Settings of the engine, under the names of transformers."""
        if self.kind == "int8":
            return {"load_in_8bit": "yes"}
        return {
            "load_in_4bit": "yes",
            "bnb_4bit_quant_type": self.kind,
            "bnb_4bit_use_double_quant": "yes" if self.double else "no",
        }

    def made(self, place: str) -> Any:
        """The packed model on its device."""
        import torch

        with torch.device("cpu"), _unfilled():
            found = self.model.configured
            model = found.auto.from_config(
                copy.deepcopy(found.config),
                dtype=torch_dtype(self.model.dtype),
                attn_implementation=self.model.attention,
                trust_remote_code=False,
            )
        for name in list(_packed_modules(model)):
            model.set_submodule(name, self._packed(model.get_submodule(name), place))
        self._filled(model, place)
        bits = 8 if self.kind == "int8" else 4
        setattr(model, f"is_loaded_in_{bits}bit", True)
        return model

    def _filled(self, model: Any, place: str) -> None:
        """What is not packed, on its device with values."""
        _fill(model, place)

    def _packed(self, module: Any, place: str) -> Any:
        import torch

        library = _library.bitsandbytes("a quantised base is packed by bitsandbytes")
        values = torch.empty(module.weight.shape, dtype=module.weight.dtype, device=place)
        values.normal_(0.0, _SPREAD)
        made = self._empty(library, module)
        kind = type(made.weight)
        given = {**made.weight.__dict__, "requires_grad": False}
        told = {name: given[name] for name in _ARGUMENTS[self.kind] if name in given}
        made.weight = kind(values, requires_grad=False, **told).to(place)
        return made

    def _empty(self, library: Any, module: Any) -> Any:
        import torch

        sizes = (module.in_features, module.out_features, module.bias is not None)
        with torch.device("meta"):
            if self.kind == "int8":
                return library.nn.Linear8bitLt(*sizes, has_fp16_weights=False, threshold=6.0)
            return library.nn.Linear4bit(
                *sizes,
                compute_dtype=module.weight.dtype,
                compress_statistics=self.double,
                quant_type=self.kind,
            )


_ARGUMENTS = {
    "nf4": ("compress_statistics", "quant_type", "blocksize", "quant_storage"),
    "fp4": ("compress_statistics", "quant_type", "blocksize", "quant_storage"),
    "int8": ("has_fp16_weights",),
}


def base(options: Mapping[str, Any], model: LanguageModel) -> Base:
    """The quantised base that options ask for.

    Raises:
        ValueError: bitsandbytes is missing, or weights are to be read from files; one sentence.
    """
    _library.bitsandbytes("qlora keeps its base in 4 or 8 bits by bitsandbytes")
    if model.stored:
        raise ValueError(
            "weights are stored, and a quantised base is made here of random values only"
        )
    kind = choice(options, "quantize", ("nf4", "fp4", "int8"))
    if kind == "int8" and "double_quant" in options:
        raise ValueError("double_quant is a setting of 4 bits, and quantize is int8")
    return Base(kind, choice(options, "double_quant", ("no", "yes")) == "yes", model)


def _packed_modules(model: Any) -> Iterator[str]:
    import torch
    from transformers.quantizers.base import get_keys_to_not_convert

    left = set(get_keys_to_not_convert(model))
    for name, module in model.named_modules():
        if type(module) is torch.nn.Linear and not left.intersection((name, name.split(".")[-1])):
            yield name


def _unfilled() -> AbstractContextManager[None]:
    """The library's own context in which tensors are made and not filled."""
    for module in ("transformers.initialization", "transformers.modeling_utils"):
        found = getattr(import_module(module), "no_init_weights", None)
        if found is not None:
            made: AbstractContextManager[None] = found()
            return made
    raise ValueError("this transformers cannot make a model without filling it")


def _fill(model: Any, place: str) -> None:
    """Random values for what is not packed, ones for the gains of norms, zeros for what is added."""
    import torch

    packed = ("Params4bit", "Int8Params")
    with torch.no_grad():
        for name, values in model.named_parameters():
            if type(values).__name__ in packed:
                continue
            values.data = torch.empty(values.shape, dtype=values.dtype, device=place)
            if values.dim() > 1:
                values.data.normal_(0.0, _SPREAD)
            else:
                values.data.fill_(0.0 if name.endswith("bias") else 1.0)
    model.tie_weights()
    model.to(place)
