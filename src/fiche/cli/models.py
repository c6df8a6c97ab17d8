"""What `fiche model` reads and writes: a model's files, here or on a hub, and those that a fiche names."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fiche.cli.output import exists, write_folder
from fiche.cli.usage import together
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.config import Config
from fiche.kernel.diagnostic import Refused
from fiche.kernel.model import Model
from fiche.kernel.record import record

CONFIG, TENSORS = "config.json", "tensors.json"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
# A commit that YAML would take for a number is put between quotes.
_NUMBER = re.compile(r"[0-9]+([eE.][0-9]*)?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@record(eq=False)
class Described:
    """A model as its files describe it.

    `source` is where they lie, as it was typed or as `org/model@commit`; `name` and `revision` are what a
    fiche would say (the revision empty where no file tells it). `config` are the bytes of `config.json` as
    received, None without one.
    """

    source: str
    name: str
    revision: str
    model: Model
    config: bytes | None = None
    notes: tuple[str, ...] = ()


def described(source: str, save: Path | None = None, *, force: bool = False) -> Described:
    """The model that a path or a name on a hub stands for; `save` is a folder to be written later.

    Raises:
        Refused: F610 that folder exists and `force` is False, F702 `force` without it, F801 to F829 by
            what a file holds, F830 to F845 by what a hub answers, F831 it is neither.
    """
    if save is None and force:
        raise Refused([together("--force goes with --save", "say where to write")])
    if save is not None and not force and _there(save):
        raise Refused([exists(save)])  # before anything is asked of a hub
    path = Path(source)
    return _here(path, source) if _there(path) else _on_hub(source)


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long for a file, or with a NUL in it
        return False


def _on_hub(source: str) -> Described:
    from fiche.hub import hub_name, received

    found = received(hub_name(source))
    config = None if found.config is None else _config(found.config)
    return Described(
        source=f"{found.name.model}@{found.commit}",
        name=found.name.model,
        revision=found.commit,
        model=_model(config, found.checkpoint),
        config=found.config,
        notes=(*found.notes, *_code(config)),
    )


def _here(path: Path, source: str) -> Described:
    content, checkpoint, notes = _folder(path) if path.is_dir() else _file(path)
    config = None if content is None else _config(content)
    origin = checkpoint.source if checkpoint is not None else ""
    name, _, revision = origin.partition("@")
    return Described(
        source=source,
        name=name or _folder_of(path).name or "model",
        revision=revision if _COMMIT.fullmatch(revision) else "",
        model=_model(config, checkpoint),
        config=content,
        notes=(*notes, *_code(config)),
    )


def _folder_of(path: Path) -> Path:
    return (path if path.is_dir() else path.parent).resolve()


Found = tuple[bytes | None, Checkpoint | None, tuple[str, ...]]


def _folder(path: Path) -> Found:
    """A folder of a model, or one that `--save` wrote."""
    config = _content(path / CONFIG) if (path / CONFIG).is_file() else None
    if config is not None and _nothing_else(path):
        return config, None, (_NO_WEIGHTS,)
    from fiche.checkpoints import read_checkpoint

    if (path / TENSORS).is_file():
        return config, read_checkpoint(path / TENSORS), ()
    try:
        return config, read_checkpoint(path), ()
    except Refused as refused:
        nothing = [each.code for each in refused.diagnostics] == ["F808"]
        if config is None or not nothing:
            raise
    return config, None, (_NO_WEIGHTS,)


_NO_WEIGHTS = "no file of weights is there: counts are those of the configuration"
_WEIGHTS = (".safetensors", ".gguf", ".bin", ".index.json", TENSORS, ".pt", ".pth")


def _nothing_else(path: Path) -> bool:
    """True where no file beside the configuration could hold weights or list them."""
    return not any(each.name.endswith(_WEIGHTS) for each in path.iterdir())


def _file(path: Path) -> Found:
    from fiche.checkpoints import read_checkpoint

    if path.suffix == ".json" and _is_config(path):
        return _content(path), None, ()
    note = f"{CONFIG} beside it was not read: name the folder to have both"
    beside = path.name != CONFIG and (path.parent / CONFIG).is_file()
    return None, read_checkpoint(path), (note,) * beside


def _is_config(path: Path) -> bool:
    """True for a JSON text that lists no tensors: the start of it, for it may be long."""
    head = _content(path)
    return not any(word in head for word in (b'"weight_map"', b'"fiche_model"'))


def _content(path: Path) -> bytes:
    from fiche.checkpoints import FileSource
    from fiche.checkpoints.index import INDEX_LIMIT

    with FileSource(path) as source:
        return source.part(0, INDEX_LIMIT + 1)


def _config(content: bytes) -> Config:
    from fiche.checkpoints import class_defaults, read_config

    classes, source = class_defaults()
    return read_config(content, CONFIG, classes, source)


def _model(config: Config | None, checkpoint: Checkpoint | None) -> Model:
    from fiche.load.described import model_from

    found = model_from(config, checkpoint)
    if found is None:
        raise AssertionError("neither a configuration nor tensors were read")
    return found


def _code(config: Config | None) -> tuple[str, ...]:
    """A model may come with code of its own, which nothing here ever runs."""
    if config is None or not config.value("auto_map"):
        return ()
    return (
        "its configuration asks for code of its own (auto_map, trust_remote_code): that code was not "
        "run, and may build another class than the one described here",
    )


def saved(found: Described, folder: Path, *, force: bool) -> str:
    """Write what a fiche names of a model into a folder; returns the YAML lines that name it.

    Raises:
        Refused: F610 the folder exists and `force` is False, F611 it cannot be written.
    """
    files: dict[str, bytes] = {}
    if found.config is not None:
        files[CONFIG] = found.config
    if found.model.checkpoint is not None:
        from fiche.checkpoints import write_tensors

        files[TENSORS] = write_tensors(found.model.checkpoint)
    write_folder(folder, files, force=force)
    return _lines(found, folder, tuple(files))


def _lines(found: Described, folder: Path, files: tuple[str, ...]) -> str:
    told = {"name": found.name, "revision": found.revision}
    for key, file in (("config", CONFIG), ("tensors", TENSORS)):
        if file in files:
            told[key] = (folder / file).as_posix()
    return "  model:\n" + "".join(
        f"    {key}: {_scalar(text)}\n" for key, text in told.items() if text
    )


def _scalar(text: str) -> str:
    """A text as YAML 1.2 reads it back, plain where that is safe."""
    plain = _PLAIN.fullmatch(text) or (_COMMIT.fullmatch(text) and not _NUMBER.fullmatch(text))
    words = ("true", "false", "null")
    return text if plain and text.lower() not in words else json.dumps(text, ensure_ascii=False)
