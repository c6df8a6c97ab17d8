"""Writing a folder of results: all of it or none, and never over something without being told."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fiche.kernel.diagnostic import Diagnostic, Refused


def write_folder(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write files into a new folder, or with `force` replace those same files in an existing one.

    Other files of an existing folder stay. A failure on the way (a full disk, an interruption) leaves
    no new folder and no half-written file.

    Raises:
        Refused: F610 the folder exists and `force` is False; F611 it cannot be written.
    """
    try:
        if folder.exists() or folder.is_symlink():
            _replace(folder, files, force=force)
        else:
            _create(folder, files)
    except OSError as error:
        raise Refused([_unwritable(folder, error)]) from error


def _create(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for name, content in files.items():
            _write(partial / name, content)
        partial.chmod(0o777 & ~_umask())
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _replace(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    if not force:
        raise Refused([exists(folder)])
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    partial = {name: folder / f".{name}.{os.getpid()}.partial" for name in files}
    try:
        for name, content in files.items():
            _write(partial[name], content)
        for name, path in partial.items():
            path.replace(folder / name)
    finally:
        for path in partial.values():
            path.unlink(missing_ok=True)


def write_file(path: Path, content: bytes, *, force: bool) -> None:
    """Write one file whole, or not at all.

    Raises:
        Refused: F610 it exists and `force` is False; F611 it cannot be written.
    """
    if path.exists() and not force:
        raise Refused([exists(path)])
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(partial, content)
        partial.replace(path)
    except OSError as error:
        raise Refused([_unwritable(path, error)]) from error
    finally:
        partial.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
