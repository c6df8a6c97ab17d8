"""litgpt's scripts: finetune/lora.py on one GPU, generate/base.py, and one rank of tp.py and sequentially.py.

Formats of a run are `true` ones: everything in that format, rotations in fp32 where the length was set after.
With a quantised base the pairs are learned by bitsandbytes' paged AdamW, whose states lie outside the
allocator unless they have fewer than 100,000 values.
"""

from dataclasses import replace

import torch
from torch.nn import functional

from _loops.running.generation import onto
from _loops.running.litgpt_model import GPT, PIECE, Shape
from _loops.running.packed import pack

_DTYPES = {"bf16-true": torch.bfloat16, "16-true": torch.float16, "32-true": torch.float32}
_PAGED_FROM = 100_000


class PagedAdamW:
    """Bitsandbytes' paged AdamW in 32 bits: one tensor after the other, nothing beside states."""

    def __init__(self, parameters):
        self.parameters, self.states = list(parameters), None

    def step(self):
        """Small states are the allocator's; large ones are managed by the driver."""
        if self.states is None:
            small = [each for each in self.parameters if each.numel() < _PAGED_FROM]
            self.states = [torch.zeros_like(each, dtype=torch.float32) for each in small * 2]

    def zero_grad(self):
        """No gradient is kept."""
        for each in self.parameters:
            each.grad = None


def made(shape, tokens, dtype, packed, place):
    """The model on its device in one format, with rotations of its longest sequence."""
    with torch.device("meta"):
        model = GPT(shape, tokens)
    model = model.to(dtype)
    if packed:
        pack_linears(model, packed)
    model = onto(model, place) if hasattr(model, "tie_weights") else model.to_empty(device=place)
    model.turn_tables(place)
    for module in model.modules():
        if hasattr(module, "load"):
            module.load()
    return model


def pack_linears(model, packed):
    """All frozen matrices, the head's too: Fabric replaces every one."""
    pack(model, packed, keep=())


class Finetune:
    """Steps of finetune/lora.py, or of finetune/full.py: two updates of `accumulation` microbatches."""

    def __init__(self, shape, rows, tokens, precision, packed="", full=False, accumulation=2):
        self.shape, self.rows, self.tokens, self.full = Shape(**shape), rows, tokens, full
        self.dtype, self.packed, self.accumulation = _DTYPES[precision], packed, accumulation
        self.words, self.logits = {}, None

    def prepare(self, rec, place):
        """Make the model and what learns."""
        self.place = place
        with rec.phase("model_init"):
            self.model = made(self.shape, self.tokens, self.dtype, self.packed, place).train()
            if self.full:
                self.model.requires_grad_(True)
        learned = [each for each in self.model.parameters() if each.requires_grad]
        if self.packed:
            self.optimizer = PagedAdamW(learned)
        else:
            self.optimizer = torch.optim.AdamW(learned, lr=2e-4, weight_decay=0.0, foreach=True)

    def turn(self, rec, _turn):
        """Updates, each with its microbatches."""
        for number in range(2):
            for _ in range(self.accumulation):
                self.microbatch(rec, "first" if not number else "later")
            with rec.phase("optimizer_step", pass_="first" if not number else "later"):
                self.optimizer.step()
                self.optimizer.zero_grad()

    def microbatch(self, rec, passed):
        """Forward in pieces of the head, a loss over pieces, and back."""
        with rec.phase("forward", pass_=passed):
            ids = torch.ones(self.rows, self.tokens, dtype=torch.int64, device=self.place)
            targets = torch.ones_like(ids)
            # The script's own name: the logits before live until these are there.
            # Fabric gives back what a module returns in the default format, which is fp32.
            if self.full:
                self.logits = self.model(ids).float()
            else:
                self.logits = [each.float() for each in self.model(ids, in_pieces=True)]
                self.logits[-1] = self.logits[-1][..., :-1, :]
        with rec.phase("loss", pass_=passed):
            loss = in_pieces(self.logits, targets[..., 1:])
        with rec.phase("backward", pass_=passed):
            (loss / self.accumulation).backward()


def in_pieces(logits, targets):
    """The mean over tokens, with a loss for each piece: of the head, or of the rows of whole logits."""
    if isinstance(logits, list):
        pieces = [one.reshape(-1, one.shape[-1]) for one in logits]
        aims = [one.reshape(-1) for one in targets.split(PIECE, dim=1)]
    else:
        shifted = logits[..., :-1, :]
        pieces = shifted.reshape(-1, shifted.shape[-1]).split(PIECE)
        aims = targets.reshape(-1).split(PIECE)
    losses = [
        functional.cross_entropy(one, aim, ignore_index=-1, reduction="none")
        for one, aim in zip(pieces, aims, strict=True)
    ]
    return torch.cat(losses).sum() / targets.numel()


class Generate:
    """generate/base.py: a cache for all tokens made at once, a prefill, and the last token.

    `ranks` cuts heads and the middle of each layer over that many (tp.py); `stages` keeps that part of the
    layers on the root, with table and head (sequentially.py).
    """

    def __init__(self, shape, prompt_tokens, new_tokens, precision, packed="", ranks=1, stages=1):
        shape = Shape(**shape)
        self.shape = replace(
            shape,
            n_head=shape.n_head // ranks,
            n_query_groups=max(shape.n_query_groups // ranks, 1),
            intermediate_size=shape.intermediate_size // ranks,
            n_layer=shape.n_layer // stages,
        )
        self.prompt, self.tokens = prompt_tokens, prompt_tokens + new_tokens
        self.dtype, self.packed, self.words = _DTYPES[precision], packed, {}
        # sequentially.py makes them outside of the context that sets the format.
        self.cached_in = torch.float32 if stages > 1 else self.dtype

    def prepare(self, rec, place):
        """Make the model and its caches."""
        self.place = place
        with rec.phase("model_init"), torch.no_grad():
            self.model = made(self.shape, self.tokens, self.dtype, self.packed, place).eval()
            self.model.make_cache(self.cached_in, place)

    def turn(self, rec, _turn):
        """The prompt, then one token: every later one takes the same."""
        with torch.no_grad():
            with rec.phase("prefill", pass_="first"):
                self.token(torch.arange(self.prompt, device=self.place))
            with rec.phase("decode", pass_="first"):
                self.token(torch.zeros(1, dtype=torch.int64, device=self.place))

    def token(self, positions):
        """One pass, and a token out of the fifty most likely."""
        ids = torch.ones(1, positions.shape[0], dtype=torch.int64, device=self.place)
        logits = self.model(ids, positions).float()[0, -1]
        values, places = torch.topk(logits, 50)
        kept = torch.full_like(logits, float("-inf")).scatter_(-1, places, values)
        return torch.multinomial(torch.softmax(kept / 0.8, dim=-1), num_samples=1)


def finetune(**arguments):
    """The loop of programs.litgpt_finetune."""
    return Finetune(**arguments)


def generate(**arguments):
    """The loop of programs.litgpt_generate."""
    return Generate(**arguments)
