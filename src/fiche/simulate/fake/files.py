"""Files of tensors: what is loaded takes its place on the device, and what is saved is not written.

PyTorch gives fake tensors that it loads the device of the file, or the one asked for, after they are made:
they would stay tensors without a backend, and nothing would count them. Saving moves values to the host, and
there are none. After `torch._utils._rebuild_tensor_v2` of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch

from fiche.kernel.said import tell
from fiche.simulate.fake.devices import stand_in
from fiche.simulate.ledger.ledger import Ledger

_RESTORE = "_restore_device_fake_mode"


@contextmanager
def files_stood_in(ledger: Ledger) -> Iterator[None]:
    """Within it a file of tensors can be loaded, and `torch.save` writes nothing."""
    # Of one file, by the place of a storage in it: PyTorch makes one for each tensor, though they share it.
    begun: dict[int, Any] = {}
    usual = torch.load

    def load(*args: Any, **kwargs: Any) -> Any:
        begun.clear()
        try:
            return usual(*args, **kwargs)
        finally:
            begun.clear()

    def restored(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        told = storage._fake_device
        if told is None:
            return tensor
        place = getattr(storage, "_checkpoint_offset", None)
        storage = storage if place is None else begun.setdefault(place, storage)
        device = stand_in(torch.device(torch._utils._get_restore_location(told)))
        with torch.no_grad():
            made = torch.empty(0, dtype=tensor.dtype, device=device)
            made.set_(storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
        ledger.record(made, "torch.load")
        return made.requires_grad_(tensor.requires_grad)

    def save(*_: object, **__: object) -> None:
        ledger.values_asked.setdefault(
            "torch.save", tell("nothing is written: no tensor has values")
        )

    with ExitStack() as stack:
        if hasattr(torch._utils, _RESTORE):
            stack.enter_context(patch.object(torch._utils, _RESTORE, restored))
        stack.enter_context(patch.object(torch, "load", load))
        stack.enter_context(patch.object(torch, "save", save))
        yield
