"""torchtitan's Llama on one rank of `fully_shard`: fp32 shards, products in bf16, gradients reduced in fp32.

Sources: pytorch/torchtitan, models/llama/model.py (rotations as complex numbers, keys and values copied for
every head), parallelize_llama.py (every block a unit, the rest the root), train.py (logits to fp32 for the
loss, gradients clipped).
"""

import torch
from torch import nn
from torch.nn import functional


class TransformerBlock(nn.Module):
    """Attention and a gated middle."""

    def __init__(self, width, heads, groups, middle):
        super().__init__()
        self.heads, self.groups, self.head = heads, groups, width // heads
        few = groups * self.head
        self.wq, self.wo = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.wk, self.wv = (nn.Linear(width, few, bias=False) for _ in range(2))
        self.w1, self.w3 = (nn.Linear(width, middle, bias=False) for _ in range(2))
        self.w2 = nn.Linear(middle, width, bias=False)
        self.attention_norm, self.ffn_norm = (nn.RMSNorm(width, eps=1e-5) for _ in range(2))

    def forward(self, x, turns):
        h = x + self.attention(self.attention_norm(x), turns)
        normed = self.ffn_norm(h)
        return h + self.w2(functional.silu(self.w1(normed)) * self.w3(normed))

    def attention(self, x, turns):
        rows, tokens, _ = x.shape
        q = self.turned(self.wq(x).view(rows, tokens, self.heads, self.head), turns)
        k = self.turned(self.wk(x).view(rows, tokens, self.groups, self.head), turns)
        v = self.wv(x).view(rows, tokens, self.groups, self.head)
        q, k, v = (each.transpose(1, 2) for each in (q, self.spread(k), self.spread(v)))
        found = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(found.transpose(1, 2).contiguous().view(rows, tokens, -1))

    def turned(self, x, turns):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        found = torch.view_as_real(pairs * turns[: x.shape[1]].view(1, x.shape[1], 1, -1))
        return found.flatten(3).type_as(x)

    def spread(self, x):
        each = self.heads // self.groups
        if each == 1:
            return x
        rows, tokens, groups, head = x.shape
        found = x[:, :, :, None, :].expand(rows, tokens, groups, each, head)
        return found.reshape(rows, tokens, self.heads, head)


class Transformer(nn.Module):
    """The whole model."""

    _no_split_modules = ("TransformerBlock",)

    def __init__(self, layers, width, heads, groups, middle, vocabulary, tokens):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocabulary, width)
        turns = torch.zeros(tokens, width // heads // 2, dtype=torch.complex64)
        self.register_buffer("turns", turns, persistent=False)
        made = (width, heads, groups, middle)
        self.layers = nn.ModuleList(TransformerBlock(*made) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        h = self.tok_embeddings(ids)
        for layer in self.layers:
            h = layer(h, self.turns)
        return self.output(self.norm(h))


class Train:
    """Two steps of one rank."""

    def __init__(self, shape, rows, devices):
        self.shape, self.rows, self.devices, self.words = shape, rows, devices, {}

    def prepare(self, rec, place):
        """Make the model on no device, then this rank's shards."""
        from fiche.simulate.placement.asked import Placement
        from fiche.simulate.placement.fully_sharded import share_out

        self.place = place
        words = {"devices": self.devices, "sharding": "fsdp"}
        words |= {"param_dtype": "bf16", "reduce_dtype": "fp32"}
        with rec.phase("model_init"):
            with torch.device("cpu"):
                model = Transformer(**self.shape)
            self.model = share_out(model, rec.ledger, Placement.of(words), 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4, foreach=True)

    def turn(self, rec, _turn):
        """Both steps: gradients go at the begin of each."""
        for passed in ("first", "later"):
            with rec.phase("step", pass_=passed):
                self.optimizer.zero_grad()
                shape = (self.rows, self.shape["tokens"])
                ids = torch.ones(shape, dtype=torch.int64, device=self.place)
                self.loss(ids).backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=True)
                self.optimizer.step()

    def loss(self, ids):
        """The loss over logits in fp32."""
        logits = self.model(ids)
        return functional.cross_entropy(logits.flatten(0, 1).float(), ids.flatten(0, 1))


def train(**arguments):
    """The loop of programs.torchtitan."""
    return Train(**arguments)
