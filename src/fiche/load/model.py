"""The model's own files that a fiche names: its configuration, and its tensors as headers list them (A1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.config import Config
from fiche.kernel.decision import Input
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.model import Model
from fiche.load.described import model_from
from fiche.load.fault import Faults
from fiche.load.folder import Folder, UnreadableError
from fiche.load.node import Mapping, Scalar

Read = TypeVar("Read")

# A listing of the tensors of the largest models takes a few hundred kB: a file this long is no listing.
CONFIG_LIMIT = 8 * 2**20
TENSORS_LIMIT = 64 * 2**20


class ModelFiles(NamedTuple):
    """What the named files say (None where none is named), and their bytes by name."""

    model: Model | None
    contents: dict[str, bytes]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """One entry a file, for whoever compiles the same again (E4)."""
        return tuple(
            Input(
                file=name,
                role="model",
                num_bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                media_type="application/json",
            )
            for name, content in self.contents.items()
        )


def model_files(fiche: Mapping, folder: Folder, faults: Faults) -> ModelFiles:
    """Read the configuration and the tensors of the model, noting what is wrong with either."""
    told = fiche.mapping("workload").mapping("model")
    found = ModelFiles(None, {})
    if "config" not in told and "tensors" not in told:
        return found
    config = _read(told, "config", CONFIG_LIMIT, _config, found, folder, faults)
    checkpoint = _read(told, "tensors", TENSORS_LIMIT, _tensors, found, folder, faults)
    return found._replace(model=model_from(config, checkpoint))


def _read(
    told: Mapping,
    key: str,
    limit: int,
    reader: Callable[[bytes, str], Read],
    found: ModelFiles,
    folder: Folder,
    faults: Faults,
) -> Read | None:
    if key not in told:
        return None
    name = told.scalar(key)
    try:
        content = folder.read(name.text, limit)
        found.contents[name.text] = content
        return reader(content, name.text)
    except UnreadableError as problem:
        faults.add(problem.code, problem.message, name.span, problem.hint)
    except Refused as refused:
        for each in refused.diagnostics:
            _told_at(name, each, faults)
    return None


def _config(content: bytes, name: str) -> Config:
    from fiche.checkpoints import class_defaults, read_config

    classes, source = class_defaults()
    return read_config(content, name, classes, source)


def _tensors(content: bytes, name: str) -> Checkpoint:
    from fiche.checkpoints import read_tensors

    return read_tensors(content, name)


def _told_at(name: Scalar, found: Diagnostic, faults: Faults) -> None:
    """A complaint about a file, at the place where the fiche names it."""
    where = f" ({found.address})" if found.address is not None else ""
    faults.add(found.code, f"{name.text}: {found.message}{where}", name.span, found.hint)
