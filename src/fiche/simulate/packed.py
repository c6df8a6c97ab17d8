"""A base in 4 or 8 bits without bitsandbytes: matrices that hold, make and keep what those of that library do.

Its kernels run on a GPU alone, and its parameters cannot be fake tensors; so these matrices and this 8-bit
optimizer stand in for its own, whether it is installed or not. What is made, in its order, follows bitsandbytes
0.45 to 0.48: `nn/modules.py` (Linear4bit, Linear8bitLt), `autograd/_functions.py` (MatMul4Bit, MatMul8bitLt),
`functional.py` (quantize_4bit, dequantize_4bit, int8_vectorwise_quant, int8_mm_dequant), `optim/optimizer.py`.
Which columns of an input lie beyond the threshold of 8 bits hangs on values: none are taken to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from fiche.kernel import simulation_notes
from fiche.measure.workloads import _library
from fiche.measure.workloads._quantised import Base
from fiche.measure.workloads.training import Training

_NAME, _AS_OF = "bitsandbytes", "0.48.0"
# Values that share a scale, scales that share one of their own, entries of a table of 4 and of 8 bits.
_BLOCK, _NESTED, _CODE, _TABLE = 64, 256, 16, 256
# The optimizer's blocks, and the fewest values of which it keeps states in 8 bits.
_STATE_BLOCK, _LEAST = 256, 4096
NOTE = simulation_notes.packed(_AS_OF)


def uses_packed(workload: Any) -> bool:
    """Whether a workload's base, or its optimizer, is one of bitsandbytes."""
    if not isinstance(workload, Training):
        return False
    return workload.method.base is not None or "8bit" in workload.optimizer.name


def stand_in() -> None:
    """From here on Python finds a bitsandbytes that runs on fake tensors."""
    if getattr(sys.modules.get(_NAME), "stands_in", False):
        return
    made = _module(_NAME, stands_in=True, __version__=_AS_OF)
    made.nn = _module(f"{_NAME}.nn", Linear4bit=Linear4bit, Linear8bitLt=Linear8bitLt)
    made.optim = _module(f"{_NAME}.optim", AdamW8bit=AdamW8bit)
    made.functional = _module(f"{_NAME}.functional")
    usual = _library.version_of
    _library.version_of = lambda name: f"as of {_AS_OF}" if name == _NAME else usual(name)


def _module(name: str, **members: Any) -> Any:
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, loader=None)
    vars(made).update(members)
    sys.modules[name] = made
    return made


def stood_in(workload: Any) -> Any:
    """The training with a base that fake tensors can make; its notes say so."""
    base = workload.method.base
    if base is not None:
        told = SimulatedBase(base.kind, base.double, base.model)
        workload.method = replace(workload.method, base=told)
    workload.notes = [NOTE]
    return workload


class SimulatedBase(Base):
    """The base as `measure` makes it: matrix after matrix on the device, packed there, and let go of."""

    def _filled(self, model: Any, place: str) -> None:
        """No tensor has a value: what is not packed is moved."""
        model.tie_weights()
        model.to(place)

    def _packed(self, module: Any, place: str) -> Any:
        if self.kind == "int8":
            return Linear8bitLt(module, place)
        return Linear4bit(module, place, kind=self.kind, double=self.double)


class _Matrix(torch.nn.Linear):  # type: ignore[misc]
    """The measures of a matrix and its bias; what is packed counts as a parameter that nothing learns."""

    def __init__(self, module: Any, place: str) -> None:
        torch.nn.Module.__init__(self)
        self.in_features, self.out_features = module.in_features, module.out_features
        self.bias = module.bias
        self.compute_dtype = module.weight.dtype
        whole = torch.empty(module.weight.shape, dtype=module.weight.dtype, device=place)
        self._pack(whole)

    def _pack(self, whole: Any) -> None:
        raise NotImplementedError

    def _keep(self, name: str, shape: tuple[int, ...], dtype: Any, place: Any) -> None:
        values = torch.empty(shape, dtype=dtype, device=place)
        self.register_parameter(name, torch.nn.Parameter(values, requires_grad=False))


class Linear4bit(_Matrix):
    """Two values a byte, a scale each 64; with `double`, scales in 8 bits with one of their own each 256."""

    def __init__(self, module: Any, place: str, *, kind: str, double: bool) -> None:
        self.double = double  # packing asks for it
        super().__init__(module, place)
        self.weight.quant_type, self.weight.compress_statistics = kind, double

    def _pack(self, whole: Any) -> None:
        place, count = whole.device, whole.numel()
        blocks = -(-count // _BLOCK)
        self._keep("weight", (-(-count // 2), 1), torch.uint8, place)
        self._keep("code", (_CODE,), torch.float32, place)
        if not self.double:
            self._keep("absmax", (blocks,), torch.float32, place)
            return
        scales = torch.empty(blocks, dtype=torch.float32, device=place)
        self.register_parameter("offset", torch.nn.Parameter(scales.mean(), requires_grad=False))
        shifted = scales - self.offset
        self._keep("absmax", (blocks,), torch.uint8, place)
        self._keep("nested_absmax", (-(-blocks // _NESTED),), torch.float32, place)
        del shifted

    def whole(self) -> Any:
        """The matrix in the format that it computes in, as it is unpacked for a product."""
        scales = None
        if self.double:
            scales = torch.empty(self.absmax.shape, dtype=torch.float32, device=self.absmax.device)
            scales += self.offset
        shape, place = (self.out_features, self.in_features), self.absmax.device
        made = torch.empty(shape, dtype=self.compute_dtype, device=place)
        del scales
        return made

    def forward(self, x: Any) -> Any:
        """A product in the format of the matrix; a single row without a gradient meets it as it is packed."""
        told, bias = x.dtype, self.bias
        rows = x.to(self.compute_dtype)
        bias = None if bias is None else bias.to(self.compute_dtype)
        if rows.numel() == rows.shape[-1] and not rows.requires_grad:
            out = rows.new_empty((*rows.shape[:-1], self.out_features))
            return (out if bias is None else out + bias).to(told)
        return _Unpacking.apply(rows, self, bias).to(told)


class Linear8bitLt(_Matrix):
    """A byte a value with a scale a row; inputs in 8 bits too, a product of whole numbers, then in 16 bits."""

    index = None

    def __init__(self, module: Any, place: str) -> None:
        super().__init__(module, place)
        self.state = SimpleNamespace(has_fp16_weights=False, threshold=6.0)

    def _pack(self, whole: Any) -> None:
        self._keep("weight", tuple(whole.shape), torch.int8, whole.device)
        self._keep("SCB", (self.out_features,), torch.float32, whole.device)

    def forward(self, x: Any) -> Any:
        """A product in fp16, given back in the format of the input."""
        return _EightBits.apply(x, self, self.bias)


class _Unpacking(torch.autograd.Function):  # type: ignore[misc]
    """A product with a matrix unpacked for it, and once more for its gradient; the input is not kept."""

    @staticmethod
    def forward(ctx: Any, rows: Any, module: Linear4bit, bias: Any) -> Any:
        ctx.module = module
        return torch.nn.functional.linear(rows, module.whole().to(rows.dtype), bias)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return torch.matmul(gradient, ctx.module.whole().to(gradient.dtype)), None, None


class _EightBits(torch.autograd.Function):  # type: ignore[misc]
    """As MatMul8bitLt: the input is kept, though only a learned matrix would ask for it."""

    @staticmethod
    def forward(ctx: Any, x: Any, module: Linear8bitLt, bias: Any) -> Any:
        ctx.module, ctx.shape = module, x.shape
        rows = x.reshape(-1, x.shape[-1])
        narrow = rows.to(torch.float16)
        beyond = narrow.abs() >= module.state.threshold
        packed = rows.new_empty(rows.shape, dtype=torch.int8)
        scales = rows.new_empty(rows.shape[0], dtype=torch.float32)
        del narrow, beyond
        product = rows.new_empty((rows.shape[0], module.out_features), dtype=torch.int32)
        out = rows.new_empty(product.shape, dtype=torch.float16)
        del packed, scales, product
        out = out.to(x.dtype)
        if bias is not None:
            out.add_(bias)
        ctx.save_for_backward(rows)
        return out.reshape(*x.shape[:-1], module.out_features)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        module, rows = ctx.module, gradient.reshape(-1, gradient.shape[-1])
        whole = module.weight.to(rows.dtype, copy=True)
        whole *= module.SCB.unsqueeze(1).mul(1.0 / 127.0).to(rows.dtype)
        return torch.matmul(rows, whole).view(ctx.shape), None, None


class AdamW8bit(torch.optim.Optimizer):  # type: ignore[misc]
    """Two states a value, a byte each with a scale each 256; in fp32 for tensors of few values."""

    def __init__(self, learned: Iterable[Any], lr: float) -> None:
        super().__init__(learned, {"lr": lr})
        self._tables: list[Any] = []

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: Any = None) -> None:
        """States come with the first step; each is changed in place by one kernel."""
        for group in self.param_groups:
            for each in group["params"]:
                if each.grad is not None and not self.state[each]:
                    self.state[each].update(self._states(each))

    def _states(self, each: Any) -> dict[str, Any]:
        small = each.numel() < _LEAST
        dtype = torch.float32 if small else torch.uint8
        made = {f"state{n}": torch.zeros_like(each, dtype=dtype) for n in (1, 2)}
        if small:
            return made
        if not self._tables:
            self._tables = [torch.empty(_TABLE, device=each.device) for _ in range(2)]
        blocks = -(-each.numel() // _STATE_BLOCK)
        scales = {f"absmax{n}": torch.zeros(blocks, device=each.device) for n in (1, 2)}
        return {**made, **scales}
