"""A model of the host's memory, put on the rank's device or dealt out over several in one process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from fiche.simulate.fake.devices import stand_in
from fiche.simulate.ledger.kinds import BUFFER, PARAMETER
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.units import no_split_classes, owners_of, replaced

# More than any device holds: `device_map="auto"` then hangs on the parts alone, not on the card.
_ENDLESS = 2**60


def on_device(model: Any, ledger: Ledger) -> Any:
    """The model on the rank's one device; each parameter is there once, nothing else is."""
    for _, found in owners_of([model]):
        for each in found:
            parameter = each.parameter
            put = storages.made(
                ledger, parameter.shape, parameter.dtype, "placement.parameter", PARAMETER
            )
            each.register(torch.nn.Parameter(put, requires_grad=parameter.requires_grad))
    buffers_on(model, ledger)
    return model


def buffers_on(model: Any, ledger: Ledger) -> None:
    """Buffers on the rank's device, where every rank has them whole."""
    device = storages.device_of(ledger)
    for module in model.modules():
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = buffer.to(device)
                ledger.mark((module._buffers[name],), BUFFER)


def dealt_out(model: Any, ledger: Ledger, devices: int) -> Any:
    """Consecutive layers on each device, as accelerate deals them for `device_map="auto"`.

    Devices are balanced by bytes of parameters (`get_balanced_memory`, `infer_auto_device_map`); a block
    is never split. Each part takes its inputs to its own device; the model brings its outputs to where its
    inputs were.
    """
    for name, index in device_map(model, devices).items():
        part = model.get_submodule(name)
        part.to(torch.device("cuda", index))
        _takes_inputs(part, index, _skipped(model))
    model.register_forward_hook(_brings_back, with_kwargs=True)
    return model


def device_map(model: Any, devices: int) -> dict[str, int]:
    """Names of the model's parts with the device that each lies on."""
    from accelerate.utils.modeling import get_balanced_memory, infer_auto_device_map

    blocks = list(no_split_classes(model))
    room = dict.fromkeys(range(devices), _ENDLESS)
    balanced = get_balanced_memory(model, max_memory=room, no_split_module_classes=blocks)
    found: Mapping[str, int] = infer_auto_device_map(
        model, max_memory=balanced, no_split_module_classes=blocks
    )
    return dict(found)


def _skipped(model: Any) -> tuple[str, ...]:
    """Arguments that stay where they are: a cache lies with the layers that fill it."""
    skipped = getattr(model, "_skip_keys_device_placement", None) or ()
    return (skipped,) if isinstance(skipped, str) else tuple(skipped)


def _takes_inputs(part: Any, index: int, skipped: tuple[str, ...]) -> None:
    device = stand_in(index)

    def before(_: Any, args: Any, kwargs: Any) -> Any:
        kept = {name: value for name, value in kwargs.items() if name in skipped}
        return _moved(args, device), {**_moved(kwargs, device), **kept}

    part.register_forward_pre_hook(before, with_kwargs=True)


def _brings_back(_: Any, args: Any, kwargs: Any, output: Any) -> Any:
    for tensor in _tensors((*args, *kwargs.values())):
        return _moved(output, tensor.fake_device)
    return output


def _moved(values: Any, device: Any) -> Any:
    if hasattr(
        values, "to_tuple"
    ):  # an output of transformers: a dictionary with a class of its own
        for key, value in values.items():
            values[key] = _moved(value, device)
        return values
    return replaced(values, lambda each: each.to(device))


def _tensors(values: Any) -> Iterator[Any]:
    return (each for each in values if isinstance(each, torch.Tensor))
