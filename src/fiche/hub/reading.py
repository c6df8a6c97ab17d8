"""A model on a hub as its headers describe it: some hundred kilobytes of it, whatever its weights take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from fiche.hub._choice import CONFIG, Choice, choice
from fiche.hub._repository import Repository, cached_repository, listed_repository, offline
from fiche.hub.name import HubName
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record

if TYPE_CHECKING:
    from fiche.checkpoints import Index, Shard, Source

AT_ONCE = 8
_SHOWN = 3


@record
class Received:
    """A model as a hub has it.

    `commit` is the whole SHA of its revision, `config` its `config.json` as received (None where it has none),
    `checkpoint` its tensors (None where it has no weights). `notes` say what was left out.
    """

    name: HubName
    commit: str
    config: bytes | None
    checkpoint: Checkpoint | None
    notes: tuple[str, ...] = ()


def received(name: HubName) -> Received:
    """Read a model's configuration and the headers of its tensors; a cached commit without network.

    Raises:
        Refused: F830 to F845, or F801 to F829 where a file is not what it should be; nothing is kept.
    """
    if name.pinned or offline():
        found = cached_repository(name)
        if found is not None and (offline() or _whole(found)):
            return _received(found)
        if offline():
            raise Refused([_uncached(name, "")])
    return _received(listed_repository(name))


def _received(repository: Repository) -> Received:
    chosen = choice(repository.name, repository.names)
    index = _index(repository, chosen)
    files = index.files if index is not None else chosen.files
    _check_there(repository, files)
    checkpoint = _checkpoint(repository, chosen, index, files) if files else None
    config = _config(repository)
    return Received(
        name=repository.name,
        commit=repository.commit,
        config=config,
        checkpoint=checkpoint,
        notes=tuple(_notes(repository, chosen, files)),
    )


def _whole(repository: Repository) -> bool:
    """True where a cache holds all that would be read: a half one is completed from the hub."""
    try:
        chosen = choice(repository.name, repository.names)
        index = _index(repository, chosen)
        files = index.files if index is not None else chosen.files
        _check_there(repository, files)
    except Refused:
        return False
    return bool(files)


def _index(repository: Repository, chosen: Choice) -> Index | None:
    if not chosen.index:
        return None
    from fiche.checkpoints.index import INDEX_LIMIT, read_index

    return read_index(repository.whole(chosen.index, INDEX_LIMIT), chosen.index)


def _config(repository: Repository) -> bytes | None:
    from fiche.checkpoints.config import CONFIG_LIMIT

    if CONFIG not in repository.lengths:
        return None
    return repository.whole(CONFIG, CONFIG_LIMIT)


def _check_there(repository: Repository, files: Sequence[str]) -> None:
    absent = [file for file in files if file not in repository.lengths]
    if absent and repository.cached:
        raise Refused([_uncached(repository.name, absent[0])])
    if absent:
        raise Refused([_lost(repository.name, absent)])


def _checkpoint(
    repository: Repository, chosen: Choice, index: Index | None, files: Sequence[str]
) -> Checkpoint:
    from fiche.checkpoints import assembled

    with ExitStack() as stack:
        sources = [_opened(repository, file, stack) for file in files]
        shards = _shards(sources)
    return assembled(
        shards,
        file=chosen.index or files[0],
        index=index,
        source=f"{repository.name.model}@{repository.commit}",
    )


def _opened(repository: Repository, file: str, stack: ExitStack) -> Source:
    source = repository.reading(file)
    close = getattr(source, "close", None)
    if close is not None:
        stack.callback(close)
    return source


def _shards(sources: Sequence[Source]) -> list[Shard]:
    """The header of each file, several at a time; the first refusal ends them all."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        waiting = [pool.submit(partial(_reader(each.name), each)) for each in sources]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _reader(file: str) -> Callable[[Source], Shard]:
    from fiche.checkpoints import (
        tensors_of_gguf,
        tensors_of_pytorch_bin,
        tensors_of_safetensors,
    )

    readers: Mapping[str, Callable[[Source], Shard]] = {
        "safetensors": tensors_of_safetensors,
        "gguf": tensors_of_gguf,
    }
    return readers.get(file.rpartition(".")[2], tensors_of_pytorch_bin)


def _notes(repository: Repository, chosen: Choice, files: Sequence[str]) -> list[str]:
    notes = ["read from the local cache: no network was asked"] if repository.cached else []
    others = [file for file in chosen.left_out if file not in files]
    if others:
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        notes.append(f"other files of weights, left out: {', '.join(others[:_SHOWN])}{more}")
    if not files:
        notes.append("no file of weights was read: only config.json is there")
    return notes


def _uncached(name: HubName, file: str) -> Diagnostic:
    what = f"{name}: {file}" if file else str(name)
    return Diagnostic(
        code="F844",
        message=f"{what}: not in the local cache, and the network is switched off",
        address=None,
        hint=f"unset HF_HUB_OFFLINE, or download it first: hf download {name.model}",
    )


def _lost(name: HubName, files: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="F834",
        message=f"{name.model} has no file '{files[0]}', which its index names",
        address=None,
        hint=f"{len(files)} of the files that the index names are not there: tell its owner",
    )
