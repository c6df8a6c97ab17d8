"""The export of a model: written as the library saves it, measured, counted and removed again (D7)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder


def exported(rec: Recorder, model: Any) -> None:
    """`save_pretrained` into a temporary folder: the whole model, or its adapters alone.

    The number of bytes written stands in the check of the output; the folder is gone afterwards.
    """
    with (
        tempfile.TemporaryDirectory(prefix="fiche-export-") as folder,
        rec.phase("export", pass_="first") as phase,
    ):
        model.save_pretrained(folder, **_settings(model))
        files = [each for each in Path(folder).rglob("*") if each.is_file()]
        num_bytes = sum(each.stat().st_size for each in files)
        written = any(each.suffix == ".safetensors" for each in files)
        text = f"{num_bytes} bytes in {len(files)} files by save_pretrained, removed afterwards"
        phase.output(written, text)


def _settings(model: Any) -> dict[str, Any]:
    """Peft would ask a hub whether embeddings changed: they did not, unless they are learned."""
    adapters = getattr(model, "peft_config", None)
    return {} if adapters is None else {"save_embedding_layers": False}
