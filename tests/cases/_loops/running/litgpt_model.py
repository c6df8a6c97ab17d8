"""litgpt's decoder as it was from October 2023 to 2024, written anew from what its operators are.

Sources: Lightning-AI/litgpt, lit_gpt/model.py, lit_gpt/lora.py, lit_gpt/rmsnorm.py and their later places.
What matters here: queries, keys and values come interleaved from one matrix; keys and values are repeated for
every query head, in the cache too, unless there is one group; norms of RMS work in fp32; the head is cut into
pieces of 128 tokens while learning.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn
from torch.nn import functional

PIECE = 128


@dataclass(frozen=True)
class Shape:
    """litgpt's own names of a model's measures, and where low-rank pairs stand."""

    n_layer: int
    n_head: int
    n_query_groups: int
    n_embd: int
    head_size: int
    intermediate_size: int
    padded_vocab_size: int
    mlp_class_name: str
    norm_class_name: str
    rotary_percentage: float = 1.0
    bias: bool = False
    lm_head_bias: bool = False
    parallel_residual: bool = False
    shared_attention_norm: bool = False
    lora_r: int = 0
    lora_on: tuple = ()

    @property
    def rope_n_elem(self):
        """Values of a head that are rotated."""
        return int(self.rotary_percentage * self.head_size)

    @property
    def scales_embeddings(self):
        """Gemma multiplies what it reads from its table."""
        return self.mlp_class_name == "GemmaMLP"

    def rank(self, place):
        """The rank of a pair beside that matrix, 0 without one."""
        return self.lora_r if place in self.lora_on else 0


class RMSNorm(nn.Module):
    """In fp32, and back."""

    def __init__(self, width, unit_offset):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width), requires_grad=False)
        self.unit_offset = unit_offset

    def forward(self, x):
        wide = x.float()
        mean = torch.mean(wide * wide, dim=-1, keepdim=True)
        normed = wide * torch.rsqrt(mean + 1e-5)
        if self.unit_offset:
            return normed.to(x.dtype) * (1 + self.weight)
        return (self.weight * normed).to(x.dtype)


def norm(shape):
    """The norm of that model."""
    if shape.norm_class_name == "LayerNorm":
        made = nn.LayerNorm(shape.n_embd)
        return made.requires_grad_(False)
    return RMSNorm(shape.n_embd, shape.scales_embeddings)


class LoRALinear(nn.Module):
    """A frozen matrix, and perhaps a low-rank pair that its input reaches through a dropout."""

    def __init__(self, inner, outer, bias, rank, dropout=0.05):
        super().__init__()
        self.linear = nn.Linear(inner, outer, bias=bias).requires_grad_(False)
        self.rank = rank
        if rank:
            self.lora_dropout = nn.Dropout(dropout)
            self.lora_A = nn.Parameter(torch.zeros(rank, inner))
            self.lora_B = nn.Parameter(torch.zeros(outer, rank))

    def forward(self, x):
        found = self.linear(x)
        if not self.rank:
            return found
        pair = self.lora_dropout(x) @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)
        return found + pair * 0.5


class LoRAQKV(nn.Module):
    """The matrix of queries, keys and values; pairs of some of the three, put in place among zeros."""

    def __init__(self, shape):
        super().__init__()
        heads, groups = shape.n_head, shape.n_query_groups
        self.outer = outer = (heads + 2 * groups) * shape.head_size
        self.linear = nn.Linear(shape.n_embd, outer, bias=shape.bias).requires_grad_(False)
        widths = {"query": heads, "key": groups, "value": groups}
        self.learned = [name for name in widths if shape.rank(name)]
        self.grouped = heads != groups
        if not self.learned:
            return
        self.widths = [widths[name] * shape.head_size for name in self.learned]
        self.lora_dropout = nn.Dropout(0.05)
        self.lora_A = nn.Parameter(torch.zeros(shape.lora_r * len(self.widths), shape.n_embd))
        self.lora_B = nn.Parameter(torch.zeros(sum(self.widths), shape.lora_r))
        self.register_buffer("lora_ind", torch.zeros(sum(self.widths), dtype=torch.int64), False)

    def forward(self, x):
        found = self.linear(x)
        if not self.learned:
            return found
        first = functional.linear(self.lora_dropout(x), self.lora_A)
        second = self.second(first.transpose(-2, -1), self.lora_B.unsqueeze(-1)).transpose(-2, -1)
        return found + self.padded(second) * 0.5

    def second(self, rows, weight):
        count = len(self.widths)
        if not self.grouped:
            return functional.conv1d(rows, weight, groups=count)
        parts = zip(rows.chunk(count, dim=1), weight.split(self.widths), strict=True)
        return torch.cat([functional.conv1d(part, its) for part, its in parts], dim=1)

    def padded(self, x):
        if len(self.learned) == 3:
            return x
        turned = x.transpose(0, 1)
        outer = self.outer
        zeros = turned.new_zeros((*turned.shape[:-1], outer)).view(-1, outer)
        put = zeros.index_copy(1, self.lora_ind, turned.reshape(-1, sum(self.widths)))
        return put.view(*turned.shape[:-1], outer).transpose(0, 1)


class Attention(nn.Module):
    """Attention with a cache where one was made."""

    def __init__(self, shape):
        super().__init__()
        self.shape, self.cache = shape, None
        self.attn = LoRAQKV(shape)
        width = shape.head_size * shape.n_head
        self.proj = LoRALinear(width, shape.n_embd, shape.bias, shape.rank("projection"))

    def forward(self, x, cos, sin, mask, positions):
        rows, tokens, _ = x.shape
        q, k, v = self.split(self.attn(x), rows, tokens, positions)
        q, k = (self.rotated(each, cos, sin) for each in (q, k))
        if positions is not None:
            # A cache made in another format takes that of what it is given, at its first use.
            self.cache = tuple(each.to(k.dtype) for each in self.cache)
            k = self.cache[0].index_copy_(2, positions, k)
            v = self.cache[1].index_copy_(2, positions, v)
        scale = 1.0 / math.sqrt(self.shape.head_size)
        y = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=0.0, scale=scale, is_causal=mask is None
        )
        return self.proj(y.transpose(1, 2).reshape(rows, tokens, -1))

    def split(self, qkv, rows, tokens, positions):
        heads, groups, width = self.shape.n_head, self.shape.n_query_groups, self.shape.head_size
        each = heads // groups
        parts = qkv.view(rows, tokens, groups, each + 2, width).permute(0, 2, 3, 1, 4)
        q, k, v = parts.split((each, 1, 1), dim=2)
        if groups != heads and (positions is None or groups != 1):
            k = k.expand(rows, groups, each, tokens, width)
            v = v.expand(rows, groups, each, tokens, width)
        return (one.reshape(rows, -1, tokens, width) for one in (q, k, v))

    def rotated(self, x, cos, sin):
        count = self.shape.rope_n_elem
        part = x[..., :count]
        first, second = part[..., : count // 2], part[..., count // 2 :]
        turned = torch.cat((-second, first), dim=-1)
        roped = ((part * cos) + (turned * sin)).to(part.dtype)
        return torch.cat((roped, x[..., count:]), dim=-1)

    def make_cache(self, tokens, dtype, place):
        """Room for keys and values of all tokens."""
        heads = 1 if self.shape.n_query_groups == 1 else self.shape.n_head
        room = (1, heads, tokens, self.shape.head_size)
        self.cache = tuple(torch.zeros(room, dtype=dtype, device=place) for _ in range(2))


class PlainMLP(nn.Module):
    """Two matrices with a GELU between them."""

    def __init__(self, shape):
        super().__init__()
        made = partial(LoRALinear, bias=shape.bias, rank=shape.rank("mlp"))
        self.fc = made(shape.n_embd, shape.intermediate_size)
        self.proj = made(shape.intermediate_size, shape.n_embd)

    def forward(self, x):
        return self.proj(functional.gelu(self.fc(x)))


class GatedMLP(nn.Module):
    """Three matrices with a gate: SiLU, or Gemma's GELU."""

    def __init__(self, shape):
        super().__init__()
        made = partial(LoRALinear, bias=shape.bias, rank=shape.rank("mlp"))
        self.fc_1 = made(shape.n_embd, shape.intermediate_size)
        self.fc_2 = made(shape.n_embd, shape.intermediate_size)
        self.proj = made(shape.intermediate_size, shape.n_embd)
        self.gate = functional.gelu if shape.scales_embeddings else functional.silu

    def forward(self, x):
        first, second = self.fc_1(x), self.fc_2(x)
        return self.proj(self.gate(first) * second)


class Block(nn.Module):
    """One layer, its two parts one after the other or side by side."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.norm_1, self.attn = norm(shape), Attention(shape)
        self.norm_2 = None if shape.shared_attention_norm else norm(shape)
        plain = shape.mlp_class_name == "GptNeoxMLP"
        self.mlp = PlainMLP(shape) if plain else GatedMLP(shape)

    def forward(self, x, *around):
        first = self.norm_1(x)
        seen = self.attn(first, *around)
        if self.shape.parallel_residual:
            second = first if self.norm_2 is None else self.norm_2(x)
            return self.mlp(second) + seen + x
        x = seen + x
        return self.mlp(self.norm_2(x)) + x


class GPT(nn.Module):
    """The whole decoder. `tokens` is the longest sequence: its rotations are kept for that many."""

    def __init__(self, shape, tokens):
        super().__init__()
        self.shape, self.tokens = shape, tokens
        rank = shape.rank("head")
        self.lm_head = LoRALinear(shape.n_embd, shape.padded_vocab_size, shape.lm_head_bias, rank)
        self.wte = nn.Embedding(shape.padded_vocab_size, shape.n_embd).requires_grad_(False)
        self.h = nn.ModuleList(Block(shape) for _ in range(shape.n_layer))
        self.ln_f = norm(shape)

    def turn_tables(self, place):
        """Rotations in fp32, made when the longest sequence is known."""
        count = self.shape.rope_n_elem
        self.cos, self.sin = (torch.zeros(self.tokens, count, device=place) for _ in range(2))

    def make_cache(self, dtype, place):
        """Caches of every layer, and the mask of all pairs of tokens."""
        self.mask = torch.ones(self.tokens, self.tokens, dtype=torch.bool, device=place).tril()
        self.mask = self.mask.unsqueeze(0).unsqueeze(0)
        for block in self.h:
            block.attn.make_cache(self.tokens, dtype, place)

    def forward(self, ids, positions=None, *, in_pieces=False):
        around = self.around(ids.shape[1], positions)
        x = self.wte(ids)
        if self.shape.scales_embeddings:
            x = x * self.shape.n_embd**0.5
        for block in self.h:
            x = block(x, *around)
        x = self.ln_f(x)
        if in_pieces:
            return [self.lm_head(piece) for piece in x.split(PIECE, dim=1)]
        return self.lm_head(x)

    def around(self, tokens, positions):
        if positions is None:
            return self.cos[:tokens], self.sin[:tokens], None, None
        cos, sin = (each.index_select(0, positions) for each in (self.cos, self.sin))
        return cos, sin, self.mask.index_select(2, positions), positions
