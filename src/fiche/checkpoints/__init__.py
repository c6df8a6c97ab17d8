"""Model files as their headers describe them: bytes in, tensors and configurations out, never a weight.

Names are imported when they are first used: a fiche that names a configuration needs no reader of GGUF.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiche.checkpoints._assembled import assembled
    from fiche.checkpoints._class_defaults import class_defaults
    from fiche.checkpoints._tensors import Shard, Tensor
    from fiche.checkpoints.config import read_config
    from fiche.checkpoints.gguf import tensors_of_gguf
    from fiche.checkpoints.index import Index, read_index
    from fiche.checkpoints.pytorch_bin import tensors_of_pytorch_bin
    from fiche.checkpoints.read import read_checkpoint
    from fiche.checkpoints.safetensors import tensors_of_safetensors
    from fiche.checkpoints.saved import read_tensors, write_tensors
    from fiche.checkpoints.source import FileSource, Source

_HOMES = {
    "FileSource": "source",
    "Index": "index",
    "Shard": "_tensors",
    "Source": "source",
    "Tensor": "_tensors",
    "assembled": "_assembled",
    "class_defaults": "_class_defaults",
    "read_checkpoint": "read",
    "read_config": "config",
    "read_index": "index",
    "read_tensors": "saved",
    "tensors_of_gguf": "gguf",
    "tensors_of_pytorch_bin": "pytorch_bin",
    "tensors_of_safetensors": "safetensors",
    "write_tensors": "saved",
}

__all__ = [
    "FileSource",
    "Index",
    "Shard",
    "Source",
    "Tensor",
    "assembled",
    "class_defaults",
    "read_checkpoint",
    "read_config",
    "read_index",
    "read_tensors",
    "tensors_of_gguf",
    "tensors_of_pytorch_bin",
    "tensors_of_safetensors",
    "write_tensors",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
