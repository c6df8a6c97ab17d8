"""Where the file of a piece lies: in the fiche's folder, under a name of its own, never over another file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.folder import DiskFolder, UnreadableError
from fiche.load.source import FORBIDDEN
from fiche.render.visible import visible

DEFAULT_FOLDER = "pieces"
_UNSAFE = re.compile(r"[^\w.+=@-]+")
_NO_ID = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME, _LONGEST_ID = 100, 60
_DIGITS = (8, 64)
# Devices of Windows, whatever ending the name has.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|\Z)",
    re.IGNORECASE,
)
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".lzma", ".z")


@record
class Place:
    """The file as the fiche names it, and whether it is still to be written."""

    file: str
    is_new: bool


class FilesToCome:
    """A folder as it will be: files that are not written yet, before those of the disk."""

    def __init__(self, under: DiskFolder) -> None:
        self.under = under
        self.files: dict[str, bytes] = {}

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of a file below the folder; see `load.folder.Folder.read`."""
        content = self.files.get(name)
        if content is None:
            return self.under.read(name, limit)
        if len(content) > limit:
            raise UnreadableError(
                "F319", f"'{name}' is longer than {limit // 2**20} MiB", "split it"
            )
        return content


def pieces_folder(fiche: Fiche, root: Path) -> str:
    """The folder that most of the fiche's pieces use, or `pieces`.

    Raises:
        Refused: F482 a link leads out of the fiche's folder, or something else has the name.
    """
    used = Counter(str(PurePosixPath(piece.file).parent) for piece in fiche.pieces)
    folder = used.most_common(1)[0][0] if used else DEFAULT_FOLDER
    path = root / folder
    if not path.resolve().is_relative_to(root.resolve()):
        raise Refused([_misplaced(f"'{folder}' leads out of the fiche's folder")])
    if (path.exists() or path.is_symlink()) and not path.is_dir():
        raise Refused([_misplaced(f"'{folder}' is no folder")])
    return "" if folder == "." else f"{folder}/"


def _misplaced(message: str) -> Diagnostic:
    hint = "remove what has that name, or copy the file beside the fiche and import it from there"
    return Diagnostic(code="F482", message=message, address=None, hint=hint)


def inside(source: Path, root: Path) -> str | None:
    """The name of a file from the fiche's folder on, or None where it lies elsewhere."""
    resolved, base = source.resolve(), root.resolve()
    return resolved.relative_to(base).as_posix() if resolved.is_relative_to(base) else None


def check_name(file: str) -> None:
    """Refuse a name that a fiche cannot name.

    Raises:
        Refused: F482.
    """
    if "\\" in file or FORBIDDEN.search(file) or "\n" in file:
        message = f"a fiche cannot name the file '{visible(file)}'"
        hint = "give it a name without backslashes and control characters"
        raise Refused([Diagnostic(code="F482", message=message, address=None, hint=hint)])


def placed(name: str, content: bytes, sha256: str, folder: str, coming: FilesToCome) -> Place:
    """A free name in the folder for these bytes, or the name under which they lie there already."""
    stem, suffix = _split(safe_name(name))
    for digits in (0, *_DIGITS):
        own = f"{stem}-{sha256[:digits]}{suffix}" if digits else f"{stem}{suffix}"
        file = f"{folder}{own}"
        there = _bytes_there(file, len(content), coming)
        if there is None:
            coming.files[file] = content
            return Place(file=file, is_new=True)
        if there == content:
            return Place(file=file, is_new=False)
    raise Refused([_misplaced(f"'{file}' is taken, and it is another file")])


def _bytes_there(file: str, length: int, coming: FilesToCome) -> bytes | None:
    """What lies under a name, None where nothing does; nothing is read that cannot be the same file."""
    same = next((one for one in coming.files if one.casefold() == file.casefold()), None)
    if same is not None:
        return coming.files[same]
    path = coming.under.root / file
    if not path.exists() and not path.is_symlink():
        return None
    if path.is_symlink() or not path.is_file() or path.stat().st_size != length:
        return b"" if length else b"-"
    return path.read_bytes()


def safe_name(name: str) -> str:
    """A plain file name: no folder, no blank, nothing that a shell or another system reads otherwise."""
    stem, suffix = _split(_UNSAFE.sub("-", name.replace("\\", "/").rpartition("/")[2]))
    stem = re.sub(r"-{2,}", "-", stem).strip("-.") or "piece"
    if _DEVICE.match(stem):
        stem = f"piece-{stem}"
    return stem[: _LONGEST_NAME - len(suffix)] + suffix


def _split(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    if not stem or not suffix or len(suffix) > 12:
        return name, ""
    return stem, f"{dot}{suffix}"


def unpacked_name(name: str) -> str:
    """The name without the ending of a packed file."""
    ending = next((one for one in _PACKED if name.lower().endswith(one)), "")
    return name[: len(name) - len(ending)] or name


def redacted_name(name: str) -> str:
    """A name that says that the file is not the one received."""
    stem, suffix = _split(name)
    return f"{stem}.redacted{suffix}"


def free_id(file: str, taken: Iterable[str]) -> str:
    """An id made of a file's name, unlike those that are taken."""
    stem = PurePosixPath(unpacked_name(file)).name
    stem = stem.rpartition(".")[0] or stem
    base = _NO_ID.sub("-", stem).strip("-_")[:_LONGEST_ID].rstrip("-_") or "piece"
    known, number, found = set(taken), 1, base
    while found in known:
        number += 1
        found = f"{base}-{number}"
    return found
