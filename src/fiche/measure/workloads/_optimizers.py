"""Optimizers by the names that a fiche gives them, each made by the library that the name stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fiche.measure.workloads import _library
from fiche.measure.workloads._wanted import choice, number

OPTIONS: Mapping[str, type] = {
    "optimizer": str,
    "learning_rate": str,
    "momentum": str,
    "foreach": str,
    "zero_grad": str,
}
_PLAIN = ("adamw", "adamw_torch")
_FUSED = ("adamw_torch_fused", "adamw_fused")
_EIGHT_BITS = ("adamw_8bit", "adamw_bnb_8bit")
_NAMES = (*_PLAIN, *_FUSED, "sgd", "adafactor", *_EIGHT_BITS)
# Those whose step can run over all tensors at once, with a working copy.
_FOREACH = (*_PLAIN, "sgd")


@dataclass(frozen=True)
class Optimizer:
    """What updates the parameters, before it exists; `rate` is the learning rate, no scheduler changes it."""

    name: str
    rate: tuple[str, float]
    momentum: tuple[str, float]
    foreach: bool
    set_to_none: bool

    def words(self) -> dict[str, Any]:
        """The `optimizer` block of a fiche; numbers keep their text."""
        settings = {"lr": self.rate[0]}
        if self.name == "sgd":
            settings["momentum"] = self.momentum[0]
        return {"name": self.name, "settings": settings}

    @property
    def state_format(self) -> str:
        """Format of its states where that is not the one of the learned values."""
        return {"adafactor": "fp32"}.get(self.name, "int8" if self.name in _EIGHT_BITS else "")

    def made(self, parameters: Iterable[Any]) -> Any:
        """The optimizer over parameters; it holds no state before its first step."""
        import torch

        learned, rate = list(parameters), self.rate[1]
        if self.name in _EIGHT_BITS:
            return _library.bitsandbytes("an 8-bit optimizer").optim.AdamW8bit(learned, lr=rate)
        if self.name == "adafactor":
            from transformers.optimization import Adafactor

            return Adafactor(learned, lr=rate, scale_parameter=False, relative_step=False)
        if self.name == "sgd":
            momentum = self.momentum[1]
            return torch.optim.SGD(learned, lr=rate, momentum=momentum, foreach=self.foreach)
        if self.name in _FUSED:
            return torch.optim.AdamW(learned, lr=rate, fused=True)
        return torch.optim.AdamW(learned, lr=rate, foreach=self.foreach)


def optimizer(options: Mapping[str, Any]) -> Optimizer:
    """The optimizer that options name.

    Raises:
        ValueError: there is none of that name here, or its library is missing; one sentence.
    """
    name = choice(options, "optimizer", ("adamw_torch", *_NAMES))
    if name in _EIGHT_BITS:
        _library.bitsandbytes(f"the optimizer {name} is one of bitsandbytes")
    if "momentum" in options and name != "sgd":
        raise ValueError(f"momentum is a setting of sgd, and the optimizer is {name}")
    return Optimizer(
        name=name,
        rate=number(options, "learning_rate", "1e-5"),
        momentum=number(options, "momentum", "0"),
        foreach=_foreach(options, name),
        set_to_none=choice(options, "zero_grad", ("set_to_none", "kept")) == "set_to_none",
    )


def _foreach(options: Mapping[str, Any], name: str) -> bool:
    """A step over all tensors at once, as PyTorch does by itself on a GPU."""
    can = name in _FOREACH
    told = choice(options, "foreach", ("yes", "no") if can else ("no", "yes"))
    if told == "yes" and not can:
        raise ValueError(f"foreach is yes, and {name} has no step over all tensors at once")
    return told == "yes"
