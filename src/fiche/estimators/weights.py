"""Weights: what is stored, and what an engine's class holds of it (B2, B4, A1).

In this order: the tensors of a checkpoint (stored bytes exact, less what a class leaves out); else the groups
of parameters that config.json describes, each in the format of its module; else the stated count of values x
bits / 8: 7 000 000 000 x 16 bits = 14 000 000 000 bytes, which counts every parameter at the stated
width and leaves out scales and modules of another format, by name. Where `formats.loaded` differs from
`formats.storage`, the format really loaded counts. Sources: formula sheet 2.1 and 2.4; the layouts in
`fiche.estimators.quantisation`.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE, OTHER_MODULES, QUANTISATION_METADATA
from fiche.estimators._formats import named_bits, quantised, value_bits
from fiche.estimators._reading import stated, word
from fiche.estimators._split import following, split_of
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    if workload.model is not None:
        from fiche.estimators._weights import of_model

        found = of_model(workload, workload.model)
        if found is not None:
            return (found,)
    return (_on_device(workload, _of_count(workload)),)


def _of_count(workload: Workload) -> Node:
    parameters = stated(
        workload,
        "model.parameters",
        "parameters",
        tell("state model.parameters, the count of all values"),
    )
    bits = _bits(workload)
    left_out: tuple[str, ...] = (QUANTISATION_METADATA, OTHER_MODULES)
    if not quantised(_format(workload)):
        left_out = (OTHER_MODULES,)
    weights = ceil(parameters * bits / BITS_PER_BYTE)
    return weights.named("weights", _label(workload), left_out=left_out)


def _on_device(workload: Workload, weights: Node) -> Node:
    split = split_of(workload)
    if split is None:
        return weights
    from fiche.estimators._weights import on_device

    return on_device(following(weights, split, "weights"), weights)


def _format(workload: Workload) -> str:
    return word(workload, "formats.loaded") or word(workload, "formats.storage")


def _otherwise_loaded(workload: Workload) -> bool:
    loaded = word(workload, "formats.loaded")
    return bool(loaded) and loaded != word(workload, "formats.storage")


def _bits(workload: Workload) -> Node:
    if _otherwise_loaded(workload):
        return named_bits(workload, "loaded", "storage_format")
    return value_bits(workload, "storage", "storage_format")


def _label(workload: Workload) -> str:
    if not _otherwise_loaded(workload):
        return tell("weights")
    declared = word(workload, "formats.storage") or tell("no format")
    return tell(
        "weights, as really loaded: {format} ({declared} is declared)",
        format=_format(workload),
        declared=declared,
    )


MEMBER = Estimator(
    name="weights",
    title="Weights",
    source="tensors; parameters x their formats; a stated count x bits / 8 (MISSION B2, B4)",
    per_case=False,
    resident=True,
    applies=lambda workload: True,
    estimate=_estimate,
    spread="own",
)
