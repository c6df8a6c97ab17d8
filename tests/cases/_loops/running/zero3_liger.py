"""Steps of a causal model of transformers on one rank of DeepSpeed's ZeRO-3, with the kernels of Liger.

Sources: linkedin/Liger-Kernel, ops/rms_norm.py, ops/swiglu.py, ops/fused_linear_cross_entropy.py: a norm
keeps its input and one number a row; a gated product keeps its two factors and writes their gradients over
them; the loss goes through the head in pieces of rows, makes both gradients in the forward pass, and never
has all logits. How shards, buckets and gathered layers lie is `fiche.simulate.placement`'s.
"""

import json
import tempfile
from pathlib import Path

import torch


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight, torch.empty(x.shape[:-1], device=x.device))
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx, gradient):
        x, weight, _ = ctx.saved_tensors
        partial = torch.empty(132, x.shape[-1], device=x.device)
        return torch.empty_like(x), partial.sum(dim=0).to(weight.dtype)


class _Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return torch.empty_like(gate)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.saved_tensors


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, weight):
        rows = hidden.view(-1, hidden.shape[-1])
        count, width = rows.shape
        pieces = -(-weight.shape[0] // width)
        each = 1 << (-(-count // pieces) - 1).bit_length()
        given, learned = torch.zeros_like(rows), torch.zeros_like(weight)
        losses = torch.zeros(count, device=rows.device)
        for start in range(0, count, each):
            part = rows[start : start + each]
            logits = part @ weight.t()
            given[start : start + each] = logits @ weight
            learned += torch.mm(logits.t(), part)
            del logits
        ctx.save_for_backward(given.view_as(hidden), learned)
        return losses.sum()

    @staticmethod
    def backward(ctx, gradient):
        return ctx.saved_tensors


def lay_kernels(model):
    """Liger's kernels in the places that it patches."""
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = lambda x, its=module: _Norm.apply(x, its.weight)
        elif hasattr(module, "gate_proj") and hasattr(module, "down_proj"):
            module.forward = lambda x, its=module: its.down_proj(
                _Gated.apply(its.gate_proj(x), its.up_proj(x))
            )
    head = model.lm_head
    head.forward = lambda hidden: _Loss.apply(hidden, head.weight)
    return model


class _Kerneled:
    """A language model whose kernels are laid once it is made."""

    def __init__(self, language):
        self._language = language

    def __getattr__(self, name):
        return getattr(self._language, name)

    def made(self, place):
        return lay_kernels(self._language.made(place))


def steps(config, tokens, rows, devices, offload):
    """The loop of programs.deepspeed_liger."""
    from fiche.measure.workloads import training
    from fiche.simulate.placement.asked import Placement
    from fiche.simulate.placement.workload import placed

    with tempfile.TemporaryDirectory(prefix="fiche-case-") as folder:
        file = Path(folder) / "config.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        told = training.Training(
            {
                "model": str(file),
                "dtype": "bf16",
                "attention": "sdpa",
                "checkpointing": True,
                "microbatch": rows,
                "sequence_tokens": tokens,
            }
        )
    told.language = _Kerneled(told.language)
    words = {"devices": devices, "sharding": "zero3", "offload": offload}
    workload = placed(told, Placement.of(words))
    usual = workload.prepare

    def prepare(rec, place):
        usual(rec, place)
        # The head gives the loss itself.
        workload._steps.learner.__class__.loss = lambda _, loss, __: loss

    workload.prepare = prepare
    return workload
