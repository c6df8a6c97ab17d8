"""Kernels that read rows one after the other: an input that lies otherwise is copied first."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, bytes_of

_READ = {
    "aten::_softmax": 1,
    "aten::_log_softmax": 1,
    "aten::_softmax_backward_data": 2,
    "aten::_log_softmax_backward_data": 2,
    "aten::native_layer_norm": 1,
}


def _apply(around: Around) -> Any:
    read = around.args[: _READ[around.func._schema.name]]
    with around.workspace(*(bytes_of(each) for each in read if not each.is_contiguous())):
        return around.run()


MEMBER = Effect(
    name="rows_in_order",
    says=tell("a softmax or norm copies an input that does not lie in rows"),
    source="PyTorch aten/src/ATen/native/cuda/SoftMax.cu: host_softmax, host_softmax_backward; "
    "layer_norm_kernel.cu: layer_norm_cuda",
    operators=(
        "aten._softmax.default",
        "aten._log_softmax.default",
        "aten._softmax_backward_data.default",
        "aten._log_softmax_backward_data.default",
        "aten.native_layer_norm.default",
    ),
    apply=_apply,
)
