"""Records among files and folders: which there are, and what each of them is in one row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from fiche.cli.evidence import Wrong, each_read
from fiche.importers._record_places import Form
from fiche.importers._record_rows import RecordRow, row_of
from fiche.importers.fiche_record import MEMBER, record_form
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.folder import PIECE_LIMIT, read_file

# A table says more than so many pages.
MANY = 12
_HEAD = 65_536
_JOURNAL = ".journal"


@record
class Folder:
    """The records below a folder in name order, and how many other files there are.

    `journals` counts those left out: the document beside each says all that its journal said.
    """

    files: tuple[Path, ...]
    others: int
    journals: int


def in_folder(folder: Path) -> Folder:
    """Every record below a folder, whatever its name; links are not followed."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    records = [path for path in found if _is_record(path)]
    known = set(records)
    kept = [path for path in records if not (_is_journal(path) and _document(path) in known)]
    return Folder(
        files=tuple(kept), others=len(found) - len(records), journals=len(records) - len(kept)
    )


def _is_journal(path: Path) -> bool:
    return path.name.endswith(_JOURNAL)


def _document(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(_JOURNAL))


def _is_record(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return MEMBER.accepts(file.read(_HEAD), path.name) > 0
    except OSError:
        return False


def with_records(folder: Path) -> Folder:
    """Every record below a folder that holds one.

    Raises:
        Refused: F318 it holds none.
    """
    found = in_folder(folder)
    if not found.files:
        message = f"'{folder}' is no file, and holds no record ({found.others} other files)"
        hint = "name the files of other evidence one by one"
        raise Refused([Diagnostic(code="F318", message=message, address=None, hint=hint)])
    return found


def expanded(files: Sequence[Path]) -> Iterator[Path]:
    """The files, and the records of the folders among them.

    Raises:
        Refused: F318 a folder holds none.
    """
    for file in files:
        if file.is_dir():
            yield from with_records(file).files
        else:
            yield file


def rows(
    files: Sequence[Path], under: Path | None = None
) -> tuple[tuple[RecordRow, ...], tuple[Wrong, ...]]:
    """One row a record, named from the folder `under` on; what is wrong with the others."""

    def one(file: Path) -> RecordRow:
        name = file if under is None else file.relative_to(under)
        return row_of(form_of(file), str(name))

    return each_read(files, one)


def form_of(file: Path) -> Form:
    """The checked document of a record's file.

    Raises:
        Refused: as `importers.fiche_record.read`.
        UnreadableError: it cannot be read.
    """
    content = read_file(file, str(file), PIECE_LIMIT)
    return record_form(content, hashlib.sha256(content).hexdigest())
