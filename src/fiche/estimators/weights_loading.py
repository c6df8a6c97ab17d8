"""What loading needs beside the weights that stay: shards on their way, or values before they are packed.

A bound, with its rule: at least nothing (tensors may be read one by one), at most the largest file, or all
that is stored where the files are not known. Programs differ by version here: a run of the load settles
it (C7, D7). On the fly, bitsandbytes and others first put 16-bit values on the device (formula sheet 2.4).
"""

from __future__ import annotations

from fiche.kernel.address import Pointer
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, either, smaller
from fiche.kernel.origin import Declared
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_RULE = "one tensor, one file or all of them at a time: programs differ by version, and a run settles it"


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._weights import stored_of

    assert workload.model is not None
    stored = stored_of(workload, workload.model)
    if stored is None:
        return ()
    checkpoint = workload.model.checkpoint
    most: Figure = stored if checkpoint is None else _largest(checkpoint, stored)
    bound = either(stored * 0, most, _RULE)
    label = "transient of the load: stored values beside the weights that stay"
    return (bound.named("weights_loading", label),)


def _largest(checkpoint: Checkpoint, stored: Figure) -> Figure:
    if not checkpoint.files:
        return stored
    largest = max(checkpoint.files, key=lambda file: file.num_bytes)
    place = Pointer(sha256=largest.sha256, path=largest.name, text=str(largest.num_bytes))
    figure = Figure(
        low=largest.num_bytes,
        high=largest.num_bytes,
        unit=BYTE,
        origin=Declared(address=place, by=checkpoint.file, printed=str(largest.num_bytes)),
        id="weights_loading.largest_file",
        label=f"largest file: {largest.name}",
    )
    return smaller(stored, figure)


MEMBER = Estimator(
    name="weights_loading",
    title="Transient of the load",
    source="bound: the largest file, or all that is stored (formula sheet 2.4)",
    per_case=False,
    resident=False,
    applies=lambda workload: workload.model is not None,
    estimate=_estimate,
    phases=("model_load",),
    spread="parameters",
)
