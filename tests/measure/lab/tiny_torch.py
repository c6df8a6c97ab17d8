"""As much of PyTorch as the dense network needs, on a simulated device: tensors are shapes that take bytes.

Nothing here computes or measures anything: it lets a script run through every phase of the protocol on a
machine without PyTorch, and gives the simulated counters something to count.
"""

import contextlib
import sys
import types

WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2}
MIB = 1 << 20


class OutOfMemoryError(RuntimeError):
    """As PyTorch calls it."""


OutOfMemoryError.__module__ = "torch"


class Tensor:
    def __init__(self, shape, dtype, device):
        self._of, self._taken = device, 0
        self.shape, self.dtype = tuple(shape), dtype
        self.device = types.SimpleNamespace(type="cpu")
        amount = WIDTHS[dtype.replace("torch.", "")]
        for length in shape:
            amount *= length
        device.take(-(-amount // 512) * 512)
        self._taken = -(-amount // 512) * 512

    def __del__(self):
        if self._taken:
            self._of.give(self._taken)

    def isfinite(self):
        return self

    def all(self):
        return True


class Memory:
    """Passes what tensors take on to a simulated device, up to a limit."""

    def __init__(self, device, limit):
        self.device, self.limit = device, limit

    def take(self, amount):
        if self.device.levels[0] + amount > self.limit:
            raise OutOfMemoryError(
                f"CUDA out of memory. Tried to allocate {amount / MIB:.2f} MiB. GPU 0 has a total "
                f"capacity of {self.limit / MIB:.2f} MiB of which 0 bytes is free."
            )
        self.device.allocate(amount)

    def give(self, amount):
        self.device.release(amount)


def install(device, limit=1 << 34):
    """Put such a `torch` in the place of the real one, on this simulated device."""
    memory = Memory(device, limit)

    class Linear:
        def __init__(self, inside, outside, device=None, dtype=None):
            self.weight = Tensor((outside, inside), dtype, memory)
            self.bias = Tensor((outside,), dtype, memory)

        def __call__(self, given):
            return Tensor((*given.shape[:-1], self.weight.shape[0]), given.dtype, memory)

    class GELU:
        def __call__(self, given):
            return Tensor(given.shape, given.dtype, memory)

    class Sequential(list):
        def __init__(self, *layers):
            super().__init__(layers)

        def eval(self):
            return self

        def named_parameters(self):
            for place, layer in enumerate(self):
                for name, tensor in vars(layer).items():
                    yield f"{place}.{name}", tensor

        def __call__(self, given):
            for layer in self:
                given = layer(given)
            return given

    torch = types.ModuleType("torch")
    torch.__version__ = "2.13.0"
    torch.float32, torch.float16, torch.bfloat16 = (f"torch.{name}" for name in WIDTHS)
    torch.manual_seed = lambda seed: None
    torch.no_grad = contextlib.nullcontext
    torch.randn = lambda *shape, device=None, dtype=None: Tensor(shape, dtype, memory)
    torch.nn = types.SimpleNamespace(Linear=Linear, GELU=GELU, Sequential=Sequential)
    torch.OutOfMemoryError = OutOfMemoryError
    sys.modules["torch"] = torch
