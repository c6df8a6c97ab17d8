"""Which files of a folder are the model: one set of weights, never two copies of it (E4).

`transformers` takes `model.safetensors` before its index, both before `pytorch_model.bin`, and leaves
`consolidated*` (the maker's own form) and adapters alone. Where more than one set is left, nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fiche.checkpoints._refusal import refused, short, some
from fiche.kernel.record import record

INDEX = ".index.json"
_PART = re.compile(r"(?P<base>.+)-(?P<number>[0-9]{1,6})-of-(?P<count>[0-9]{1,6})(?P<end>\.[a-z]+)")
_MAX_PARTS = 10_000
_WEIGHTS = (".safetensors", ".gguf", ".bin", ".pth", ".pt")
# What a trainer saves beside a model.
_NO_MODEL = re.compile(
    r"(training_args|optimizer|scheduler|scaler|trainer_state|rng_state|random_states|tokenizer)"
)
# The maker's own form, adapters, projectors of images and statistics for quantisation.
_ASIDE = re.compile(r"consolidated|adapter_|.*(mmproj|imatrix)", re.IGNORECASE)
_MAIN = {".safetensors": "model.safetensors", ".bin": "pytorch_model.bin"}


@record(kw_only=False)
class Choice:
    """An index, or files that together are one model; `left_out` are other files of weights."""

    index: str
    files: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name that somebody would type to have this set."""
        return self.index or self.files[0]


def is_weights(name: str) -> bool:
    """True for a file that may hold weights of a model, by its name."""
    return name.endswith(_WEIGHTS) and not _NO_MODEL.match(name)


def siblings(name: str, names: Iterable[str], where: str) -> tuple[str, ...]:
    """All parts of a file that says that it is one of several (`-00001-of-00003`), in order.

    Raises:
        Refused: F810 some of them are missing.
    """
    parts = _parts(name)
    missing = sorted(set(parts) - set(names))
    if missing:
        raise absent(where, name, missing, len(parts))
    return parts


def absent(where: str, name: str, missing: Sequence[str], count: int, told: str = "") -> Exception:
    """The refusal of a model of which some files are missing: its bytes cannot be known."""
    message = f"{len(missing)} of its {count} files are missing: {some(list(missing))}{told}"
    hint = "copy the missing files beside it; a part of a model would be counted as the whole"
    return refused("F810", f"{where}/{name}" if where else name, message, hint)


def _parts(name: str) -> tuple[str, ...]:
    found = _PART.fullmatch(name)
    count = int(found["count"]) if found else 0
    if found is None or not 1 <= int(found["number"]) <= count <= _MAX_PARTS:
        return (name,)
    width, end = len(found["number"]), f"-of-{found['count']}{found['end']}"
    return tuple(f"{found['base']}-{number:0{width}}{end}" for number in range(1, count + 1))


def chosen(names: Iterable[str], where: str) -> Choice:
    """The one set of weights among the names of a folder.

    Raises:
        Refused: F808 there is none, F809 there are several, F810 a part of it is missing.
    """
    there = set(names)
    sets = _sets(there, ".safetensors"), _sets(there, ".gguf")
    found = [*sets[0], *sets[1]] or _sets(there, ".bin")
    if len(found) > 1:
        hint = f"name one of them: {some([each.label for each in found])}"
        message = f"it holds {len(found)} models, or one model {len(found)} times"
        raise refused("F809", where, message, hint)
    if not found:
        raise _nothing(there, where)
    return _complete(found[0], there, where)


def _complete(found: Choice, there: set[str], where: str) -> Choice:
    files = found.files if found.index else siblings(found.files[0], there, where)
    read = {found.index, *files}
    others = [name for name in sorted(there) if is_weights(name) and name not in read]
    indexes = [name for name in sorted(there) if name.endswith(INDEX) and name not in read]
    return Choice(found.index, files, (*others, *indexes))


def _sets(there: set[str], ending: str) -> list[Choice]:
    """Sets of one format: those a library would load; others only where there is nothing else."""
    every = [*_indexed(there, ending), *_alone(there, ending)]
    usual = [each for each in every if not _ASIDE.match(each.label)]
    main = _MAIN.get(ending)
    named = [each for each in usual if each.label in (main, f"{main}{INDEX}")]
    aside = [each for each in every if each.label.startswith("consolidated")]
    return named or usual or aside


def _indexed(there: set[str], ending: str) -> list[Choice]:
    return [Choice(name, ()) for name in sorted(there) if name.endswith(f"{ending}{INDEX}")]


def _alone(there: set[str], ending: str) -> list[Choice]:
    """Files and numbered parts that no index of their name stands for."""
    sets: dict[tuple[str, ...], None] = {}
    for name in sorted(there):
        if not name.endswith(ending) or not is_weights(name):
            continue
        part = _PART.fullmatch(name)
        if part is None or f"{part['base']}{ending}{INDEX}" not in there:
            sets[_parts(name)] = None
    return [Choice("", files) for files in sets]


def _nothing(there: set[str], where: str) -> Exception:
    if "model_index.json" in there:
        hint = "this is a pipeline of several models: name one of its folders"
    elif any(name.startswith("adapter_") for name in there):
        hint = "this is an adapter alone: name the folder of its base model"
    elif "snapshots" in there:
        hint = "this is the cache of a hub: name the folder of one commit under snapshots/"
    else:
        hint = "name a folder with *.safetensors, *.gguf or pytorch_model*.bin, or one such file"
    return refused("F808", where, "it holds no weights of a model", hint)


def left_out(names: Sequence[str]) -> tuple[str, ...]:
    """The doubt that says which files of weights were not read."""
    return (f"left out: {', '.join(short(name) for name in names)}",) if names else ()
