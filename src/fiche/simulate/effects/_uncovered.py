"""What a simulated run does not count: named, with why, and with the bytes that are documented for it.

None of these is in the simulated peak. A bound is None where no source states one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.job import FUNCTION

_MIB = 2**20


@dataclass(frozen=True)
class Uncovered:
    """One of them; `applies` looks at the job and at the operators that ran."""

    name: str
    why: str
    source: str
    low_bytes: int | None = None
    high_bytes: int | None = None
    applies: Callable[[Any, frozenset[str]], bool] = lambda job, operators: True

    def document(self) -> dict[str, Any]:
        """The row in the document."""
        return {
            "name": self.name,
            "why": str(self.why),
            "low_bytes": self.low_bytes,
            "high_bytes": self.high_bytes,
            "source": str(self.source),
        }


def uncovered(job: Any, simulation: Any) -> Iterator[dict[str, Any]]:
    """The rows that apply to a run, in order: by operators that took memory, and by effects."""
    applied = (each["name"] for each in getattr(simulation, "effects", ()))
    ran = frozenset((*applied, *(each.operator for each in simulation.entries.origins)))
    for row in ROWS:
        if row.applies(job, ran):
            yield row.document()


def _ran(*words: str) -> Callable[[Any, frozenset[str]], bool]:
    return lambda job, operators: any(word in each for each in operators for word in words)


def _several(job: Any, operators: frozenset[str]) -> bool:
    """True where several processes exchange tensors; layers over devices in one process copy without NCCL."""
    laid_out = dict(getattr(job, "placement", None) or {})
    parts = int(laid_out.get("pipeline_parallel") or 1)
    others = {k: v for k, v in laid_out.items() if k not in ("rank", "pipeline_parallel")}
    if parts > 1 and others.get("devices") == parts:
        others.pop("devices")
    return any(isinstance(v, int) and v > 1 for v in others.values()) or "sharding" in others


def _own_program(job: Any, operators: frozenset[str]) -> bool:
    """A ready workload compiles and captures nothing, and its record says so."""
    return getattr(job, "workload", FUNCTION) == FUNCTION


def _foreign(job: Any, operators: frozenset[str]) -> bool:
    """An operator that is not PyTorch's own took memory: `package.operator.overload`."""
    parts = (each.split(".") for each in operators)
    return any(len(each) == 3 and each[0] not in _OF_PYTORCH for each in parts)


_OF_PYTORCH = ("aten", "prim", "prims", "_c10d_functional", "c10d", "quantized")
ROWS = (
    Uncovered(
        "cuda_context",
        tell(
            "the context of CUDA, and the code of kernels, which is loaded at their first use, lie outside the "
            "allocator; they hang on driver, build and card"
        ),
        tell(
            "loads printed by others: fitcheck-llm 0.3.1 (T4, 140.9 MiB); "
            "github.com/pytorch/pytorch/issues/28113 (200 to 700 MB), issues/107667 (about 300 MB since CUDA "
            "11.7)"
        ),
        low_bytes=147_744_358,
        high_bytes=700 * _MIB,
    ),
    Uncovered(
        "cudnn_workspace",
        tell(
            "a convolution of cuDNN takes a workspace that the library chooses for the card and the shape"
        ),
        "PyTorch aten/src/ATen/native/cudnn/Conv_v8.cpp",
        low_bytes=0,
        applies=_ran("convolution"),
    ),
    Uncovered(
        "cudnn_attention_workspace",
        tell(
            "attention by cuDNN takes a workspace that the library chooses for the card and the shape"
        ),
        "PyTorch aten/src/ATen/native/cudnn/MHA.cpp: run_cudnn_SDP_fprop, run_cudnn_SDP_bprop",
        low_bytes=0,
        applies=_ran("cudnn_attention"),
    ),
    Uncovered(
        "cudnn_recurrent",
        tell(
            "a recurrent layer ran step by step: cuDNN runs all steps in one call, keeps a reserve of its own "
            "for the backward pass in place of what the steps keep, and takes a workspace"
        ),
        "PyTorch aten/src/ATen/native/cudnn/RNN.cpp",
        low_bytes=0,
        applies=_ran("recurrent_layers"),
    ),
    Uncovered(
        "sorting",
        tell(
            "sorts, largest values, running sums and sums at indices take temporary memory of cub: lists about "
            "as long as what is sorted, twice"
        ),
        tell("PyTorch 2.13 include/ATen/cuda/cub.cuh: CUB_WRAPPER asks the library for the amount"),
        low_bytes=0,
        applies=_ran(
            "aten.sort",
            "aten.topk",
            "aten.cumsum",
            "aten.multinomial",
            "aten.unique",
            "aten.nonzero",
            "aten.index_put",
            "embedding_dense_backward",
        ),
    ),
    Uncovered(
        "nccl_buffers",
        tell(
            "NCCL takes buffers for each channel and peer, outside the allocator: 4 MiB each unless "
            "NCCL_BUFFSIZE says another, and how many hangs on how the devices are linked"
        ),
        tell("NVIDIA NCCL documentation, environment variables: NCCL_BUFFSIZE"),
        low_bytes=4 * _MIB,
        applies=_several,
    ),
    Uncovered(
        "cuda_graphs",
        tell(
            "the program ran operator by operator: a captured graph keeps a pool of its own, closed to others"
        ),
        tell("PyTorch documentation, CUDA semantics: graph memory management"),
        applies=_own_program,
    ),
    Uncovered(
        "compiled_code",
        tell(
            "the program ran operator by operator: torch.compile joins operators, and keeps other tensors for "
            "the backward pass"
        ),
        tell("PyTorch documentation, torch.compiler"),
        applies=_own_program,
    ),
    Uncovered(
        "library_kernels",
        tell(
            "kernels of other packages (Triton, FlashAttention, Liger, kernels of the hub) take what they "
            "take; where the program called one, its fake implementation was asked for its results only"
        ),
        tell(
            "PyTorch documentation, torch.library: fake implementations say shapes, not workspaces"
        ),
        applies=_foreign,
    ),
)
