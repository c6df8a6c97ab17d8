"""Which files of a model on a hub to read: one set of weights, by the rule that holds for a folder too."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from fiche.checkpoints._folder import INDEX, chosen, is_weights, siblings
from fiche.hub.name import HubName
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record

CONFIG = "config.json"
# What the local cache is asked for, to find a revision there.
USUAL = (
    CONFIG,
    "model.safetensors",
    f"model.safetensors{INDEX}",
    "pytorch_model.bin",
    f"pytorch_model.bin{INDEX}",
)
_GGUF = ".gguf"
_SHOWN = 24


@record
class Choice:
    """`index` names its files itself; `files` are read as they stand; neither: no weights.

    `left_out` are other files of weights: second copies, other quantisations.
    """

    index: str = ""
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def choice(name: HubName, names: Sequence[str]) -> Choice:
    """What to read of a model that holds files of these `names`, sorted.

    Raises:
        Refused: F809 several models, F810 a part is missing, F834 it has no such file, F842 several GGUF
            files and none chosen, F843 nothing to read in it.
    """
    found = _told(name, names) if name.file else _found(name, names)
    if not (found.index or found.files or CONFIG in names):
        raise Refused([_nothing(name)])
    return found


def _told(name: HubName, names: Sequence[str]) -> Choice:
    if name.file not in names or not _readable(name.file):
        raise Refused([_absent(name, names)])
    if name.file.endswith(INDEX):
        return Choice(index=name.file, left_out=_others(names, ()))
    files = siblings(name.file, names, name.model)
    return Choice(files=files, left_out=_others(names, files))


def _readable(file: str) -> bool:
    return is_weights(file) or file.endswith(INDEX)


def _found(name: HubName, names: Sequence[str]) -> Choice:
    top = [each for each in names if "/" not in each and not each.endswith(_GGUF)]
    try:
        found = chosen(top, name.model)
    except Refused as refused:
        if [each.code for each in refused.diagnostics] != ["F808"]:
            raise
        files = _gguf(name, names)
        return Choice(files=files, left_out=_others(names, files))
    return Choice(index=found.index, files=found.files, left_out=_others(names, found.files))


def _gguf(name: HubName, names: Sequence[str]) -> tuple[str, ...]:
    """The one GGUF model among all folders; projectors of images lie beside it in a file of their own."""
    every = [each for each in names if each.endswith(_GGUF)]
    language = [each for each in every if "mmproj" not in each.rpartition("/")[2].lower()]
    sets = sorted({siblings(each, names, name.model) for each in language or every})
    if len(sets) > 1:
        raise Refused([_several(name, [each[0] for each in sets])])
    return sets[0] if sets else ()


def _others(names: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in names if is_weights(each) and each not in files)


def _absent(name: HubName, names: Sequence[str]) -> Diagnostic:
    known = [each for each in names if _readable(each)]
    near = get_close_matches(name.file, known, n=3, cutoff=0.5)
    said = f"did you mean {' or '.join(near)}?" if near else _listed("it holds", known)
    return Diagnostic(
        code="F834",
        message=f"{name.model} has no file of weights '{name.file}'",
        address=None,
        hint=said,
    )


def _several(name: HubName, files: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="F842",
        message=f"{name.model} holds {len(files)} GGUF models: choose one",
        address=None,
        hint=_listed(f"write {name.model}:{files[0]}, or another of", files),
    )


def _nothing(name: HubName) -> Diagnostic:
    return Diagnostic(
        code="F843",
        message=f"{name.model} holds no config.json, safetensors, PyTorch or GGUF file to read",
        address=None,
        hint="name the repository of the model itself; adapters and datasets are not read here",
    )


def _listed(before: str, files: Sequence[str]) -> str:
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return f"{before} {', '.join(files[:_SHOWN]) or 'none'}{more}"
