"""What evaluation harnesses say of the model that they ran, in the words of a fiche."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fiche.importers._json import Path
from fiche.importers._results import Board, fact_at, word
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.said import tell

# Names of a model's class in the harness, and the engine of a fiche that it is.
ENGINES = {
    "hf": "transformers",
    "hf-auto": "transformers",
    "hf-causal": "transformers",
    "hf-causal-experimental": "transformers",
    "hf-seq2seq": "transformers",
    "hf-multimodal": "transformers",
    "huggingface": "transformers",
    "gpt2": "transformers",
    "vllm": "vllm",
    "vllm-vlm": "vllm",
    "sglang": "sglang",
}
# Classes that ask a server: which program answers, the harness does not know.
_SERVED = lazy(r"(?:local|openai|anthropic|tgi|inference|litellm|sglang-generate|gguf|ggml)\b.*")
_FORMATS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
}
_HUB_NAME = lazy(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?")
# A branch or a tag moves; only a commit names a revision for good.
_COMMIT = lazy(r"[0-9a-f]{7,64}")
_NOT_A_NAME = lazy(r"(?:[./~\\]|[A-Za-z]:[\\/])")


def state_model(board: Board, path: Path, name: object) -> None:
    """The model by its published name; a path on somebody's disk names no model."""
    told = word(name)
    if not told:
        return
    if _HUB_NAME.fullmatch(told) and not _NOT_A_NAME.match(told):
        board.state(path, told, "model.name")
        return
    board.state(path, told, "model.path")
    board.sheet.warn(
        tell(
            "model_is_a_path: the file names the model by a place on a disk ({told}): which "
            "model and revision lay there it does not say",
            told=told[:80],
        )
    )


def state_revision(board: Board, path: Path, revision: object, what: str = "revision") -> None:
    """The revision, where it is a commit; a branch may have moved since."""
    told = word(revision)
    if not told:
        return
    if _COMMIT.fullmatch(told):
        board.state(path, told, "model.revision")
    else:
        board.sheet.warn(
            tell(
                "revision_moves: the {what} is '{told}', a name that may move",
                what=what,
                told=told[:60],
            )
        )


def state_format(board: Board, path: Path, dtype: object) -> None:
    """The format of computing: what the loaded model's floating-point parameters have."""
    told = word(dtype).removeprefix("torch.")
    if told in _FORMATS:
        board.state(path, _FORMATS[told], "formats.compute")


def state_engine(board: Board, path: Path, kind: object) -> str:
    """The engine behind a harness's name of a model class, empty where it does not tell."""
    told = word(kind).casefold()
    engine = ENGINES.get(told, "")
    if engine:
        board.state(path, engine, "engine.name")
    elif _SERVED.fullmatch(told):
        board.sheet.warn(
            tell(
                "engine_not_told: the answers came from a server ('{told}'): which program, version "
                "and format answered, the file does not say",
                told=told[:60],
            )
        )
    return engine


def arguments(told: object) -> dict[str, Any]:
    """Model arguments, also where they are written as `a=b,c=d`."""
    if isinstance(told, dict):
        return {str(key): value for key, value in told.items()}
    pairs = (part.partition("=") for part in word(told)[:20_000].split(","))
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip()}


_ENVIRONMENT: Mapping[str, re.Pattern[str]] = {
    "framework.version": lazy(r"^PyTorch version: (\S{1,80})", re.MULTILINE),
    "driver": lazy(r"^Nvidia driver version: (\S{1,80})", re.MULTILINE),
    "runtime": lazy(r"^(?:CUDA|HIP) runtime version: (\S{1,80})", re.MULTILINE),
    "python": lazy(r"^Python version: (\d\S{0,40})", re.MULTILINE),
    "os": lazy(r"^OS: (.{1,120})$", re.MULTILINE),
}
_DEVICE = lazy(r"^(?:GPU models and configuration: )?GPU (\d{1,3}): (.{1,120})$", re.MULTILINE)
_UNTOLD = ("N/A", "Could", "No")


def state_environment(board: Board, path: Path, text: object) -> None:
    """What torch's environment report prints: torch, driver, runtime, Python, system, devices."""
    told = word(text)[:200_000]
    at = board.at(path, "torch's environment report")
    for name, pattern in _ENVIRONMENT.items():
        match = pattern.search(told)
        if match and not match[1].startswith(_UNTOLD):
            _state_text(board, at, name, match)
    devices = list(_DEVICE.finditer(told))[:64]
    for match in devices:
        fact_at(board.sheet, at, f"devices.{match[1]}.name", match[2].strip())
    if devices and len({match[2].strip() for match in devices}) == 1:
        fact_at(board.sheet, at, "device", devices[0][2].strip())


def _state_text(board: Board, at: Pointer, name: str, match: re.Match[str]) -> None:
    fact_at(board.sheet, at, name, match[1].strip())
