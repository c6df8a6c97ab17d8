"""What the configuration inside an optimum-benchmark file states: model, engine, versions, devices.

`environment.gpu_vram_mb` is the sum over all GPUs of the machine, in bytes: a specification under a name that
says otherwise, and no measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from fiche.importers._evaluations import state_format, state_model, state_revision
from fiche.importers._json import Path, whole
from fiche.importers._results import Board, fact_at, members_of, word
from fiche.kernel.lazy import lazy
from fiche.kernel.said import tell

Place = Callable[[Path], Path]

# The program's names of its backends, where the fiche has another word.
_ENGINES = {"llama_cpp": "llama.cpp"}
# Backends whose version is that of the engine itself.
_VERSIONED = frozenset({"vllm", "onnxruntime", "openvino", "tensorrt-llm", "ipex"})
_GENERATION = frozenset({"text-generation", "text2text-generation", "image-text-to-text"})
_AMD = lazy(r"(?i)\bAMD\b|Advanced Micro Devices|Instinct|Radeon")
_MAX_WORDS = 60


class Config:
    """The configuration of one benchmark; `place` gives the path of a member in the file."""

    def __init__(self, told: Mapping[str, Any], root: Path, place: Place) -> None:
        """`told` is empty where the file is a report alone."""
        self._root, self._place = root, place
        self.backend = members_of(told.get("backend"))
        self.scenario = members_of(told.get("scenario"))
        self.launcher = members_of(told.get("launcher"))
        self.environment = members_of(told.get("environment"))
        gpus = self.environment.get("gpu")
        self.gpus = [word(name) for name in gpus if word(name)] if isinstance(gpus, list) else []

    @property
    def maker(self) -> str | None:
        """`cuda` or `rocm` where a version or a card's name tells; None else."""
        version = word(self.backend.get("version"))
        if "rocm" in version or any(map(_AMD.search, self.gpus)):
            return "rocm"
        return "cuda" if "+cu" in version or any("NVIDIA" in name for name in self.gpus) else None

    @property
    def devices(self) -> list[str]:
        """The device ids that were asked for, as written; none where the file does not say."""
        told = self.backend.get("device_ids")
        text = str(told) if isinstance(told, str | int) and not isinstance(told, bool) else ""
        return [part.strip() for part in text.split(",") if part.strip()]

    @property
    def several_processes(self) -> bool:
        """True where figures of several processes were put together."""
        return word(self.launcher.get("name")) == "torchrun"

    def state(self, board: Board) -> None:
        """Note every scope fact, and what is no evidence."""
        if not self.backend and not self.environment:
            return
        self._engine(board)
        self._model(board)
        self._machine(board)
        self._protocol(board)
        self._plans(board)

    def _at(self, *path: str) -> Path:
        return self._place((*self._root, *path))

    def _say(
        self, board: Board, path: tuple[str, ...], printed: str, fact: str, value: str
    ) -> None:
        """Note a fact that the fiche calls by another word than the file."""
        fact_at(board.sheet, board.at(self._at(*path), printed), fact, value)

    def _backend(self, board: Board, key: str, fact: str) -> None:
        board.state(self._at("backend", key), self.backend.get(key), fact)

    def _engine(self, board: Board) -> None:
        name, library = word(self.backend.get("name")), word(self.backend.get("library"))
        if name == "pytorch":
            self._say(board, ("backend", "name"), name, "framework.name", "torch")
            self._backend(board, "version", "framework.version")
            board.state(self._at("backend", "library"), library, "engine.name")
            key = f"{library}_version"
            board.state(self._at("environment", key), self.environment.get(key), "engine.version")
        elif name:
            self._say(board, ("backend", "name"), name, "engine.name", _ENGINES.get(name, name))
            if name in _VERSIONED:
                self._backend(board, "version", "engine.version")
        for key, value in members_of(self.backend.get("engine_args")).items():
            path = self._at("backend", "engine_args", key)
            if key == "dtype":
                state_format(board, path, value)
            elif not isinstance(value, dict | list):
                board.state(path, value, f"engine.settings.{key[:_MAX_WORDS]}")
        self._backend(board, "cache_implementation", "engine.settings.cache_implementation")

    def _model(self, board: Board) -> None:
        state_model(board, self._at("backend", "model"), self.backend.get("model"))
        for group in ("model_kwargs", "engine_args"):
            told = members_of(self.backend.get(group)).get("revision")
            state_revision(board, self._at("backend", group, "revision"), told)
        quantised = members_of(self.backend.get("quantization_config"))
        if not quantised and not self.backend.get("autocast_enabled"):
            for key in ("torch_dtype", "dtype"):
                state_format(board, self._at("backend", key), self.backend.get(key))
        self._backend(board, "attn_implementation", "attention")
        scenario = word(self.scenario.get("name"))
        operation = ""
        if scenario == "training":
            operation = "adaptation" if self.backend.get("peft_type") else "training"
        elif word(self.backend.get("task")) in _GENERATION:
            operation = "generation"
        self._say(board, ("scenario", "name"), scenario, "operation", operation)

    def _machine(self, board: Board) -> None:
        for key, fact in (("python_version", "python"), ("platform", "os")):
            board.state(self._at("environment", key), self.environment.get(key), fact)
        at = self._at("environment", "gpu")
        named = [name for name in self.gpus if not name.startswith("Advanced Micro")]
        for index, name in enumerate(named[:64]):
            board.state(at, name, f"devices.{index}.name")
        if len(set(named)) == 1:
            board.state(at, named[0], "device")
        if word(self.backend.get("device")) == "cuda":
            fact = {"cuda": "cuda", "rocm": "hip"}.get(self.maker or "", "")
            self._say(board, ("backend", "device"), "cuda", "backend", fact)
            if self.devices:
                ids, count = ",".join(self.devices), str(len(self.devices))
                self._say(board, ("backend", "device_ids"), ids, "placement.devices", count)

    def _protocol(self, board: Board) -> None:
        version = word(self.environment.get("optimum_benchmark_version"))
        path = ("environment", "optimum_benchmark_version")
        self._say(board, path, version, "tool.name", "optimum-benchmark" if version else "")
        self._say(board, path, version, "tool.version", version)
        self._backend(board, "seed", "seed")
        for key, fact in (("warmup_runs", "warmups"), ("iterations", "iterations")):
            board.state(self._at("scenario", key), self.scenario.get(key), fact)
        for key in ("input_shapes", "dataset_shapes", "generate_kwargs", "training_arguments"):
            told = plain(members_of(self.scenario.get(key)))
            if told:
                board.sheet.further[key] = told

    def _plans(self, board: Board) -> None:
        vram = whole(self.environment.get("gpu_vram_mb"))
        if vram is not None:
            at = board.at(self._at("environment", "gpu_vram_mb"), vram)
            reason = tell(
                "the memory of all GPUs of the machine together, in bytes in spite of its name: a "
                "specification"
            )
            board.sheet.plan(at, f"gpu_vram_mb {vram}", reason)


def plain(told: Mapping[str, Any]) -> dict[str, object]:
    """The plain members of an object, ready for JSON."""
    return {
        str(key)[:_MAX_WORDS]: str(value) if isinstance(value, Decimal) else value
        for key, value in list(told.items())[:_MAX_WORDS]
        if isinstance(value, str | int | Decimal)
    }
