"""One model at one commit: which files it has, and each as bytes, from the local cache where it is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fiche.checkpoints import FileSource, Source
from fiche.hub._choice import USUAL
from fiche.hub._library import library
from fiche.hub._refusals import cut_short
from fiche.hub._remote_file import RemoteFile
from fiche.hub._wire import Wire, asked, timeout
from fiche.hub.name import HubName, inside
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@record
class Repository:
    """A model whose revision is settled: `commit` is its whole SHA.

    `lengths` are its files and their bytes (None where the hub does not say). `cached` is True where
    all of this was read from the local cache, and no network asked.
    """

    name: HubName
    commit: str
    lengths: Mapping[str, int | None]
    cached: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its files, in the order of their names."""
        return tuple(sorted(self.lengths))

    def whole(self, file: str, limit: int) -> bytes:
        """A small file, whole; a longer one is refused.

        Raises:
            Refused: F832 to F841, F844, F845; F807 where the cache cannot be read.
        """
        path = cached_path(self.name.model, file, self.commit)
        if path is None:
            return Wire(self.name, self.commit).whole(file, limit)
        with FileSource(path, file) as source:
            return source.part(0, limit + 1)

    def reading(self, file: str) -> Source:
        """A file to read parts of; a cached one is open until `close`.

        Raises:
            Refused: F807 the cache cannot be read.
        """
        path = cached_path(self.name.model, file, self.commit)
        if path is not None:
            return FileSource(path, file)
        wire = Wire(self.name, self.commit)
        return RemoteFile(self.name, file, self.lengths.get(file), wire.part)


def cached_path(model: str, file: str, revision: str) -> Path | None:
    """Where the hub's library keeps a file of a revision; None where it does not."""
    found = library().try_to_load_from_cache(model, file, revision=revision)
    return Path(found) if isinstance(found, str) else None


def cached_repository(name: HubName) -> Repository | None:
    """What the local cache holds of a model's revision; None where it holds nothing of it."""
    for file in (name.file, *USUAL):
        path = cached_path(name.model, file, name.revision or "main") if file else None
        if path is not None:
            root = path.parents[file.count("/")]
            inside = (each for each in root.rglob("*") if each.is_file())
            lengths = {each.relative_to(root).as_posix(): each.stat().st_size for each in inside}
            return Repository(name=name, commit=root.name, lengths=lengths, cached=True)
    return None


def listed_repository(name: HubName) -> Repository:
    """What the hub says of a model's revision, in one request.

    Raises:
        Refused: F831 to F839, F844 offline, F841 an answer that is none of a hub's.
    """
    told = asked(name, "", lambda: _told(name))
    try:
        named = {each.rfilename: each.size for each in told.siblings}
        lengths = {file: count for file, count in named.items() if inside(file)}
        commit = str(told.sha)
    except (AttributeError, TypeError) as error:
        raise Refused([_strange(name)]) from error
    if not _COMMIT.fullmatch(commit):
        raise Refused([_strange(name)])
    return Repository(name=name, commit=commit, lengths=lengths)


def _told(name: HubName) -> Any:  # noqa: ANN401 - of a library that may be absent
    hub = library()
    ask: Callable[..., Any] = hub.HfApi().model_info
    try:
        return ask(
            name.model, revision=name.revision or None, files_metadata=True, timeout=timeout()
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise Refused([_strange(name)]) from error


def _strange(name: HubName) -> Diagnostic:
    return cut_short(name, "list of its files", "the answer is none of a hub's")


def offline() -> bool:
    """True where HF_HUB_OFFLINE forbids the network."""
    return bool(library().constants.HF_HUB_OFFLINE)
