"""What loading needs beside the weights that stay: shards on their way, or values before they are packed.

A bound, with its rule: at least nothing. Where values are loaded as they are stored, transformers, vLLM, SGLang
and llama.cpp copy them tensor by tensor from host memory, and merge some: at most the largest tensor twice.
Where they are converted on the way, at most the largest file, or all that is stored where the files are
not known: bitsandbytes and others first put 16-bit values on the device (formula sheet 2.4). Programs differ
by version here: a run of the load settles it (C7, D7).
"""

from __future__ import annotations

from functools import reduce
from operator import mul

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.kernel.address import Pointer
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, ceil, either, larger, smaller
from fiche.kernel.model import Model
from fiche.kernel.origin import Declared
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_RULE = tell(
    "one tensor, one file or all of them at a time: programs differ by version, and a "
    "run settles it"
)
_ONE_BY_ONE = tell(
    "loaded as it is stored, tensor by tensor: at most the largest one, and the one it "
    "is merged into"
)
_WHOLE_FILE = tell(
    "a loader that puts a whole file on the device before it copies it (torch.load with "
    "map_location)"
)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._weights import stored_of

    assert workload.model is not None
    stored = stored_of(workload, workload.model)
    if stored is None:
        return ()
    checkpoint = workload.model.checkpoint
    most: Figure = stored if checkpoint is None else _largest(checkpoint, stored)
    label = tell("transient of the load: stored values beside the weights that stay")
    if not _as_stored(workload, workload.model):
        return (either(stored * 0, most, _RULE).named("weights_loading", label),)
    twice = smaller(most, ceil(2 * _largest_tensor(workload, workload.model)))
    bound = either(stored * 0, twice, _ONE_BY_ONE)
    return (bound.named("weights_loading", label, left_out=(_WHOLE_FILE,)),)


def _as_stored(workload: Workload, model: Model) -> bool:
    """True where no value changes its format on the way to the device."""
    from fiche.estimators._treatment import loaded, stored

    now = loaded(workload, model)
    return now.told == stored(workload, model).told and not now.because


def _largest_tensor(workload: Workload, model: Model) -> Node:
    """Bytes of the largest tensor: of the checkpoint, else of the class at the width of plain values."""
    from fiche.estimators._treatment import stored

    if model.checkpoint is not None and model.checkpoint.groups:
        group = max(model.checkpoint.groups, key=lambda each: each.num_bytes)
        return _read(model.checkpoint, group.num_bytes, f"weights_loading.{group.name}", group.name)
    bits = stored(workload, model).bits
    sizes = [reduce(mul, group.shape, bits / BITS_PER_BYTE) for group in model.parameters]
    return reduce(larger, sizes[1:], sizes[0])


def _largest(checkpoint: Checkpoint, stored: Figure) -> Figure:
    if not checkpoint.files:
        return stored
    largest = max(checkpoint.files, key=lambda file: file.num_bytes)
    name = "weights_loading.largest_file"
    return smaller(stored, _read(checkpoint, largest.num_bytes, name, largest.name))


def _read(checkpoint: Checkpoint, held: int, name: str, what: str) -> Figure:
    place = Pointer(sha256=checkpoint.sha256, path=what, text=str(held))
    origin = Declared(address=place, by=checkpoint.file, printed=str(held))
    return Figure(
        low=held,
        high=held,
        unit=BYTE,
        origin=origin,
        id=name,
        label=tell("largest: {what}", what=what),
    )


MEMBER = Estimator(
    name="weights_loading",
    title="Transient of the load",
    source="bound: the largest tensor, file, or all that is stored (formula sheet 2.4)",
    per_case=False,
    resident=False,
    applies=lambda workload: workload.model is not None,
    estimate=_estimate,
    phases=("model_load",),
    spread="parameters",
)
