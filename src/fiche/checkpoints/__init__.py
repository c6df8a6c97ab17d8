"""Model files as their headers describe them: bytes in, tensors and configurations out, never a weight."""

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
