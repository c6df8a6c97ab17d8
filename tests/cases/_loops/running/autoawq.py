"""AutoAWQ's benchmark over its fused modules: load, fusing, prefill, and the last token.

Sources, as of release 0.2.5: casper-hansen/AutoAWQ, examples/benchmark.py, awq/models/llama.py (blocks are
built while the modules they are made of still stand), awq/modules/fused/attn.py and cache.py,
awq/utils/fused_utils.py.
"""

import math

import torch
from torch import nn
from torch.nn import functional

from _loops.running.packed import Awq, Gemv

_KERNELS = {"GEMM": Awq, "GEMV": Gemv}


def linear(inner, outer, kernel, place):
    """A packed matrix of random values."""
    with torch.device("meta"):
        plain = nn.Linear(inner, outer, bias=False, dtype=torch.float16)
    plain.weight = nn.Parameter(plain.weight, requires_grad=False)
    return _KERNELS[kernel](plain, place)


class Layer(nn.Module):
    """A layer as transformers loads it: seven packed matrices, two norms."""

    def __init__(self, shape, kernel, place):
        super().__init__()
        width, groups = shape["n_embd"], shape["n_query_groups"] * shape["head_size"]
        heads = shape["n_head"] * shape["head_size"]
        middle = shape["intermediate_size"]
        made = {
            "q": (width, heads),
            "k": (width, groups),
            "v": (width, groups),
            "o": (heads, width),
        }
        made |= {"gate": (width, middle), "up": (width, middle), "down": (middle, width)}
        for name, (inner, outer) in made.items():
            setattr(self, name, linear(inner, outer, kernel, place))
        self.norms = nn.ParameterList(
            nn.Parameter(torch.ones(width, dtype=torch.float16, device=place), requires_grad=False)
            for _ in range(2)
        )


class Fused(nn.Module):
    """A fused block: one matrix for queries, keys and values, and a cache of its own."""

    def __init__(self, shape, layer, kernel, rows, tokens, place):
        super().__init__()
        self.shape, self.start = shape, 0
        parts = [layer.q, layer.k, layer.v]
        outer = sum(one.outer for one in parts)
        self.qkv = linear(shape["n_embd"], outer, kernel, place)
        self.o, self.gate, self.up, self.down = layer.o, layer.gate, layer.up, layer.down
        self.norms = layer.norms
        room = (rows, shape["n_query_groups"], tokens, shape["head_size"])
        self.keys, self.values = (
            torch.zeros(room, dtype=torch.float16, device=place) for _ in range(2)
        )
        turns = (tokens * 2, shape["head_size"] // 2)
        self.turns = torch.zeros(turns, dtype=torch.complex64, device=place)

    def forward(self, hidden, mask):
        seen = torch.empty_like(hidden)
        attended = self.attention(seen, mask)
        hidden = hidden.to(attended.device) + attended
        del seen, attended
        normed = torch.empty_like(hidden)
        return hidden + self.down(functional.silu(self.gate(normed)) * self.up(normed))

    def attention(self, x, mask):
        rows, tokens, _ = x.shape
        heads, groups = self.shape["n_head"], self.shape["n_query_groups"]
        width = self.shape["head_size"]
        joined = self.qkv(x).view(rows, tokens, heads + 2 * groups, width)
        if tokens == 1:
            return self.o(torch.empty(rows, 1, heads * width, dtype=x.dtype, device=x.device))
        q, k, v = joined[:, :, :heads], joined[:, :, heads : heads + groups], joined[:, :, -groups:]
        q, k = self.turned(q, tokens), self.turned(k, tokens)
        stored = k.reshape(rows, tokens, groups, width // 8, 8).permute(0, 2, 3, 1, 4).contiguous()
        del stored
        if groups != heads:
            k = torch.repeat_interleave(k, dim=2, repeats=heads // groups)
            v = torch.repeat_interleave(v, dim=2, repeats=heads // groups)
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(width)
        scores = scores + mask
        scores = functional.softmax(scores.float(), dim=-1).type_as(q)
        found = torch.matmul(scores, v)
        return self.o(found.transpose(1, 2).contiguous().view(rows, tokens, -1))

    def turned(self, x, tokens):
        wide = x.float().reshape(*x.shape[:-1], 2, -1).transpose(-2, -1).contiguous()
        turns = self.turns[:tokens].view(1, tokens, 1, -1)
        found = torch.view_as_real(torch.view_as_complex(wide) * turns)
        return found.transpose(-2, -1).flatten(3).type_as(x)


class Benchmark:
    """A process of the benchmark."""

    def __init__(self, shape, kernel, rows, prompt_tokens, new_tokens):
        self.shape, self.kernel, self.rows = shape, kernel, rows
        self.prompt, self.new, self.words = prompt_tokens, new_tokens, {}

    def prepare(self, rec, place):
        """Load, then fuse: caches have room for as many tokens as are generated."""
        self.place, shape = place, self.shape
        table = (shape["padded_vocab_size"], shape["n_embd"])
        with rec.phase("model_load"), torch.no_grad():
            self.table, self.head = (
                torch.zeros(table, dtype=torch.float16, device=place) for _ in range(2)
            )
            layers = [Layer(shape, self.kernel, place) for _ in range(shape["n_layer"])]
            made = (self.kernel, self.rows, self.new, place)
            self.blocks = [Fused(shape, layer, *made) for layer in layers]
            del layers

    def turn(self, rec, _turn):
        """A product of warm-up, the prompt, a token."""
        with torch.no_grad():
            with rec.phase("prefill", pass_="first"):
                warm = torch.zeros(4096, 4096, device=self.place)
                torch.mm(warm, warm)
                del warm
                out = self.forward(self.prompt)
            with rec.phase("decode", pass_="first"):
                out = self.forward(1)
            del out

    def forward(self, tokens):
        """All tokens through every block; logits of all of them, in fp32 beside 16 bits."""
        ids = torch.ones(self.rows, tokens, dtype=torch.int64, device=self.place)
        hidden, mask = functional.embedding(ids, self.table), None
        if tokens > 1:
            mask = torch.full((1, 1, tokens, tokens), float("-inf"), device=self.place)
            mask = torch.triu(mask, diagonal=1).type_as(hidden)
        for block in self.blocks:
            hidden = block(hidden, mask)
        logits = functional.linear(torch.empty_like(hidden), self.head).float()
        logits[:, -1].max(1)[1].unsqueeze(1)
        return logits


def benchmark(**arguments):
    """The loop of programs.autoawq."""
    return Benchmark(**arguments)
