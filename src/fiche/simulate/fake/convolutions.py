"""In which order a convolution lays out its result: cuDNN keeps channels last where an operand has them so.

Source: PyTorch aten/src/ATen/native/ConvUtils.h (cudnn_conv_suggest_memory_format) and Convolution.cpp
(determine_backend_memory_format). On the device that stands in no library would be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch._prims_common import suggest_memory_format

from fiche.simulate.fake.devices import is_stand_in

_ASKED = "_conv_determine_backend_memory_format"
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


@contextmanager
def laid_out_by_cudnn() -> Iterator[None]:
    """Within it convolutions on the device lay out what they make as cuDNN does."""
    usual = getattr(torch._C, _ASKED)

    def determined(entries: Any, weight: Any, backend: Any) -> Any:
        if not is_stand_in(entries.fake_device):
            return usual(entries, weight, backend)
        last = _LAST.get(weight.dim())
        if last is None or torch.float64 in (entries.dtype, weight.dtype):
            return torch.contiguous_format
        found = (suggest_memory_format(each) for each in (entries, weight))
        return last if last in found else torch.contiguous_format

    with patch.object(torch._C, _ASKED, determined):
        yield
