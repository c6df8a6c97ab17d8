"""Matrices in few bits, with the tensors that each library keeps and makes around its product.

The kernels themselves cannot run here: a product stands as the tensors that its library allocates for it, in
its order. Sources, read: AutoGPTQ (nn_modules/qlinear: exllama, cuda_old), AutoAWQ (modules/linear/gemm.py,
and gemm_cuda_gen.cu for the eight partial sums), GPTQModel (nn_modules/qlinear/marlin.py), transformers
(integrations/finegrained_fp8.py), bitsandbytes (autograd/_functions.py, functional.py).
"""

import torch
from torch import nn

_GROUP = 128


def pack(model, kind, *, keep=("lm_head", "gate", "router")):
    """Replace the matrices of a model, its head and its routers apart, with packed ones of that kind."""
    made = _KINDS[kind]
    largest = 0
    for name, module in list(model.named_modules()):
        if type(module) is nn.Linear and name.split(".")[-1] not in keep:
            largest = max(largest, module.weight.numel())
            model.set_submodule(name, made(module))
        elif kind == "fp8" and hasattr(module, "gate_up_proj"):
            model.set_submodule(name, Fp8Experts(module))
    if kind == "gptq4":
        # exllama's buffers, one pair for all matrices of a device: a matrix unpacked, and a row (no act-order).
        place = next(model.parameters()).device
        model.register_buffer("temp_dq", torch.zeros(1, largest, dtype=torch.float16, device=place))
    return model


class Packed(nn.Module):
    """The measures of a matrix, and its bias in the format of the model."""

    def __init__(self, module, place=None):
        super().__init__()
        self.inner, self.outer = module.in_features, module.out_features
        self.bias = module.bias
        self.place, self.dtype = place or module.weight.device, module.weight.dtype
        self.packed(module)

    def hold(self, name, shape, dtype):
        """A buffer of the packed form, on the device of the matrix."""
        self.register_buffer(name, torch.zeros(shape, dtype=dtype, device=self.place))

    def groups(self):
        """Groups of inputs that share a scale."""
        return -(-self.inner // _GROUP)


class Gptq4(Packed):
    """Four bits by exllama's first kernel: one output, the unpacked matrix in a shared buffer."""

    bits = 4

    def packed(self, module):
        per_word = 32 // self.bits
        self.hold("qweight", (self.inner // per_word, self.outer), torch.int32)
        self.hold("qzeros", (self.groups(), self.outer // per_word), torch.int32)
        self.hold("scales", (self.groups(), self.outer), torch.float16)
        self.hold("g_idx", (self.inner,), torch.int32)

    def forward(self, x):
        rows = x.half().view(-1, x.shape[-1])
        out = torch.empty(rows.shape[0], self.outer, dtype=torch.float16, device=x.device)
        if self.bias is not None:
            out.add_(self.bias)
        return out.view(*x.shape[:-1], self.outer)


class Gptq8(Gptq4):
    """Eight bits by AutoGPTQ's old kernel: from 128 rows on the matrix is unpacked by plain operators."""

    bits = 8

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        product = (
            self.few(rows) if rows.shape[0] < 128 else torch.matmul(rows.half(), self.unpacked())
        )
        out = product.half().reshape(*x.shape[:-1], self.outer)
        return out if self.bias is None else out + self.bias

    def few(self, rows):
        out = torch.zeros(rows.shape[0], self.outer, dtype=torch.float32, device=rows.device)
        wide, scales = rows.float(), self.scales.float()
        del wide, scales
        return out

    def unpacked(self):
        shifts = torch.arange(0, 32, self.bits, dtype=torch.int32, device=self.scales.device)
        spread = self.qzeros.unsqueeze(2).expand(-1, -1, 4)
        zeros = torch.bitwise_right_shift(spread, shifts.view(1, 1, -1)).to(torch.int16)
        torch.bitwise_and(zeros, 255, out=zeros)
        zeros = (zeros + 1).reshape(-1, 1, self.outer)
        spread = self.qweight.unsqueeze(1).expand(-1, 4, -1)
        weight = torch.bitwise_right_shift(spread, shifts.view(1, -1, 1)).to(torch.int16)
        torch.bitwise_and(weight, 255, out=weight)
        weight = weight.reshape(-1, _GROUP, self.outer)
        return (self.scales.reshape(-1, 1, self.outer) * (weight - zeros)).reshape(-1, self.outer)


class Awq(Packed):
    """Four bits by AutoAWQ's GEMM: from 1,024 rows on unpacked and multiplied, below in eight partial sums."""

    def packed(self, module):
        self.hold("qweight", (self.inner, self.outer // 8), torch.int32)
        self.hold("qzeros", (self.groups(), self.outer // 8), torch.int32)
        self.hold("scales", (self.groups(), self.outer), torch.float16)

    def forward(self, x):
        shape, dtype = (*x.shape[:-1], self.outer), x.dtype
        narrow = x.to(torch.float16)
        if x.shape[0] * x.shape[1] >= 1024:
            weight = torch.empty(self.inner, self.outer, dtype=torch.float16, device=x.device)
            out = torch.matmul(narrow, weight)
            # The unpacked matrix is the name that the product is then given: it is let go of with it.
            del weight
        else:
            rows = narrow.reshape(-1, self.inner)
            parts = torch.empty(8, rows.shape[0], self.outer, dtype=torch.float16, device=x.device)
            out = parts.sum(0)
            del parts
        out = out if self.bias is None else out + self.bias
        return out.reshape(shape).to(dtype)


class Gemv(Packed):
    """Four bits by AutoAWQ's GEMV, scales padded to eight groups: above eight rows, eight partial sums."""

    def packed(self, module):
        words = -(-(self.inner // _GROUP) // 8)
        self.hold("qweight", (self.outer, self.inner // 8), torch.int32)
        self.hold("qzeros", (self.outer, words), torch.int32)
        self.hold("scales", (self.outer, words * 8), torch.float16)

    def forward(self, x):
        rows = x.reshape(-1, self.inner)
        if rows.shape[0] > 8:
            parts = torch.empty(8, rows.shape[0], self.outer, dtype=torch.float16, device=x.device)
            out = parts.sum(0)
            del parts
        else:
            out = torch.empty(rows.shape[0], self.outer, dtype=torch.float16, device=x.device)
        out = out if self.bias is None else out + self.bias
        return out.reshape(*x.shape[:-1], self.outer)


class Marlin4(Packed):
    """Four bits by Marlin: repacked, multiplied as it is; an output, and a lock for each block of columns."""

    bits = 4

    def packed(self, module):
        self.hold("qweight", (self.inner // 16, self.outer * 16 * self.bits // 32), torch.int32)
        self.hold("scales", (self.groups(), self.outer), self.dtype)
        self.hold("workspace", (self.outer // 64 * 16,), torch.int32)

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        out = torch.empty(rows.shape[0], self.outer, dtype=x.dtype, device=x.device)
        if self.bias is not None:
            out.add_(self.bias)
        return out.reshape(*x.shape[:-1], self.outer)


class Marlin8(Marlin4):
    """The same with eight bits."""

    bits = 8


class Fp8(Packed):
    """Blocks of 128 by 128 in fp8 with a scale each; inputs are cast to fp8 in groups of 128."""

    def packed(self, module):
        self.hold("weight", (self.outer, self.inner), torch.float8_e4m3fn)
        blocks = (-(-self.outer // 128), -(-self.inner // 128))
        self.hold("weight_scale_inv", blocks, torch.float32)

    def forward(self, x):
        narrow = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
        scales = torch.empty(*x.shape[:-1], self.groups(), dtype=torch.float32, device=x.device)
        out = torch.empty(*x.shape[:-1], self.outer, dtype=x.dtype, device=x.device)
        del narrow, scales
        return out if self.bias is None else out + self.bias


class Fp8Experts(nn.Module):
    """All experts of a layer in fp8; a token's output, and nothing of the products of single experts."""

    def __init__(self, module):
        super().__init__()
        for name in ("gate_up_proj", "down_proj"):
            values = getattr(module, name)
            count, outer, inner = values.shape
            place = values.device
            packed = torch.zeros(values.shape, dtype=torch.float8_e4m3fn, device=place)
            blocks = (count, -(-outer // 128), -(-inner // 128))
            self.register_buffer(name, packed)
            self.register_buffer(f"{name}_scale_inv", torch.zeros(blocks, device=place))

    def forward(self, hidden, *_routing):
        return torch.zeros_like(hidden)


class _Unpacking(torch.autograd.Function):
    """A product with a matrix that is unpacked for it, and once more for its gradient.

    Where `keeps_input`, the input hangs on the node itself, not among its saved tensors: it goes when the
    graph goes, and not when the backward pass has been through.
    """

    @staticmethod
    def forward(ctx, x, module):
        ctx.module = module
        ctx.kept = x if module.keeps_input else None
        weight = module.unpacked()
        return nn.functional.linear(x, weight.to(x.dtype), module.bias)

    @staticmethod
    def backward(ctx, gradient):
        weight = ctx.module.unpacked()
        return torch.matmul(gradient, weight.to(gradient.dtype)), None


class Bnb4(Packed):
    """Four bits by bitsandbytes in blocks of 64; a single row is multiplied as it is."""

    unpacks_to, keeps_input = None, False

    def packed(self, module):
        count = module.weight.numel()
        self.hold("weight", (count // 2, 1), torch.uint8)
        self.hold("code", (16,), torch.float32)
        self.scales(count // 64)

    def scales(self, blocks):
        """A scale in fp32 for each block."""
        self.hold("absmax", (blocks,), torch.float32)

    def wide_scales(self):
        """Scales as the kernel takes them."""
        return self.absmax

    def unpacked(self):
        scales, place = self.wide_scales(), self.weight.device
        dtype = self.unpacks_to or self.dtype
        found = torch.empty(self.outer, self.inner, dtype=dtype, device=place)
        del scales
        return found

    def forward(self, x):
        if x.numel() == x.shape[-1] and not x.requires_grad:
            out = torch.empty(*x.shape[:-1], self.outer, dtype=x.dtype, device=x.device)
            return out if self.bias is None else out + self.bias
        return _Unpacking.apply(x, self)

    def load(self):
        """As Fabric packs what it reads: a copy in fp16 on the device, and the packed tensors anew."""
        place = self.weight.device
        wide = torch.empty(self.outer, self.inner, dtype=torch.float16, device=place)
        self.weight = torch.empty_like(self.weight)
        self.absmax = torch.empty_like(self.absmax)
        del wide


class Bnb4Half(Bnb4):
    """Packed from fp16, as Fabric does whatever the format of the run: it is unpacked to that.

    litgpt asks for bitsandbytes 0.41 to 0.42, whose product keeps its input (`ctx.tensors = (A, B)`).
    """

    unpacks_to, keeps_input = torch.float16, True


class Bnb4HalfTwice(Bnb4Half):
    """The same with scales in eight bits, in blocks of 256."""

    def scales(self, blocks):
        self.hold("absmax", (blocks,), torch.uint8)
        self.hold("nested_absmax", (-(-blocks // 256),), torch.float32)
        self.hold("nested_code", (256,), torch.float32)

    def wide_scales(self):
        return self.absmax.float()


class Bnb8(Packed):
    """Eight bits by bitsandbytes, inputs in eight bits too: a product in int32, then in 16 bits."""

    def packed(self, module):
        self.hold("weight", (self.outer, self.inner), torch.int8)
        self.hold("SCB", (self.outer,), torch.float32)

    def forward(self, x):
        rows = x.reshape(-1, self.inner)
        narrow = torch.empty(rows.shape, dtype=torch.int8, device=x.device)
        across = torch.empty(rows.shape[0], dtype=torch.float32, device=x.device)
        product = torch.empty(rows.shape[0], self.outer, dtype=torch.int32, device=x.device)
        out = torch.empty(rows.shape[0], self.outer, dtype=torch.float16, device=x.device)
        del narrow, across, product
        out = out if self.bias is None else out.add_(self.bias)
        return out.to(x.dtype).reshape(*x.shape[:-1], self.outer)

    def load(self):
        """As Fabric packs what it reads: a copy in fp16, and it in eight bits by rows and by columns."""
        place = self.weight.device
        wide = torch.empty(self.outer, self.inner, dtype=torch.float16, device=place)
        by_rows, by_columns = (torch.empty_like(self.weight) for _ in range(2))
        del by_columns, wide
        self.weight = by_rows


_KINDS = {
    "gptq4": Gptq4,
    "gptq8": Gptq8,
    "awq": Awq,
    "marlin4": Marlin4,
    "marlin8": Marlin8,
    "fp8": Fp8,
    "bnb4": Bnb4,
    "bnb4_half": Bnb4Half,
    "bnb4_half_twice": Bnb4HalfTwice,
    "bnb8": Bnb8,
}
