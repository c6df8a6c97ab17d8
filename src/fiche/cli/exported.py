"""What `fiche lab export` writes: a new folder, and its archive where that is asked for."""

from __future__ import annotations

from pathlib import Path

from fiche.cli.interrupt import take_away
from fiche.cli.output import write_file, write_folder
from fiche.cli.skeleton import COLUMNS
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.measure.lab.archive import lab_files, zipped


def write_lab(folder: Path, *, zip: bool) -> tuple[Path, ...]:
    """Write the lab, and return every path written.

    Raises:
        Refused: F570 the folder or the archive is there already; F611 one cannot be written.
    """
    _refuse_taken(folder)
    archive = folder.with_name(f"{folder.name}.zip")
    if zip:
        _refuse_taken(archive)
    files = lab_files(",".join(COLUMNS) + "\n")
    write_folder(folder, files, force=False)
    written = [folder / name for name in files]
    if zip:
        try:
            write_file(archive, zipped(files), force=False)
        except Refused:
            take_away(folder)
            raise
        written.append(archive)
    return tuple(written)


def _refuse_taken(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise Refused([_there(path)])


def _there(path: Path) -> Diagnostic:
    """A lab may already hold somebody's measurements, so there is no option to replace it."""
    return Diagnostic(
        code="F570",
        message=f"{path} exists already, and a lab is never overwritten",
        address=None,
        hint="choose another name, such as one with the machine's",
    )
