"""Writing a folder of results: all of it or none, and never over something without being told."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from fiche.cli.interrupt import held, take_away, unfinished
from fiche.kernel.diagnostic import Diagnostic, Refused


def write_folder(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write files into a new folder, or with `force` replace those same files in an existing one.

    A name may have folders in it (`tables/findings.csv`).

    Other files of an existing folder stay. A failure on the way (a full disk, an interruption) leaves
    no new folder and no half-written file.

    Raises:
        Refused: F610 the folder exists and `force` is False; F611 it cannot be written.
    """
    try:
        if _there(folder) or not _create(folder, files):
            _replace(folder, files, force=force)
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into under another name; when that is done it becomes the new folder, whole.

    Raises:
        Refused: F610 the folder exists; F611 it cannot be written.
    """
    if _there(folder):
        raise Refused([taken(folder)])
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(_beside(folder)) as partial:
            partial.mkdir()
            yield partial
            if _there(folder):
                raise Refused([taken(folder)])
            partial.rename(folder)
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error


def _create(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Make the folder whole under another name, then rename it; False where one is there by then."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(_beside(folder)) as partial:
        partial.mkdir()
        for name, content in files.items():
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            _write(partial / name, content)
        try:
            partial.rename(folder)
        except OSError:
            if not _there(folder):
                raise
            return False
    return True


def _replace(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    if not force:
        raise Refused([exists(folder)])
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    for name in files:
        _refuse_strange(folder / name)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        partial = {name: stack.enter_context(unfinished(_beside(folder / name))) for name in files}
        for name, content in files.items():
            _write(partial[name], content)
        with held():
            for name, path in partial.items():
                path.replace(folder / name)


def write_file(path: Path, content: bytes, *, force: bool) -> None:
    """Write one file whole, or not at all.

    Raises:
        Refused: F610 it exists and `force` is False; F611 it cannot be written.
    """
    if _there(path) and not force:
        raise Refused([exists(path)])
    try:
        _refuse_strange(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(_beside(path)) as partial:
            _write(partial, content)
            partial.replace(path)
    except OSError as error:
        raise Refused([_unwritable(path, error)]) from error


def write_new_file(path: Path, content: bytes) -> None:
    """Write one file whole where none is, also where one appears meanwhile.

    Raises:
        Refused: F610 it exists, F611 it cannot be written.
    """
    if _there(path):
        raise Refused([taken(path)])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(_beside(path)) as partial:
            _write(partial, content)
            try:
                os.link(partial, path)
            except FileExistsError:
                raise Refused([taken(path)]) from None
            except OSError:  # a file system without links
                partial.rename(path)
    except OSError as error:
        raise Refused([_unwritable(path, error)]) from error


def take_back(made: Sequence[Path]) -> None:
    """Remove files that were just written, and the folders that they leave empty."""
    for path in made:
        take_away(path)
        with contextlib.suppress(OSError):
            path.parent.rmdir()


def taken(path: Path) -> Diagnostic:
    """What is said where a file exists that is never written over (F610)."""
    hint = "choose another name: it is never written over"
    return Diagnostic(code="F610", message=f"{path} exists already", address=None, hint=hint)


def _there(path: Path) -> bool:
    """A link that leads nowhere is something too."""
    return path.exists() or path.is_symlink()


def _refuse_strange(path: Path) -> None:
    """Not even `force` puts a file in the place of a folder or a device."""
    if path.exists() and not path.is_file():
        raise IsADirectoryError(f"{path} is no file")


def _beside(path: Path) -> Path:
    """A name of its own in the same folder, however long or shared the other one is."""
    return path.with_name(f".fiche-{os.urandom(8).hex()}.partial")


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def exists(path: Path) -> Diagnostic:
    """What is said where an output exists already (F610)."""
    return Diagnostic(
        code="F610",
        message=f"{path} exists already",
        address=None,
        hint="choose another name, or say --force to replace what fiche writes there",
    )


def _unwritable(path: Path, error: OSError) -> Diagnostic:
    why = error.strerror or str(error)
    return Diagnostic(
        code="F611",
        message=f"{path} cannot be written: {why}",
        address=None,
        hint="check the free space and the rights of that folder",
    )


def add_files(new: Mapping[Path, bytes], changed: Path, content: bytes) -> None:
    """Write new files and replace one: all of it or none, and never over another file.

    The replaced file keeps its permissions. Missing folders of new files are made, one level deep.

    Raises:
        Refused: F610 a new file exists by now; F611 one cannot be written.
    """
    with ExitStack() as stack:
        made = {
            path.parent: _new_folder(path.parent, stack) for path in new if not path.parent.exists()
        }
        partial = {
            path: made[path.parent] / path.name
            if path.parent in made
            else stack.enter_context(unfinished(_beside(path)))
            for path in new
        }
        last = stack.enter_context(unfinished(_beside(changed)))
        for path, text in new.items():
            _written(path, partial[path], text)
        _written(changed, last, content)
        _like(changed, last)
        with held():
            _settle(
                made,
                {path: partial[path] for path in new if path.parent not in made},
                (last, changed),
            )


def _new_folder(folder: Path, stack: ExitStack) -> Path:
    partial = stack.enter_context(unfinished(_beside(folder)))
    try:
        partial.mkdir()
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error
    return partial


def _written(path: Path, partial: Path, content: bytes) -> None:
    """Write under another name; what goes wrong is told of the file that was meant."""
    try:
        _write(partial, content)
    except OSError as error:
        raise Refused([_unwritable(path, error)]) from error


def _like(path: Path, partial: Path) -> None:
    """The same permissions and, where the system lets one, the same owner."""
    state = path.stat()
    with contextlib.suppress(OSError, AttributeError):
        os.chown(partial, state.st_uid, state.st_gid)
    partial.chmod(stat.S_IMODE(state.st_mode))


def _settle(
    folders: Mapping[Path, Path], files: Mapping[Path, Path], changed: tuple[Path, Path]
) -> None:
    """Put everything in its place, the changed file last; what was placed goes if that fails."""
    placed: list[Path] = []
    try:
        for path, partial in folders.items():
            if _there(path):
                raise FileExistsError(17, "it exists by now", str(path))
            partial.rename(path)
            placed.append(path)
        for path, partial in files.items():
            if _there(path):
                raise FileExistsError(17, "it exists by now", str(path))
            partial.rename(path)
            placed.append(path)
        changed[0].replace(changed[1])
    except OSError as error:
        for path in placed:
            take_away(path)
        where = Path(error.filename) if isinstance(error, FileExistsError) else changed[1]
        raise Refused([_unwritable(where, error)]) from error
