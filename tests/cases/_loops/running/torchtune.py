"""torchtune's decoder of the Llama kind: what stands after the model is made, and full steps on packed rows.

Sources: pytorch/torchtune, modules/transformer.py, attention.py, position_embeddings.py, rms_norm.py,
peft/lora.py, recipes/full_finetune_single_device.py. Until release 0.2 a first layer is made and cloned with
its table of rotations for each place, and then let go of; later layers are made one by one and share one
table.
"""

import copy
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    """Measures of the model; `lora` names the matrices with pairs of `rank`."""

    layers: int
    heads: int
    groups: int
    width: int
    middle: int
    vocabulary: int
    longest: int
    tied: bool
    rank: int = 0
    lora: tuple = ()

    @property
    def head(self):
        """Values of a head."""
        return self.width // self.heads


class LoRA(nn.Module):
    """A frozen matrix with a pair beside it."""

    def __init__(self, inner, outer, rank):
        super().__init__()
        self.linear = nn.Linear(inner, outer, bias=False).requires_grad_(False)
        self.lora_a = nn.Linear(inner, rank, bias=False)
        self.lora_b = nn.Linear(rank, outer, bias=False)

    def forward(self, x):
        return self.linear(x) + 2.0 * self.lora_b(self.lora_a(x))


def matrix(shape, name, inner, outer):
    """That matrix, with its pair where it has one."""
    if name in shape.lora:
        return LoRA(inner, outer, shape.rank)
    return nn.Linear(inner, outer, bias=False)


class Rotations(nn.Module):
    """Cosines and sines for every position of the longest context, in fp32."""

    def __init__(self, shape):
        super().__init__()
        table = torch.zeros(shape.longest, shape.head // 2, 2, dtype=torch.float32)
        self.register_buffer("cache", table, persistent=False)

    def forward(self, x):
        pairs = x.float().reshape(*x.shape[:-1], -1, 2)
        turns = self.cache[: x.shape[1]].view(-1, pairs.shape[1], 1, pairs.shape[3], 2)
        first = pairs[..., 0] * turns[..., 0] - pairs[..., 1] * turns[..., 1]
        second = pairs[..., 1] * turns[..., 0] + pairs[..., 0] * turns[..., 1]
        return torch.stack([first, second], -1).flatten(3).type_as(x)


class RMSNorm(nn.Module):
    """In fp32, and back."""

    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return normed.type_as(x) * self.scale


class Layer(nn.Module):
    """Attention and a gated middle."""

    def __init__(self, shape, rotations):
        super().__init__()
        self.shape, self.rotations = shape, rotations
        width, few = shape.width, shape.groups * shape.head
        self.q_proj, self.k_proj = matrix(shape, "q", width, width), matrix(shape, "k", width, few)
        self.v_proj, self.output = matrix(shape, "v", width, few), matrix(shape, "o", width, width)
        self.w1, self.w3 = (matrix(shape, "mlp", width, shape.middle) for _ in range(2))
        self.w2 = matrix(shape, "mlp", shape.middle, width)
        self.sa_norm, self.mlp_norm = RMSNorm(width), RMSNorm(width)

    def forward(self, x):
        h = self.attention(self.sa_norm(x)) + x
        normed = self.mlp_norm(h)
        return h + self.w2(functional.silu(self.w1(normed)) * self.w3(normed))

    def attention(self, x):
        shape, (rows, tokens, _) = self.shape, x.shape
        q = self.rotations(self.q_proj(x).view(rows, tokens, shape.heads, shape.head))
        k = self.rotations(self.k_proj(x).view(rows, tokens, shape.groups, shape.head))
        v = self.v_proj(x).view(rows, tokens, shape.groups, shape.head)
        q, k, v = (one.transpose(1, 2) for one in (q, self.spread(k), self.spread(v)))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output(y.transpose(1, 2).contiguous().view(rows, tokens, -1))

    def spread(self, x):
        """Each group for all of its heads: a copy where there are fewer groups."""
        rows, tokens, groups, head = x.shape
        each = self.shape.heads // groups
        if each == 1:
            return x
        found = x.view(rows, tokens, groups, 1, head).expand(rows, tokens, groups, each, head)
        return found.reshape(rows, tokens, -1, head)


class Decoder(nn.Module):
    """The whole model, its logits in fp32."""

    def __init__(self, shape, *, clones):
        super().__init__()
        self.embeddings = nn.Embedding(shape.vocabulary, shape.width)
        head = None if shape.tied else matrix(shape, "head", shape.width, shape.vocabulary)
        self.head, self.norm = head, RMSNorm(shape.width)
        rotations = Rotations(shape)
        if clones:
            # The builder's own layer lives until the decoder stands, head and all.
            first = Layer(shape, rotations)
            self.layers = nn.ModuleList(copy.deepcopy(first) for _ in range(shape.layers))
        else:
            self.layers = nn.ModuleList(Layer(shape, rotations) for _ in range(shape.layers))

    def forward(self, ids):
        x = self.embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        if self.head is None:
            return functional.linear(x, self.embeddings.weight).float()
        return self.head(x).float()


class Recipe:
    """A model in one format, and steps of full training where rows are told."""

    def __init__(self, shape, clones, rows=0, tokens=0):
        self.shape, self.clones = Shape(**shape), clones
        self.rows, self.tokens, self.words = rows, tokens, {}

    def prepare(self, rec, place):
        """Make the model on its device in bf16."""
        self.place = place
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.bfloat16)
        try:
            with rec.phase("model_init"), torch.device(place):
                self.model = Decoder(self.shape, clones=self.clones)
        finally:
            torch.set_default_dtype(before)

    def turn(self, rec, _turn):
        """Two updates, where there is something to learn from."""
        if not self.rows:
            return
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-5, fused=True)
        for passed in ("first", "later"):
            with rec.phase("step", pass_=passed):
                self.loss().backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)

    def loss(self):
        """The mean loss over all tokens; logits are let go of by name."""
        ids = torch.ones(self.rows, self.tokens, dtype=torch.int64, device=self.place)
        logits = self.model(ids)
        return functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids.reshape(-1))


def recipe(**arguments):
    """The loop of programs.torchtune."""
    return Recipe(**arguments)
