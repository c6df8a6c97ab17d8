"""Weights: parameters x bits of one value / 8 bits in a byte (B2, B4).

Values: 7 000 000 000 x 16 bits = 14 000 000 000 bytes. Counts every parameter at the stated width:
scales, zero points and modules kept in another format are left out, by name. Where `formats.loaded`
differs from `formats.storage`, the format really loaded counts (A1).
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE, OTHER_MODULES, QUANTISATION_METADATA
from fiche.estimators._formats import named_bits, quantised, value_bits
from fiche.estimators._reading import stated, word
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    parameters = stated(
        workload,
        "model.parameters",
        "parameters",
        "state model.parameters, the count of all values",
    )
    bits = _bits(workload)
    left_out: tuple[str, ...] = (QUANTISATION_METADATA, OTHER_MODULES)
    if not quantised(_format(workload)):
        left_out = (OTHER_MODULES,)
    weights = ceil(parameters * bits / BITS_PER_BYTE)
    return (weights.named("weights", _label(workload), left_out=left_out),)


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
        return "weights"
    declared = word(workload, "formats.storage") or "no format"
    return f"weights, as really loaded: {_format(workload)} ({declared} is declared)"


MEMBER = Estimator(
    name="weights",
    title="Weights",
    source="parameters x bits / 8 (MISSION B2)",
    per_case=False,
    resident=True,
    applies=lambda workload: True,
    estimate=_estimate,
)
