"""A model's configuration, read from a file of this machine: nothing is fetched, no foreign code runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiche.measure.workloads import _library

_LIMIT = 8 * 2**20


@dataclass(frozen=True)
class Configured:
    """A configuration of transformers with the file it comes from.

    `auto` is the library's own class of models for it, `folder` where its weights would lie, `digest` that of
    the file's bytes, as `sha256:` and 64 hexadecimal digits.
    """

    config: Any
    auto: Any
    seq2seq: bool
    folder: Path
    digest: str
    name: str

    @property
    def text(self) -> Any:
        """The part of it that describes the text model."""
        return self.config.get_text_config(decoder=True)


def configured(path: str) -> Configured:
    """Read a config.json, or the one in a folder.

    Raises:
        ValueError: it cannot be read, or the installed transformers has no such model; one sentence.
    """
    if not path:
        raise ValueError("model names the config.json of a model, or the folder that holds it")
    file = Path(path)
    file = file / "config.json" if file.is_dir() else file
    content = _content(file)
    told = _object(content, file)
    library = _library.transformers()
    config = _config(told, file, library)
    auto = _auto(config, file, library)
    folder = file.resolve().parent
    return Configured(
        config=config,
        auto=auto,
        seq2seq=bool(config.is_encoder_decoder),
        folder=folder,
        digest=f"sha256:{hashlib.sha256(content).hexdigest()}",
        name=folder.name or "model",
    )


def _content(file: Path) -> bytes:
    if (
        file.exists() and not file.is_file() and not file.is_dir()
    ):  # a pipe is waited for without an end
        raise ValueError(f"{file} is no file")
    try:
        with file.open("rb") as opened:
            content = opened.read(_LIMIT + 1)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    if len(content) > _LIMIT:
        raise ValueError(f"{file} is longer than any configuration of a model")
    return content


def _object(content: bytes, file: Path) -> dict[str, Any]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON: {_library.first_line(error)}") from None
    if not isinstance(told, dict):
        raise ValueError(f"{file} is no configuration of a model: it is not a JSON object")
    return told


def _config(told: dict[str, Any], file: Path, library: Any) -> Any:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = str(told.get("model_type", ""))
    if kind not in CONFIG_MAPPING:
        foreign = "; code that a model brings along is never run" if "auto_map" in told else ""
        raise ValueError(
            f"{file}: transformers {library.__version__}, as installed, has no model of type "
            f"{kind[:60]!r}{foreign}"
        )
    if told.get("quantization_config") or told.get("compression_config"):
        raise ValueError(
            f"{file} describes a quantised checkpoint, which random weights do not make"
        )
    kept = {key: value for key, value in told.items() if key != "auto_map"}
    try:
        return CONFIG_MAPPING[kind].from_dict(kept)
    except Exception as error:  # noqa: BLE001 - whatever its own checks raise
        text = (
            f"{file}: transformers {library.__version__} refuses it: {_library.first_line(error)}"
        )
        raise ValueError(text) from None


def _auto(config: Any, file: Path, library: Any) -> Any:
    """The class of models that continue text, with or without an encoder."""
    auto = library.AutoModelForCausalLM
    if config.is_encoder_decoder:
        auto = library.AutoModelForSeq2SeqLM
    if type(config) not in auto._model_mapping:
        raise ValueError(
            f"{file}: a {config.model_type} is neither a causal nor a text-to-text model of "
            f"transformers {library.__version__}: measure it with fiche.recorder in a program of your own"
        )
    return auto
