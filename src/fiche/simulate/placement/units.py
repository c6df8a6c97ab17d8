"""Which modules are units of sharing, and which parameters each of them has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Owned:
    """One parameter and every place in the model that holds it: tied ones have several."""

    parameter: Any
    places: list[tuple[Any, str]] = field(default_factory=list)

    def put(self, parameter: Any) -> None:
        """Another tensor in all its places, behind the back of what watches registrations."""
        for module, name in self.places:
            module._parameters[name] = parameter

    def register(self, parameter: Any) -> None:
        """Another parameter in all its places, for good."""
        self.parameter = parameter
        for module, name in self.places:
            module.register_parameter(name, parameter)


def layers_of(model: Any) -> list[Any]:
    """Modules of the classes that the model says are never split, innermost first; none: no unit but the root.

    This is what accelerate wraps for `fully_shard` where no class is named (`transformer_based_wrap`).
    """
    names = set(no_split_classes(model))
    found = [each for each in model.modules() if type(each).__name__ in names]
    return [each for each in reversed(found) if each is not model]


def no_split_classes(model: Any) -> tuple[str, ...]:
    """Names of the model's block classes; of the model that an adapter library has wrapped, too."""
    inner = getattr(model, "get_base_model", lambda: model)()
    return tuple(getattr(inner, "_no_split_modules", None) or ())


def owners_of(modules: Iterable[Any]) -> list[tuple[Any, list[Owned]]]:
    """Each module with the parameters under it, but for those that an earlier one has, in the order named."""
    claimed: set[int] = set()
    owners = []
    for module in modules:
        found: dict[int, Owned] = {}
        for each in module.modules():
            for name, parameter in each._parameters.items():
                if parameter is not None and id(parameter) not in claimed:
                    owned = found.setdefault(id(parameter), Owned(parameter))
                    owned.places.append((each, name))
        claimed.update(found)
        owners.append((module, list(found.values())))
    return owners


def tensors_in(value: Any) -> Iterator[Any]:
    """Tensors anywhere in what a module was given or returns."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors_in(each)


def replaced(value: Any, change: Any) -> Any:
    """The same structure with each tensor changed; what has no tensor stays the same object."""
    import torch

    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict) and type(value) is dict:
        return {key: replaced(each, change) for key, each in value.items()}
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(replaced(each, change) for each in value)
    return value
