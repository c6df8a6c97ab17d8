"""A small dense network on synthetic inputs, to show the method and to vary one dimension (F3).

Its `context` is the length of a tensor: there is no window of a language model and no KV cache. It
says nothing about the capacity that any other model needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.measure.protocol.recorder import Recorder
from fiche.measure.protocol.turns import Turn

DTYPES = ("float32", "float16", "bfloat16")
DIMENSIONS = {"batch": 2, "context": 128, "width": 1024}
_FORMAT_WORDS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
_CONTEXT = "length of a synthetic tensor, not the window of a language model"


class DenseNetwork:
    """Two linear layers with a GELU between them: width, four times the width, width."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        unknown = sorted(set(options) - {*DIMENSIONS, "dtype", "seed"})
        if unknown:
            raise ValueError(f"the dense network has no option {', '.join(unknown)}")
        self.declared: dict[str, Any] = {
            name: _positive(name, options.get(name, usual)) for name, usual in DIMENSIONS.items()
        }
        self._dtype = options.get("dtype", "float32")
        if self._dtype not in DTYPES:
            raise ValueError(f"dtype {self._dtype!r} is none of {', '.join(DTYPES)}")
        self._seed = int(options.get("seed", 0))
        self._network: Any = None
        self._inputs: Any = None

    @property
    def words(self) -> dict[str, Any]:
        """The `workload` of its records: a model of its own, which no fiche's model is."""
        import torch

        word = _FORMAT_WORDS[self._dtype]
        return {
            "model": {"name": "fiche-dense-network", "revision": "1"},
            "operation": "forward",
            "engine": {"name": "torch", "version": torch.__version__},
            "formats": {"storage": word, "loaded": word, "compute": word},
            "placement": {"devices": 1, "resident": "all"},
            "weights": "random",
            "inputs": {"name": "synthetic", "context": _CONTEXT},
        }

    def prepare(self, rec: Recorder, place: str) -> None:
        """Phases model_load and inputs."""
        import torch

        dtype = getattr(torch, self._dtype)
        width = self.declared["width"]
        torch.manual_seed(self._seed)
        with rec.phase("model_load", **self.declared) as phase, torch.no_grad():
            self._network = torch.nn.Sequential(
                torch.nn.Linear(width, 4 * width, device=place, dtype=dtype),
                torch.nn.GELU(),
                torch.nn.Linear(4 * width, width, device=place, dtype=dtype),
            ).eval()
            phase.saw(parameters=dict(self._network.named_parameters()))
            phase.executed(width=int(self._network[0].weight.shape[1]))
        with rec.phase("inputs", **self.declared) as phase:
            batch, context = self.declared["batch"], self.declared["context"]
            self._inputs = torch.randn(batch, context, width, device=place, dtype=dtype)
            phase.saw(inputs=self._inputs)
            phase.executed(**_dimensions(self._inputs))

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """One forward: cold_forward, then warm-ups, then warm_forward (C7)."""
        import torch

        name = {"first": "cold_forward", "warmup": "warmup", "repeat": "warm_forward"}[turn.kind]
        passed = "first" if turn.kind == "first" else "later"
        phase = rec.phase(name, pass_=passed, check=self._finite_and_shaped, **self.declared)
        with phase, torch.no_grad():
            output = self._network(self._inputs)
            phase.saw(output=output)
            phase.executed(**_dimensions(self._inputs))
            phase.result(output)

    def _finite_and_shaped(self, output: Any) -> bool:
        return tuple(output.shape) == tuple(self._inputs.shape) and bool(output.isfinite().all())


def _dimensions(inputs: Any) -> dict[str, int]:
    batch, context, width = (int(length) for length in inputs.shape)
    return {"batch": batch, "context": context, "width": width}


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} is a whole number from 1, not {value!r}")
    return value
