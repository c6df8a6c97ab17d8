"""Optimizers by the name that a fiche or a program gives them, with the library that documents each.

A setting that the fiche leaves out has the optimizer's own default. States of torch's optimizers follow the
format of the parameter (`zeros_like`); those of bitsandbytes, Apex and Megatron are fp32 whatever it is.
"""

from __future__ import annotations

from fiche.estimators._optimizer_blocks import bitsandbytes, paged, torchao
from fiche.estimators._optimizer_rules import Rule, adafactor, adam, muon, plain, rmsprop, sgd
from fiche.estimators._reading import word
from fiche.kernel.record import record
from fiche.kernel.workload import Workload

_TORCH = "torch 2.13"
_BNB = "bitsandbytes 0.50"
_TORCHAO = "torchao 0.17"


@record
class Optimizer:
    """One way to update.

    `kept` gives the bytes of its states. `fixed` are the bits that it gives a value itself, 0 where they are
    those of the parameter. `packed` is True where a format of fewer than 16 bits is its own blocks.
    `scratch`: the states whose copy a step over all tensors at once (foreach) makes, None where none is known.
    """

    names: tuple[str, ...]
    source: str
    kept: Rule
    fixed: int = 0
    packed: bool = False
    scratch: int = 0
    fused: bool = False


def optimizer_of(workload: Workload) -> Optimizer | None:
    """The optimizer that the fiche names, None where it names none that is known here."""
    name = word(workload, "optimizer.name").lower().replace("-", "_").replace(" ", "_")
    return next((one for one in OPTIMIZERS if name in one.names), None)


OPTIMIZERS = (
    Optimizer(
        names=(
            "adamw",
            "adam",
            "adamw_torch",
            "adamw_hf",
            "torch_adamw",
            "adamax",
            "nadam",
            "radam",
        ),
        source=_TORCH,
        kept=adam,
        scratch=1,
    ),
    Optimizer(
        names=("adamw_torch_fused", "adamw_fused", "adam_fused"),
        source=_TORCH,
        kept=adam,
        fused=True,
    ),
    Optimizer(
        names=("adamw_apex_fused", "apex_fused_adam", "fusedadam", "fused_adam", "megatron_adam"),
        source="Apex and Transformer Engine: FusedAdam",
        kept=plain(2),
        fixed=32,
        fused=True,
    ),
    Optimizer(names=("sgd",), source=_TORCH, kept=sgd),
    Optimizer(names=("rmsprop",), source=_TORCH, kept=rmsprop),
    Optimizer(names=("adagrad",), source=_TORCH, kept=plain(1)),
    Optimizer(names=("adadelta",), source=_TORCH, kept=plain(2)),
    Optimizer(names=("lion", "lion_pytorch"), source="lion-pytorch 0.2", kept=plain(1)),
    Optimizer(names=("muon",), source=f"{_TORCH} (torch.optim.Muon)", kept=muon),
    Optimizer(
        names=("adafactor",), source="transformers 5.24 (fp32 factors)", kept=adafactor, fixed=32
    ),
    Optimizer(names=("torch_adafactor",), source=_TORCH, kept=adafactor),
    Optimizer(names=("schedule_free_adamw",), source="schedulefree 1.4", kept=plain(2)),
    Optimizer(
        names=("adamw_8bit", "adamw_bnb_8bit", "adam_8bit", "adamw8bit", "adam8bit"),
        source=_BNB,
        kept=bitsandbytes(2),
        packed=True,
    ),
    Optimizer(
        names=("paged_adamw_8bit", "paged_adam_8bit", "pagedadamw8bit"),
        source=_BNB,
        kept=paged(bitsandbytes(2)),
        packed=True,
    ),
    Optimizer(
        names=("paged_adamw", "paged_adamw_32bit", "pagedadamw32bit"),
        source=_BNB,
        kept=paged(plain(2)),
        fixed=32,
    ),
    Optimizer(names=("adamw_bnb", "adamw_32bit"), source=_BNB, kept=plain(2), fixed=32),
    Optimizer(names=("lion_32bit",), source=_BNB, kept=plain(1), fixed=32),
    Optimizer(names=("lion_8bit", "lion8bit"), source=_BNB, kept=bitsandbytes(1), packed=True),
    Optimizer(names=("paged_lion_32bit",), source=_BNB, kept=paged(plain(1)), fixed=32),
    Optimizer(names=("paged_lion_8bit",), source=_BNB, kept=paged(bitsandbytes(1)), packed=True),
    Optimizer(
        names=("rmsprop_bnb_8bit", "sgd_8bit", "adagrad_8bit"),
        source=_BNB,
        kept=bitsandbytes(1),
        packed=True,
    ),
    Optimizer(names=("rmsprop_bnb", "rmsprop_bnb_32bit"), source=_BNB, kept=plain(1), fixed=32),
    Optimizer(
        names=("adamw_torch_8bit", "ao_adamw_8bit", "torchao_adamw_8bit"),
        source=_TORCHAO,
        kept=torchao(8, 256, 256),
        packed=True,
    ),
    Optimizer(
        names=("adamw_torch_4bit", "ao_adamw_4bit", "torchao_adamw_4bit"),
        source=_TORCHAO,
        kept=torchao(4, 128, 16),
        packed=True,
    ),
    Optimizer(
        names=("ao_adamw_fp8", "torchao_adamw_fp8"),
        source=_TORCHAO,
        kept=torchao(8, 256, 0),
        packed=True,
    ),
)
