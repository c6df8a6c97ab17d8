"""The small dense network on synthetic inputs (F3): it shows the method, and nothing of any other model."""

from __future__ import annotations

from fiche.measure.protocol.dense import DIMENSIONS, DenseNetwork
from fiche.measure.workloads._ready import ReadyWorkload

MEMBER = ReadyWorkload(
    name="dense",
    title="a small dense network with synthetic inputs",
    options={**dict.fromkeys(DIMENSIONS, int), "dtype": str, "seed": int},
    build=DenseNetwork,
)
